import { sleep } from 'n8n-workflow';

/** How many activities a process remembers, over all workflows: about 10 MB. The oldest go first. */
export const MAX_REMEMBERED = 50_000;
/** How long an activity is remembered, in milliseconds: a day. */
export const REMEMBERED_MS = 24 * 60 * 60 * 1000;
/** How long the answer to a sender that hung up is waited for, in milliseconds. */
const LATE_ANSWER_MS = 60_000;
const LOOK_AGAIN_MS = 500;

/** The parts of a response that tell what the sender was told. */
export type AnswerToSender = {
	readonly statusCode: number;
	readonly writableEnded: boolean;
	once(event: 'finish' | 'close', listener: () => void): unknown;
};

/**
 * Remembers which activities have started the workflow (D10). One counts as seen only when its sender was told so
 * with a 2xx; a second copy that comes meanwhile waits for that.
 */
export class SeenActivities {
	private readonly seen = new Map<string, number>();

	private readonly underWay = new Map<string, Promise<void>>();

	/**
	 * Claims an activity for this delivery.
	 * @param key subscription and activity
	 * @returns false when it has been seen; otherwise it counts as seen once the answer is a 2xx, and is free again
	 *   if it is anything else
	 */
	async claim(key: string, answer: AnswerToSender): Promise<boolean> {
		for (let other = this.underWay.get(key); other; other = this.underWay.get(key)) await other;
		if (this.has(key)) return false;
		const fate = taken(answer).then((isTaken) => {
			this.underWay.delete(key);
			if (isTaken) this.add(key);
		});
		this.underWay.set(key, fate);
		return true;
	}

	private has(key: string): boolean {
		const at = this.seen.get(key);
		return at !== undefined && Date.now() - at < REMEMBERED_MS;
	}

	private add(key: string): void {
		this.seen.delete(key);
		this.seen.set(key, Date.now());
		if (this.seen.size <= MAX_REMEMBERED) return;
		const [oldest] = this.seen.keys();
		if (oldest !== undefined) this.seen.delete(oldest);
	}
}

const isSuccess = ({ statusCode }: AnswerToSender): boolean =>
	statusCode >= 200 && statusCode < 300;

/**
 * Whether n8n took the event. A sender that hangs up (a time-out) will send again, while n8n may still be taking the
 * first copy: so its late answer is waited for, although nobody hears it.
 */
async function taken(answer: AnswerToSender): Promise<boolean> {
	const sent = await new Promise<boolean>((resolve) => {
		answer.once('finish', () => {
			resolve(true);
		});
		answer.once('close', () => {
			resolve(false);
		});
	});
	for (let waited = 0; !sent && !answer.writableEnded && waited < LATE_ANSWER_MS; ) {
		await sleep(LOOK_AGAIN_MS);
		waited += LOOK_AGAIN_MS;
	}
	return answer.writableEnded && isSuccess(answer);
}

/** A child process that sends deliveries: runs one job for each message, and responds with one message. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { deliveryBody } from './activity';
import { jobSchema, type Job, type Sent } from './job';

const PAUSE_MS = 200;
const TIMEOUT_MS = 30_000;

async function send(job: Job): Promise<Sent> {
	const dispatcher = new Agent({ connections: job.concurrency });
	const outcomes: Record<string, number> = {};
	const startedAt = Date.now();
	const notAccepted: string[] = [];
	const responseTimes: number[] = [];
	let activities = 0;
	let accepted = 0;

	const deliver = async (body: string): Promise<boolean> => {
		const deliveredAt = performance.now();
		const outcome = await request(job.url, {
			method: 'POST',
			headers: { ...job.headers, 'content-type': 'application/json' },
			body,
			dispatcher,
			signal: AbortSignal.timeout(job.timeoutMs ?? TIMEOUT_MS),
		}).then(
			async (response) => {
				await response.body.dump();
				return response.statusCode;
			},
			(error: unknown) => (error instanceof Error ? error.message : String(error)),
		);
		outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
		const isAccepted = typeof outcome === 'number' && outcome >= 200 && outcome < 300;
		if (isAccepted) responseTimes.push(performance.now() - deliveredAt);
		return isAccepted;
	};

	const sendOne = async () => {
		const id = `${job.prefix}${++activities}`;
		const body = deliveryBody(id, job.secret);
		for (let attempt = 0; attempt <= job.redeliveries; attempt++) {
			if (attempt > 0) await sleep(PAUSE_MS);
			if (!(await deliver(body))) continue;
			accepted += 1;
			return;
		}
		notAccepted.push(id);
	};
	const sendContinuously = async () => {
		while (Date.now() - startedAt < job.forMs) await sendOne();
	};
	/** Does not wait for responses, so a slow one does not delay the next event. */
	const sendAtRate = async (perSecond: number) => {
		const total = Math.floor((job.forMs * perSecond) / 1000);
		const sent: Array<Promise<void>> = [];
		for (let index = 0; index < total; index++) {
			await sleep(Math.max(0, startedAt + (index * 1000) / perSecond - Date.now()));
			sent.push(sendOne());
		}
		await Promise.all(sent);
	};
	if (job.perSecond !== undefined) await sendAtRate(job.perSecond);
	else await Promise.all(Array.from({ length: job.concurrency }, sendContinuously));
	const endedAt = Date.now();
	await dispatcher.destroy();
	return { activities, accepted, notAccepted, outcomes, responseTimes, startedAt, endedAt };
}

process.on('message', (message) => {
	void send(jobSchema.parse(message)).then((sent) => process.send?.(sent));
});
// The parent has ended.
process.on('disconnect', () => process.exit());

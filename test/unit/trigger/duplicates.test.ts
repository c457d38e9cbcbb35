import { EventEmitter } from 'node:events';

import fc from 'fast-check';

import {
	MAX_REMEMBERED,
	REMEMBERED_MS,
	SeenActivities,
} from '../../../nodes/OutreachService/trigger/duplicates';

/** n8n's answer to one delivery; `end` gives it. */
class Answer extends EventEmitter {
	statusCode = 0;

	writableEnded = false;

	end(statusCode: number): void {
		this.statusCode = statusCode;
		this.writableEnded = true;
		this.emit('finish');
	}
}

const status = fc.constantFrom(199, 200, 204, 299, 300, 401, 500);
const copies = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), status }), {
	minLength: 1,
	maxLength: 12,
});
const isSuccess = (code: number): boolean => code >= 200 && code < 300;

it('Copies of an activity start the workflow one at a time, until it was taken once, and none is left waiting', async () => {
	await fc.assert(
		fc.asyncProperty(fc.scheduler(), copies, async (scheduler, given) => {
			const seen = new SeenActivities();
			const underWay = new Set<string>();
			const taken: Array<{ key: string; code: number }> = [];
			const deliver = async ({ key, status: code }: (typeof given)[number]) => {
				const answer = new Answer();
				if (!(await seen.claim(key, answer))) return 'dropped';
				expect(underWay.has(key)).toBe(false);
				underWay.add(key);
				await scheduler.schedule(Promise.resolve());
				underWay.delete(key);
				taken.push({ key, code });
				answer.end(code);
				return 'taken';
			};
			const results = await scheduler.waitFor(Promise.all(given.map(deliver)));

			for (const key of ['a', 'b', 'c']) {
				const started = taken.filter((one) => one.key === key).map(({ code }) => code);
				expect(started.slice(0, -1).some(isSuccess)).toBe(false);
				const dropped = given.filter((one, at) => one.key === key && results[at] === 'dropped');
				// Only what came after a success is dropped: otherwise the event would be lost.
				if (!isSuccess(started.at(-1) ?? 0)) expect(dropped).toEqual([]);
			}
		}),
	);
});

describe('What was seen', () => {
	beforeEach(() => {
		jest.useFakeTimers({ now: 0 });
	});
	afterEach(() => {
		jest.useRealTimers();
	});

	/** Delivers an activity, and has n8n answer with a status. */
	async function deliver(seen: SeenActivities, key: string, code = 200): Promise<boolean> {
		const answer = new Answer();
		const isNew = await seen.claim(key, answer);
		answer.end(code);
		return isNew;
	}

	it('is known for a day', async () => {
		const seen = new SeenActivities();
		expect(await deliver(seen, 'a')).toBe(true);
		await jest.advanceTimersByTimeAsync(REMEMBERED_MS - 1);
		expect(await deliver(seen, 'a')).toBe(false);
		await jest.advanceTimersByTimeAsync(1);
		expect(await deliver(seen, 'a')).toBe(true);
		expect(REMEMBERED_MS).toBe(86_400_000);
	});

	it('is forgotten when very much has come since, the oldest first', async () => {
		const seen = new SeenActivities();
		for (let n = 0; n <= MAX_REMEMBERED; n++) await deliver(seen, String(n));
		expect(await deliver(seen, '1')).toBe(false);
		expect(await deliver(seen, '0')).toBe(true);
	});

	it('is what n8n took although the sender had hung up, if it does so within a minute', async () => {
		for (const [ms, isSeen] of [
			[30_000, true],
			[61_000, false],
		] as const) {
			const seen = new SeenActivities();
			const answer = new Answer();
			await seen.claim('a', answer);
			answer.emit('close');
			await jest.advanceTimersByTimeAsync(ms);
			if (isSeen) answer.end(200);
			const again = deliver(seen, 'a');
			await jest.advanceTimersByTimeAsync(500);
			expect(await again).toBe(!isSeen);
		}
	});
});

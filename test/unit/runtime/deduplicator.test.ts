import fc from 'fast-check';

import {
	CHECK_MS,
	Deduplicator,
	MAX_WAITING,
	WAIT_MS,
} from '../../../nodes/OutreachService/runtime/deduplicator';
import { ResponseOutcomes } from '../../../nodes/OutreachService/runtime/responseOutcomes';
import { collectGarbage, Delivery, Response } from './deliveries';

let deduplicator: Deduplicator;
beforeEach(() => {
	jest.useFakeTimers({ now: 0 });
	deduplicator = new Deduplicator(new ResponseOutcomes());
});
afterEach(() => {
	jest.useRealTimers();
});

const pass = async (ms = 0) => {
	await jest.advanceTimersByTimeAsync(ms);
};

/** Sends a delivery, and waits for its result if that needs no time. */
async function deliver(key = 'a', node = 'node'): Promise<Delivery> {
	const delivery = new Delivery(deduplicator, key, node);
	await pass();
	return delivery;
}

const NO_CLAIMS = { claims: 0, waiting: 0 };

describe('A claim', () => {
	it('lasts until n8n has responded, however long n8n queues the execution', async () => {
		const first = await deliver();
		first.response.disconnect();
		for (let minute = 0; minute < 30; minute += 1) {
			await pass(60_000);
			const copy = await deliver();
			await pass(WAIT_MS + CHECK_MS);
			expect(copy.result).toBe('busy');
		}
		first.response.end(200);
		await pass(CHECK_MS);
		expect((await deliver()).result).toBe('duplicate');
		expect(deduplicator.stats()).toEqual({ ...NO_CLAIMS, remembered: 1 });
	});

	it('is not granted to a delivery whose sender has disconnected, or that already has a response', async () => {
		const [disconnected, ended] = [new Response(), new Response()];
		disconnected.disconnect();
		ended.writableEnded = true;
		expect(await deduplicator.claim('node', 'a', disconnected)).toBe('gone');
		expect(await deduplicator.claim('node', 'a', ended)).toBe('gone');
		expect((await deliver()).result).toBe('claimed');
	});

	it('counts as successful when n8n ends the response of a disconnected sender, which may then be garbage-collected', async () => {
		await (async () => {
			const { response } = await deliver();
			response.disconnect();
			response.end(200);
		})();
		await collectGarbage();
		expect((await deliver()).result).toBe('duplicate');
	});

	it('ends when n8n drops the response without ending it, as it does when a queued execution is cancelled', async () => {
		await (async () => {
			(await deliver()).response.disconnect();
		})();
		const copy = await deliver();
		await pass(CHECK_MS);
		expect(copy.result).toBeUndefined();
		await collectGarbage();
		expect(copy.result).toBe('claimed');
		copy.response.end(200);
		expect(deduplicator.stats()).toEqual({ ...NO_CLAIMS, remembered: 1 });
	});
});

describe('A waiting copy', () => {
	it.each([
		[200, ['claimed', 'duplicate', 'duplicate']],
		[299, ['claimed', 'duplicate', 'duplicate']],
		[300, ['claimed', 'claimed', undefined]],
		[500, ['claimed', 'claimed', undefined]],
	])('depends on the response to the first copy: %d', async (status, results) => {
		const copies = [await deliver(), await deliver(), await deliver()];
		copies[0]?.response.end(status);
		await pass();
		expect(copies.map(({ result }) => result)).toEqual(results);
	});

	it('is skipped when its sender has disconnected in the meantime', async () => {
		const [first, second, third] = [await deliver(), await deliver(), await deliver()];
		second.response.disconnect();
		await pass();
		expect([second.result, deduplicator.stats().waiting]).toEqual(['gone', 1]);
		first.response.end(500);
		await pass();
		expect([second.result, third.result]).toEqual(['gone', 'claimed']);
	});

	it('is skipped even before Node emits that its sender has disconnected', async () => {
		const [first, second, third] = [await deliver(), await deliver(), await deliver()];
		second.response.destroyed = true;
		first.response.end(500);
		await pass();
		expect([second.result, third.result]).toEqual(['gone', 'claimed']);
	});

	it('must retry later once its waiting time is over', async () => {
		await deliver();
		const copy = await deliver();
		await pass(WAIT_MS - 1);
		expect(copy.result).toBeUndefined();
		await pass(CHECK_MS + 1);
		expect(copy.result).toBe('busy');
		expect(deduplicator.stats()).toEqual({ claims: 1, waiting: 0, remembered: 0 });
	});

	it('takes one of a few slots in the process; when none is free, a copy must retry later', async () => {
		const [first, other] = [await deliver('a'), await deliver('b', 'other')];
		const waiting: Delivery[] = [];
		for (let n = 0; n < MAX_WAITING; n += 1) waiting.push(await deliver('a'));
		const tooMany = [await deliver('a'), await deliver('b', 'other')];
		expect(tooMany.map(({ result }) => result)).toEqual(['busy', 'busy']);
		waiting[7]?.response.disconnect();
		const next = await deliver('b', 'other');
		expect(next.result).toBeUndefined();
		other.response.end(204);
		first.response.end(200);
		await pass();
		expect(next.result).toBe('duplicate');
		expect(deduplicator.stats()).toEqual({ ...NO_CLAIMS, remembered: 2 });
	});
});

/** What can happen next; a number picks one of the deliveries sent so far. */
const step = fc.oneof(
	{ weight: 4, arbitrary: fc.record({ send: fc.constantFrom('a', 'b'), isGone: fc.boolean() }) },
	{
		weight: 3,
		arbitrary: fc.record({ end: fc.nat(20), status: fc.constantFrom(200, 204, 300, 401, 500) }),
	},
	{ weight: 3, arbitrary: fc.record({ disconnect: fc.nat(20) }) },
	{ weight: 2, arbitrary: fc.record({ passMs: fc.constantFrom(1, CHECK_MS, 4_000, 70_000) }) },
);

const SLOTS = 2;

it('Whatever senders and n8n do, an activity runs once, every delivery gets its result in time, and no claim remains', async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
			deduplicator = new Deduplicator(new ResponseOutcomes(), SLOTS);
			const sent: Delivery[] = [];
			const of = (key: string) => sent.filter((delivery) => delivery.key === key);
			const wasTaken = (key: string) => of(key).some(({ isTaken }) => isTaken);
			const check = () => {
				for (const key of ['a', 'b']) {
					const claimed = of(key).filter(({ result }) => result === 'claimed');
					expect(claimed.filter(({ isTaken }) => isTaken).length).toBeLessThanOrEqual(1);
					expect(claimed.filter(({ isOpen }) => isOpen).length).toBeLessThanOrEqual(1);
				}
				for (const { result, key, response, sentAt } of sent) {
					if (result === 'duplicate') expect(wasTaken(key)).toBe(true);
					if (result === 'gone') expect(response.destroyed).toBe(true);
					if (result) continue;
					expect(response.destroyed).toBe(false);
					expect(performance.now() - sentAt).toBeLessThanOrEqual(WAIT_MS + CHECK_MS);
				}
				expect(sent.filter(({ result }) => !result).length).toBe(deduplicator.stats().waiting);
				expect(deduplicator.stats().waiting).toBeLessThanOrEqual(SLOTS);
			};
			for (const one of steps) {
				if ('send' in one) sent.push(new Delivery(deduplicator, one.send, 'node', one.isGone));
				else if ('passMs' in one) await pass(one.passMs);
				else if ('disconnect' in one) sent[one.disconnect % sent.length]?.response.disconnect();
				else {
					const delivery = sent[one.end % sent.length];
					if (delivery?.isOpen) delivery.response.end(one.status);
				}
				await pass();
				check();
			}

			// Every sender disconnects, and n8n ends the remaining responses.
			for (const { response } of sent) response.disconnect();
			await pass();
			for (const { isOpen, response } of sent) if (isOpen) response.end(500);
			await pass(CHECK_MS);
			check();
			expect(deduplicator.stats()).toMatchObject(NO_CLAIMS);
			for (const key of ['a', 'b']) {
				const expected = wasTaken(key) ? 'duplicate' : 'claimed';
				expect((await deliver(key)).result).toBe(expected);
			}
		}),
		{ numRuns: 1_000 },
	);
}, 120_000);

/** Which of several copies of an activity runs, whatever senders and n8n do. On jest's clock. */
import fc from 'fast-check';

import { Duplicates, type ClaimResult } from '../../../nodes/OutreachService/runtime/duplicates';
import { tries } from '../../propertyRuns';
import { Response } from './response';

/** How long a copy waits for the outcome of the first one, and how often it checks. */
const WAIT_MS = 10_000;
const CHECK_MS = 100;
/** A day. */
const LEASE_MS = 86_400_000;
const MIN_REMEMBERED = 50_000;

let duplicates: Duplicates;
beforeEach(() => {
	jest.useFakeTimers({ now: 0 });
	duplicates = new Duplicates();
});
afterEach(() => {
	jest.restoreAllMocks();
	jest.useRealTimers();
});

const pass = async (ms = 0) => {
	await jest.advanceTimersByTimeAsync(ms);
};

/** A delivery and the result of its claim. */
class Delivery {
	readonly response = new Response();

	result: ClaimResult | undefined;

	readonly sentAt = performance.now();

	constructor(
		readonly key: string,
		node = 'node',
		isGone = false,
	) {
		if (isGone) this.response.disconnect();
		const claim = async () => {
			this.result = await duplicates.claim(node, key, this.response);
		};
		void claim();
	}

	/** Whether n8n has yet to respond to it. */
	get isOpen(): boolean {
		return this.result === 'claimed' && !this.response.writableEnded;
	}

	/** Whether n8n has responded with success. */
	get isTaken(): boolean {
		const { statusCode, writableEnded } = this.response;
		return this.result === 'claimed' && writableEnded && statusCode >= 200 && statusCode < 300;
	}
}

/** Sends a delivery, and waits for its result if that needs no time. */
async function deliver(key = 'a', node = 'node'): Promise<Delivery> {
	const delivery = new Delivery(key, node);
	await pass();
	return delivery;
}

const NO_CLAIMS = { claimedActivities: 0, waitingDuplicates: 0 };

it('A claim that has ended leaves nothing at a connection with more responses to send', async () => {
	const { response } = await deliver();
	const { socket } = response.req;
	expect(socket.listenerCount('close')).toBe(1);
	response.writableEnded = true;
	response.emit('finish');
	await pass();
	expect(socket.listenerCount('close')).toBe(0);
});

describe('A claim of a sender that has disconnected', () => {
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
		const copy = await deliver();
		await pass(WAIT_MS);
		expect(copy.result).toBe('duplicate');
		expect(duplicates.stats()).toEqual({ ...NO_CLAIMS, rememberedActivities: 1 });
	});

	it('lasts a day when n8n never responds, as when a user cancels the queued execution', async () => {
		const first = await deliver();
		first.response.disconnect();
		await pass();
		const from = performance.now();
		const now = jest.spyOn(performance, 'now').mockReturnValue(from + LEASE_MS - 1);
		const copy = await deliver();
		await pass(WAIT_MS / 2);
		expect(copy.result).toBeUndefined();
		now.mockReturnValue(from + LEASE_MS);
		await pass(WAIT_MS);
		expect(copy.result).toBe('claimed');
	});
});

it('A process remembers at least the latest activities, each for its node, however long ago they ran', async () => {
	const resultOf = async (key: string, node = 'a') => {
		const { result, response } = await deliver(key, node);
		response.end(200);
		await pass();
		return result;
	};
	const run = async (from: number, to: number): Promise<void> => {
		for (let key = from; key < to; key += 1) {
			new Delivery(`${key}`, 'a').response.end(200);
			// Tens of thousands of pending promises would keep the garbage collector busy.
			if (key % 500 === 499) await pass();
		}
	};
	await run(0, MIN_REMEMBERED);
	await pass(LEASE_MS);
	expect([await resultOf('0'), await resultOf('0', 'b')]).toEqual(['duplicate', 'claimed']);
	await run(MIN_REMEMBERED, 2 * MIN_REMEMBERED);
	const { rememberedActivities } = duplicates.stats();
	expect(rememberedActivities).toBeLessThanOrEqual(2 * MIN_REMEMBERED);
	expect(await resultOf(`${MIN_REMEMBERED + 2}`)).toBe('duplicate');
	expect(await resultOf('0')).toBe('claimed');
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
			duplicates = new Duplicates(SLOTS);
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
					if (result === 'gone') expect(response.isGone).toBe(true);
					if (!result) expect(performance.now() - sentAt).toBeLessThanOrEqual(WAIT_MS + CHECK_MS);
				}
				expect(sent.filter(({ result }) => !result).length).toBe(
					duplicates.stats().waitingDuplicates,
				);
				expect(duplicates.stats().waitingDuplicates).toBeLessThanOrEqual(SLOTS);
			};
			for (const one of steps) {
				if ('send' in one) sent.push(new Delivery(one.send, 'node', one.isGone));
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
			await pass(CHECK_MS);
			for (const { isOpen, response } of sent) if (isOpen) response.end(500);
			await pass(WAIT_MS);
			check();
			expect(duplicates.stats()).toMatchObject(NO_CLAIMS);
			for (const key of ['a', 'b']) {
				const expected = wasTaken(key) ? 'duplicate' : 'claimed';
				expect((await deliver(key)).result).toBe(expected);
			}
		}),
		{ numRuns: tries(50) },
	);
});

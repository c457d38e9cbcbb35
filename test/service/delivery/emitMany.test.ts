import { emitMany } from '../../../tools/service/delivery/emitMany';
import type { LedgerEntry } from '../../../tools/service';
import { receiver, service } from '../testing/fixture';

const numbered = (count: number) =>
	Array.from({ length: count }, (_, n) => ({ type: 'paused', n }));
const entry: LedgerEntry = {
	hookId: 'hoo_1',
	activityId: undefined,
	type: 'paused',
	targetUrl: 'http://receiver.example',
	status: 200,
	error: undefined,
	sent: true,
	ms: 1,
	attempt: 1,
	at: '2026-03-02T08:00:00.000Z',
	final: true,
};

/** Runs `emitMany` with asynchronous deliveries, and records their order and concurrency. */
async function observe(count: number, options: Parameters<typeof emitMany>[2]) {
	const order: unknown[] = [];
	const watch = { read: 0, done: 0, inFlight: 0, maxInFlight: 0, maxAhead: 0 };
	function* source() {
		for (const event of numbered(count)) {
			watch.read += 1;
			watch.maxAhead = Math.max(watch.maxAhead, watch.read - watch.done);
			yield event;
		}
	}
	const summary = await emitMany(
		source(),
		async (event, { copies = 1 }) => {
			order.push(event.n);
			watch.inFlight += 1;
			watch.maxInFlight = Math.max(watch.maxInFlight, watch.inFlight);
			await new Promise((resolve) => setImmediate(resolve));
			watch.inFlight -= 1;
			watch.done += 1;
			return Array.from({ length: copies }, () => entry);
		},
		options,
	);
	return { summary, order, watch };
}

describe('emitMany', () => {
	it('starts events in the given order, with the given concurrency', async () => {
		const { order, watch } = await observe(200, { concurrency: 7 });
		expect(order).toEqual(numbered(200).map(({ n }) => n));
		expect(watch.maxInFlight).toBe(7);
	});

	it('with double, sends a share of the events twice', async () => {
		const { summary } = await observe(100, { double: 0.1 });
		expect(summary).toMatchObject({ events: 100, deliveries: 110, delivered: 110 });
	});

	it('counts attempts by outcome', async () => {
		const target = await receiver();
		target.respond = (_delivery, count) => (count % 2 === 0 ? 200 : 503);
		const running = await service({
			switches: { redeliveries: 1, redeliveryDelayMs: 1 },
		});
		running.addHook({ targetUrl: target.url });
		const summary = await running.emitMany(numbered(10), { concurrency: 1 });
		expect(summary).toMatchObject({
			events: 10,
			deliveries: 10,
			delivered: 10,
			failed: 0,
			attempts: 20,
			outcomes: { '200': 10, '503': 10 },
		});
	});
});

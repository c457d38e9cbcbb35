/**
 * What the local service makes of how a receiver responds to a delivery (§6.7). Against a local service and a receiver
 * that the test starts.
 */
import { useRealTime } from '../../clock';
import { receiver, service } from '../testing/fixture';
import type { SwitchChanges } from '../../../tools/service/index';

useRealTime();

afterEach(() => {
	jest.restoreAllMocks();
});

/** Starts a service with a webhook whose receiver responds with these statuses in turn, then with 200. */
async function respondingWith(statuses: (number | undefined)[], switches: SwitchChanges = {}) {
	const target = await receiver();
	target.respond = (_delivery, count) => (count <= statuses.length ? statuses[count - 1] : 200);
	const running = await service({ switches: { redeliveryDelayMs: 1, ...switches } });
	const hook = running.addHook({ targetUrl: target.url });
	return { target, running, hook };
}

describe('§6.7 delivery attempts', () => {
	it('are in the ledger with webhook, activity, target URL, status and duration', async () => {
		const { target, running, hook } = await respondingWith([]);
		const [entry, ...others] = await running.emit({ type: 'paused', _id: 'act_1' });
		expect(others).toEqual([]);
		expect(entry).toMatchObject({
			hookId: hook._id,
			activityId: 'act_1',
			type: 'paused',
			targetUrl: target.url,
			status: 200,
			error: undefined,
			attempt: 1,
			final: true,
		});
		expect(entry?.ms).toBeGreaterThan(0);
		expect(running.ledger).toEqual([entry]);
	});

	it('disconnect early in a share of the first attempts, and not in the retries', async () => {
		const { running } = await respondingWith([undefined, undefined, undefined, 200], {
			deliveryTimeoutMs: 600,
			disconnectShare: 0.5,
			redeliveries: 1,
			redeliveryDelayMs: 1,
		});
		const timeout = jest.spyOn(AbortSignal, 'timeout');
		const [patient] = await running.emit({ type: 'paused' });
		const [impatient] = await running.emit({ type: 'resumed' });
		expect(patient).toMatchObject({ error: 'timed out' });
		expect(impatient).toMatchObject({ error: 'timed out' });
		// Only the first attempt of the second delivery waits for less time.
		expect(timeout.mock.calls).toEqual([[600], [600], [500], [600]]);
	});
});

describe('§6.7 retries', () => {
	it('repeat the same body until the receiver accepts it', async () => {
		const { target, running } = await respondingWith([500, 404], { redeliveries: 5 });
		const attempts = await running.emit({ type: 'paused' });
		expect(attempts.map(({ status, attempt, final }) => [status, attempt, final])).toEqual([
			[500, 1, false],
			[404, 2, false],
			[200, 3, true],
		]);
		const [first, second, third] = target.received.map(({ body }) => body);
		expect([second, third]).toEqual([first, first]);
	});

	it.each([
		['notOk', 3],
		['serverError', 2],
	] as const)(
		'with redeliverOn %s, lead to %i attempts for a 500, a 404 and a 200',
		async (redeliverOn, attempts) => {
			const { running } = await respondingWith([500, 404], { redeliveries: 5, redeliverOn });
			expect(await running.emit({ type: 'paused' })).toHaveLength(attempts);
		},
	);

	it('wait for redeliveryDelayMs, and longer by redeliveryFactor each time', async () => {
		const { running } = await respondingWith([500, 500], {
			redeliveries: 2,
			redeliveryDelayMs: 60,
			redeliveryFactor: 3,
		});
		const attempts = await running.emit({ type: 'paused' });
		const [first = 0, second = 0, third = 0] = attempts.map(({ at }) => Date.parse(at));
		// Only lower bounds, because a busy machine makes waits longer; a little less, because timers and clocks round.
		expect(second - first).toBeGreaterThanOrEqual(57);
		expect(third - second).toBeGreaterThanOrEqual(177);
	});

	it.each([
		['deleting', 'removeHook', 'webhook deleted'],
		['disabling', 'disableHook', 'webhook disabled'],
	] as const)(
		'§6.3.3 %s the webhook also cancels deliveries that have not been sent yet',
		async (_, end, error) => {
			const { target, running, hook } = await respondingWith([undefined], {
				deliveryTimeoutMs: 200,
			});
			// One more than are in flight at once, of which the receiver accepts none.
			const inFlight = running.emit({ type: 'paused' }, { copies: 64 });
			const waiting = running.emit({ type: 'resumed' });
			running[end](hook._id);
			await inFlight;
			expect(await waiting).toMatchObject([{ error, final: true }]);
			expect(target.received.map(({ body }) => body.type)).not.toContain('resumed');
		},
	);
});

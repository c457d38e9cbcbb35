import { callApi } from '../testing/apiClient';
import { receiver, service } from '../testing/fixture';
import type { SwitchChanges } from '../../../tools/service/index';

/** A service with one hook whose receiver answers with these statuses in turn, then 200. */
async function answering(statuses: (number | undefined)[], switches: SwitchChanges = {}) {
	const target = await receiver();
	target.answer = (_delivery, count) => (count <= statuses.length ? statuses[count - 1] : 200);
	const running = await service({ switches: { redeliveryDelayMs: 1, ...switches } });
	const hook = running.addHook({ targetUrl: target.url });
	return { target, running, hook };
}
const gone = 'http://127.0.0.1:9/nobody';

describe('§6.7 the ledger', () => {
	it('has hook, activity, address, status and time of each attempt', async () => {
		const { target, running, hook } = await answering([]);
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

	it('says why there was no answer', async () => {
		const running = await service();
		running.addHook({ targetUrl: gone });
		const [entry] = await running.emit({ type: 'paused' });
		expect(entry).toMatchObject({ status: undefined, error: 'ECONNREFUSED' });
	});

	it('keeps the newest entries only, however many there were', async () => {
		const target = await receiver();
		const running = await service({ ledgerSize: 5 });
		running.addHook({ targetUrl: target.url });
		for (let n = 1; n <= 23; n++) await running.emit({ type: 'paused', _id: `act_${n}` });
		const kept = running.ledger.map(({ activityId }) => activityId);
		expect(kept).toEqual(['act_19', 'act_20', 'act_21', 'act_22', 'act_23']);
	});

	it('a redirect is an answer, and not followed', async () => {
		const { target, running } = await answering([307]);
		expect(await running.emit({ type: 'paused' })).toMatchObject([{ status: 307 }]);
		expect(target.received).toHaveLength(1);
	});

	it('deliveryTimeoutMs: a receiver that does not answer in time is given up', async () => {
		const { running } = await answering([undefined], { deliveryTimeoutMs: 50 });
		expect(await running.emit({ type: 'paused' })).toMatchObject([{ error: 'timed out' }]);
	});

	it('deliveryConcurrency: no more under way at once', async () => {
		const { target, running } = await answering([undefined, 200], {
			deliveryConcurrency: 1,
			deliveryTimeoutMs: 700,
		});
		const first = running.emit({ type: 'paused' });
		const second = running.emit({ type: 'resumed' });
		await first;
		expect(target.received).toHaveLength(1);
		await second;
		expect(target.received).toHaveLength(2);
	});
});

describe('§6.7 redelivery', () => {
	it('there is none unless told otherwise', async () => {
		const { running } = await answering([500]);
		expect(await running.emit({ type: 'paused' })).toMatchObject([{ status: 500, final: true }]);
	});

	it('redeliveries: tries again until it is taken, with the same body', async () => {
		const { target, running } = await answering([500, 404], { redeliveries: 5 });
		const attempts = await running.emit({ type: 'paused' });
		expect(attempts.map(({ status, attempt, final }) => [status, attempt, final])).toEqual([
			[500, 1, false],
			[404, 2, false],
			[200, 3, true],
		]);
		const [first, second, third] = target.received.map(({ body }) => body);
		expect([second, third]).toEqual([first, first]);
	});

	it('redeliveries: gives up after so many', async () => {
		const { running } = await answering([500, 500, 500, 500], { redeliveries: 2 });
		expect(await running.emit({ type: 'paused' })).toHaveLength(3);
	});

	it.each([
		['notOk', 3],
		['serverError', 2],
		['noAnswer', 1],
	] as const)('redeliverOn %s', async (redeliverOn, attempts) => {
		const { running } = await answering([500, 404], { redeliveries: 5, redeliverOn });
		expect(await running.emit({ type: 'paused' })).toHaveLength(attempts);
	});

	it('redeliverOn noAnswer: tries again when there was none', async () => {
		const { running } = await answering([undefined], {
			redeliveries: 1,
			redeliverOn: 'noAnswer',
			deliveryTimeoutMs: 700,
		});
		const attempts = await running.emit({ type: 'paused' });
		expect(attempts.map(({ status }) => status)).toEqual([undefined, 200]);
	});

	it('redeliveryDelayMs and redeliveryFactor: each wait is longer by the factor', async () => {
		const { running } = await answering([500, 500], {
			redeliveries: 2,
			redeliveryDelayMs: 60,
			redeliveryFactor: 3,
		});
		const attempts = await running.emit({ type: 'paused' });
		const [first = 0, second = 0, third = 0] = attempts.map(({ at }) => Date.parse(at));
		// Only lower bounds, less a little for timers and clocks that round: a busy machine makes waits longer.
		expect(second - first).toBeGreaterThanOrEqual(57);
		expect(third - second).toBeGreaterThanOrEqual(177);
	});

	it('§6.3.3 deleting the hook ends it', async () => {
		const { target, running, hook } = await answering([500], {
			redeliveries: 1,
			redeliveryDelayMs: 50,
		});
		const emission = running.emit({ type: 'paused' });
		target.answer = () => {
			running.removeHook(hook._id);
			return 500;
		};
		expect((await emission).at(-1)?.final).toBe(true);
		expect(target.received).toHaveLength(1);
	});

	it('§6.3.3 deleting the hook also ends what has not been sent yet', async () => {
		const { target, running, hook } = await answering([undefined], {
			deliveryConcurrency: 1,
			deliveryTimeoutMs: 200,
		});
		const emissions = ['paused', 'resumed'].map((type) => running.emit({ type }));
		running.removeHook(hook._id);
		const [, second] = await Promise.all(emissions);
		expect(second).toMatchObject([{ error: 'webhook deleted', final: true }]);
		expect(target.received.map(({ body }) => body.type)).not.toContain('resumed');
	});

	it('stopping the service ends what waits, and what is under way', async () => {
		const waiting = await answering([500], { redeliveries: 1, redeliveryDelayMs: 600_000 });
		const hanging = await answering([undefined]);
		const emissions = [waiting, hanging].map(({ running }) => running.emit({ type: 'paused' }));
		await new Promise((resolve) => setTimeout(resolve, 50));
		await Promise.all([waiting.running.close(), hanging.running.close()]);
		const fates = (await Promise.all(emissions)).map((attempts) => attempts.at(-1)?.error);
		expect(fates).toEqual(['service stopped', 'service stopped']);
	});
});

describe('§3 hooks that are disabled', () => {
	it('disableAfterFailures: after so many failed deliveries in a row', async () => {
		const { running, hook } = await answering([500, 200, 500, 500], { disableAfterFailures: 2 });
		const disabled: boolean[] = [];
		for (let n = 0; n < 4; n++) {
			await running.emit({ type: 'paused' });
			disabled.push(running.hooks()[0]?.disabled ?? false);
		}
		expect(disabled).toEqual([false, false, false, true]);
		expect(await running.emit({ type: 'paused' })).toEqual([]);
		const { json } = await callApi(running, 'GET', '/hooks');
		expect(json).toMatchObject([{ _id: hook._id, disabled: true }]);
	});

	it('never, unless told otherwise: then the field is absent', async () => {
		const { running } = await answering(Array<number>(10).fill(500));
		for (let n = 0; n < 10; n++) await running.emit({ type: 'paused' });
		expect((await callApi(running, 'GET', '/hooks')).text).not.toContain('disabled');
	});
});

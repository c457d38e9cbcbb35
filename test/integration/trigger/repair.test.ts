import type { Fault } from '../../../tools/service';
import { strike, World } from './world';

let world: World;
beforeEach(async () => {
	world = await World.start();
});
afterEach(async () => {
	jest.restoreAllMocks();
	await world.end();
});

const hooks = () => world.service.hooks();

/** An active workflow whose clock strikes when the test says so; its check is due at every strike. */
async function active(events = ['emailsReplied', 'smsReplied']) {
	const host = await world.trigger(events, { repairMinutes: 1 });
	await host.activate();
	const clock = await host.startClock();
	return { host, clock, strike: async () => await strike(host, clock) };
}

describe('A webhook that vanishes while the workflow is active', () => {
	it('is restored, and its deliveries are verified at once', async () => {
		const { host, strike: check } = await active();
		world.service.removeHook(hooks()[0]!._id);
		await check();
		expect(
			hooks()
				.map(({ type }) => type)
				.sort(),
		).toEqual(['emailsReplied', 'smsReplied']);
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.started).toHaveLength(1);
	});

	it('leaves a note in the log when it was restored, and none when all is well', async () => {
		const { clock, strike: check } = await active();
		const warn = jest.spyOn(clock.context.logger, 'warn');
		await check();
		expect(warn).not.toHaveBeenCalled();
		world.service.removeHook(hooks()[0]!._id);
		await check();
		expect(warn.mock.calls).toEqual([
			[
				'Restored the webhooks of "Trigger" at the service: 1 created again, 0 removed.',
				expect.objectContaining({ events: ['emailsReplied'] }),
			],
		]);
	});

	it('is not taken for a loss at the deactivation', async () => {
		const { host, clock, strike: check } = await active();
		world.service.removeHook(hooks()[0]!._id);
		await check();
		const warn = jest.spyOn(clock.context.logger, 'warn');
		await host.deactivate();
		expect(hooks()).toEqual([]);
		expect(warn).not.toHaveBeenCalled();
	});

	it('comes back when it was disabled, and the disabled one goes', async () => {
		const { host, strike: check } = await active();
		world.service.disableHook(hooks()[0]!._id);
		await check();
		expect(hooks()).toHaveLength(2);
		expect(hooks().every(({ disabled }) => !disabled)).toBe(true);
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.started).toHaveLength(1);
	});

	it('comes back once: the next check finds all well, with one request', async () => {
		const { strike: check } = await active();
		world.service.removeHook(hooks()[0]!._id);
		await check();
		const ids = hooks().map(({ _id }) => _id);
		const before = world.service.requests.length;
		await check();
		expect(world.asked(before)).toEqual(['GET /hooks']);
		expect(hooks().map(({ _id }) => _id)).toEqual(ids);
	});

	it('is verified after a repair with a new API key, and so is the one before it', async () => {
		const { host, strike: check } = await active();
		world.service.addApiKey('new-key');
		host.credential.apiKey = 'new-key';
		world.service.removeHook(hooks()[0]!._id);
		await check();
		await world.service.emit({ type: 'emailsReplied' });
		await world.service.emit({ type: 'smsReplied' });
		expect(host.started).toHaveLength(2);
	});

	it('is renewed when only a repair knows it and the API key has changed since', async () => {
		const { host, strike: check } = await active(['emailsReplied']);
		world.service.removeHook(hooks()[0]!._id);
		await check();
		const [repaired] = hooks();
		world.service.addApiKey('new-key');
		host.credential.apiKey = 'new-key';
		await check();
		expect(hooks()).toHaveLength(1);
		expect(hooks()[0]?._id).not.toBe(repaired?._id);
	});
});

describe('The check', () => {
	it('leaves everything as it is while the service is down, and tries again at the next strike', async () => {
		const { host, strike: check } = await active();
		world.service.removeHook(hooks()[0]!._id);
		world.service.addFault({ kind: 'status', status: 401 });
		await check();
		expect(hooks()).toHaveLength(1);
		await world.service.emit({ type: 'smsReplied' });
		expect(host.started).toHaveLength(1);
		await check();
		expect(hooks()).toHaveLength(2);
	});

	it('does nothing after deactivation, even if n8n lets the clock strike once more', async () => {
		const { host, strike: check, clock } = await active();
		await host.deactivate();
		const before = world.service.requests.length;
		await check();
		await clock.close();
		await check();
		expect(world.asked(before)).toEqual([]);
		expect(hooks()).toEqual([]);
	});

	it('is over when n8n closes the trigger, and leaves the webhooks to whoever takes over', async () => {
		const { strike: check, clock } = await active();
		await clock.close();
		world.service.removeHook(hooks()[0]!._id);
		const before = world.service.requests.length;
		await check();
		expect(world.asked(before)).toEqual([]);
		expect(hooks()).toHaveLength(1);
	});

	it('brings nothing back that is being removed at the same moment', async () => {
		const { host, clock } = await active();
		const removal = host.deactivate();
		for (const { strike: hit } of clock.clocks) hit();
		await removal;
		await host.settled();
		expect(hooks()).toEqual([]);
	});

	it('does nothing for a workflow whose activation failed', async () => {
		const host = await world.trigger(['emailsReplied'], { repairMinutes: 1 });
		world.service.addFault({ kind: 'status', status: 400, match: { method: 'POST' } });
		await expect(host.activate()).rejects.toThrow();
		await strike(host, await host.startClock());
		expect(hooks()).toEqual([]);
	});

	it('is switched off by 0 minutes, and in a test run', async () => {
		const off = await world.trigger(['emailsReplied'], { repairMinutes: 0 });
		await off.activate();
		world.service.removeHook(hooks()[0]!._id);
		const since = world.service.requests.length;
		await strike(off, await off.startClock());
		expect(world.asked(since)).toEqual([]);
		const test = await world.trigger(['emailsReplied'], {}, { mode: 'manual' });
		expect((await test.startClock('manual')).clocks).toEqual([]);
	});

	it('strikes every minute at a second of its own', async () => {
		const { clock } = await active();
		expect(clock.clocks).toHaveLength(1);
		expect(clock.clocks[0]?.expression).toMatch(/^[1-5]?\d \* \* \* \* \*$/);
	});
});

it.each<[string, Fault]>([
	['the list', { kind: 'delay', delayMs: 600_000, match: { method: 'GET' } }],
	['a removal', { kind: 'delay', delayMs: 600_000, match: { method: 'DELETE' } }],
])('A check in which the service hangs at %s does not hold up a deactivation', async (_, fault) => {
	const { host, clock } = await active();
	world.service.disableHook(hooks()[0]!._id);
	world.service.addFault(fault);
	const since = world.service.requests.length;
	for (const { strike: begin } of clock.clocks) begin();
	const isHanging = () =>
		world.service.requests.slice(since).some(({ faults }) => faults.length > 0);
	while (!isHanging()) await new Promise((resolve) => setTimeout(resolve, 5));
	await Promise.all([clock.close(), host.deactivate()]);
	expect(hooks()).toEqual([]);
	expect(host.isRemembered).toBe(false);
});

describe('A process that no longer leads', () => {
	it('forgets its nodes after a minute', async () => {
		const { host, clock } = await active();
		await clock.close();
		const now = performance.now();
		jest.spyOn(performance, 'now').mockReturnValue(now + 61_000);
		await active(['networkReplied']);
		expect(host.isRemembered).toBe(false);
	});

	it('keeps a node whose next trigger() began before the last one ended', async () => {
		const { host, clock } = await active();
		await host.startClock('leadershipChange');
		await clock.close();
		const now = performance.now();
		jest.spyOn(performance, 'now').mockReturnValue(now + 61_000);
		await active(['networkReplied']);
		expect(host.isRemembered).toBe(true);
	});
});

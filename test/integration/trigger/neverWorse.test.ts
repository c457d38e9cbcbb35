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
const ids = () => hooks().map(({ _id }) => _id);

async function active(events: string[], options = {}) {
	const host = await world.trigger(events, { repairMinutes: 1, ...options });
	await host.activate();
	const clock = await host.startClock();
	return { host, clock, check: async () => await strike(host, clock) };
}

describe('A repair', () => {
	it('keeps the successors of two disabled webhooks when the removal of one is refused', async () => {
		const { host, check } = await active(['emailsReplied', 'smsReplied']);
		const disabled = ids();
		for (const id of disabled) world.service.disableHook(id);
		world.service.addFault({ kind: 'status', status: 403, match: { method: 'DELETE' } });
		await check();
		const successors = ids().filter((id) => !disabled.includes(id));
		expect(successors).toHaveLength(2);
		expect(hooks()).toHaveLength(3);
		const since = world.service.requests.length;
		await check();
		expect(ids()).toEqual(successors);
		expect(world.asked(since)).toEqual(['GET /hooks', 'DELETE /hooks/:id']);
		for (const type of ['emailsReplied', 'smsReplied']) await world.service.emit({ type });
		expect(host.started).toHaveLength(2);
	});

	it('creates what it can when the service refuses one of several', async () => {
		const { check } = await active(['emailsReplied', 'smsReplied', 'networkReplied']);
		for (const id of ids()) world.service.removeHook(id);
		world.service.addFault({ kind: 'status', status: 400, match: { method: 'POST' } });
		await check();
		expect(hooks()).toHaveLength(2);
		await check();
		expect(hooks()).toHaveLength(3);
	});

	it('does not remove what still delivers while its successor cannot be created', async () => {
		const { check } = await active(['emailsReplied']);
		const [hook] = hooks();
		world.service.removeHook(hook!._id);
		// Somebody restored it by hand: it works as far as the service is concerned.
		const { _id } = world.service.addHook({ targetUrl: hook!.targetUrl, type: 'emailsReplied' });
		world.service.addFault({ kind: 'status', status: 503, match: { method: 'POST' } });
		await check();
		expect(ids()).toEqual([_id]);
		await check();
		expect(ids()).toHaveLength(1);
		expect(ids()).not.toContain(_id);
	});

	it('replaces a disabled webhook where the service limits the number of webhooks', async () => {
		const { host, check } = await active(['emailsReplied', 'smsReplied']);
		world.service.setSwitches({ maxHooks: 2 });
		const [disabled] = ids();
		world.service.disableHook(disabled!);
		await check();
		expect(hooks().map((hook) => hook.disabled)).toEqual([false, false]);
		expect(ids()).not.toContain(disabled);
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.started).toHaveLength(1);
	});

	it('under such a limit removes no webhook that still delivers', async () => {
		const { check } = await active(['emailsReplied', 'smsReplied']);
		const [one, other] = hooks();
		world.service.removeHook(one!._id);
		world.service.addHook({ targetUrl: 'https://somebody.test', type: 'warmed' });
		world.service.setSwitches({ maxHooks: 2 });
		await check();
		expect(ids()).toContain(other!._id);
		expect(hooks()).toHaveLength(2);
	});
});

describe('An activation after a crash', () => {
	it('takes over from its leftovers where the service limits the number of webhooks', async () => {
		world.service.setSwitches({ maxHooks: 2 });
		const host = await world.trigger(['emailsReplied', 'smsReplied']);
		await host.activate();
		const left = ids();
		host.reload(undefined, {});
		await host.activate();
		expect(hooks()).toHaveLength(2);
		expect(ids().some((id) => left.includes(id))).toBe(false);
	});
});

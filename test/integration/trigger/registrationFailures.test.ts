/**
 * A registration that fails: it leaves nothing behind, tells why, and goes on where it failed. The world is a local
 * service and one trigger in one process of n8n.
 */
import { elapsedMs } from '../support/elapsed';
import { useWorld } from '../support/world';

const world = useWorld();

/**
 * How long each attempt of an activation may take, in milliseconds: n8n 2 tries five times, waits 1, 2, 4 and 8 seconds in
 * between, and gives up after 84 seconds in all.
 */
const LONGEST_ATTEMPT_MS = (84_000 - 1_000 - 2_000 - 4_000 - 8_000) / 5;

const FIVE = ['emailsReplied', 'emailsBounced', 'smsReplied', 'dialerEnded', 'paused'];
const POST = { match: { method: 'POST' } } as const;
const DELETE = { match: { method: 'DELETE' } } as const;

describe('A registration that fails halfway', () => {
	// When an activation fails, n8n 2 shows the message alone and n8n 1 the description alone.
	it('removes the webhooks it created, and quotes the service in the message and the description of the error', async () => {
		const host = await world.trigger(FIVE);
		const body = 'A team can have at most 2 webhooks';
		world.service.addFault({ ...POST, kind: 'status', status: 400, body, skip: 2 });
		const reason = expect.stringContaining(`status 400: "${body}"`) as string;
		await expect(host.activate()).rejects.toMatchObject({
			message: reason,
			description: reason,
		});
		expect(world.webhooks).toEqual([]);
		await host.activate();
		expect(world.webhooks).toHaveLength(5);
	});

	it.each([
		[503, /\(status 503\): publish the workflow again later$/],
		[400, /refused the request with status 400$/],
	])('says in its title what to do about a status %i', async (status, message) => {
		const host = await world.trigger(FIVE);
		world.service.addFault({ kind: 'status', status, times: 1000 });
		await expect(host.call('create')).rejects.toThrow(message);
	});

	it('shows what a person must correct rather than a create that is still open', async () => {
		const host = await world.trigger(['emailsReplied', 'smsReplied']);
		world.service.addFault({ ...POST, kind: 'gateway', who: 'timeout' });
		await expect(host.call('create')).rejects.toThrow('status 504');
		await host.call('delete');
		for (const { _id, type } of world.webhooks) {
			if (type === 'smsReplied') world.service.removeHook(_id);
		}
		const body = 'A team can have at most 1 webhook';
		world.service.addFault({ ...POST, kind: 'status', status: 400, body, times: 10 });
		await expect(host.call('create')).rejects.toThrow(body);
	});

	it('refuses the same webhook for two events: only the later one would be delivered', async () => {
		const host = await world.trigger(['emailsReplied', 'smsReplied']);
		const webhook = { _id: 'hoo_same', targetUrl: host.webhookUrl };
		world.respondOnce('POST', webhook);
		world.respondOnce('POST', webhook);
		await expect(host.activate()).rejects.toThrow(/another webhook already has it/);
	});

	it('goes on where it failed when n8n tries again at once', async () => {
		const host = await world.trigger(FIVE);
		world.service.addFault({ ...POST, kind: 'status', status: 500, skip: 2 });
		await expect(host.call('create')).rejects.toThrow('status 500');
		await host.call('delete');
		const before = world.webhookIds;
		expect(before.length).toBeGreaterThan(1);
		await host.call('create');
		expect(world.webhookIds).toEqual(expect.arrayContaining(before));
		expect(world.webhookTypes.sort()).toEqual([...FIVE].sort());
	});

	it('succeeds despite a 429, and a connection that is cut before or after the service created a webhook', async () => {
		const host = await world.trigger(FIVE);
		world.service.addFault({ ...POST, kind: 'status', status: 429, skip: 1 });
		world.service.addFault({ ...POST, kind: 'cut', when: 'before', skip: 2 });
		world.service.addFault({ ...POST, kind: 'cut', when: 'after', skip: 4 });
		await host.activate();
		expect(world.webhookTypes.sort()).toEqual([...FIVE].sort());
		for (const type of FIVE) await world.service.emit({ type });
		expect(host.started).toHaveLength(5);
	});
});

describe('A removal after an activation that failed', () => {
	it('only looks into the list when nothing was registered', async () => {
		const host = await world.trigger(FIVE);
		const warn = world.spyOnWarnings();
		world.service.addFault({ kind: 'status', status: 401 });
		await expect(host.activate()).rejects.toThrow('did not accept the API key');
		expect(world.requests()).toEqual(['GET /hooks', 'GET /hooks']);
		expect(warn).not.toHaveBeenCalled();
	});

	it('logs what could not be removed, and the next activation removes it', async () => {
		const host = await world.trigger(FIVE);
		const warn = world.spyOnWarnings();
		world.service.addFault({ ...POST, kind: 'status', status: 400, skip: 2, times: 5 });
		world.service.addFault({ ...DELETE, kind: 'status', status: 403, times: 1000 });
		await expect(host.activate()).rejects.toThrow('status 400');
		expect(world.webhooks.length).toBeGreaterThan(0);
		expect(warn.mock.calls.map(([text]) => text)).toEqual([
			`The webhooks of "Trigger" could not be removed after the workflow was deactivated: The service refused the request with status 403. They stay at the service: ${world.webhookIds.join(', ')}. The next check or activation of a trigger with the same API key removes them; or use the operation 'Delete'.`,
		]);
		world.service.clearFaults();
		await host.activate();
		expect(world.webhookTypes).toEqual(FIVE);
	});
});

describe('Deactivation', () => {
	it('removes what is registered although the parameters have become unusable', async () => {
		const host = await world.activeTrigger(FIVE);
		host.moveToNewProcess();
		host.reload({ events: FIVE, options: { repairMinutes: 'often' } });
		await host.deactivate();
		expect(world.webhooks).toEqual([]);
	});

	it.each([
		['a 404 and "Webhook not found"', { kind: 'status', status: 404, body: 'Webhook not found' }],
		['an empty 200', { kind: 'status', status: 200, body: '', when: 'after' }],
		['a cut connection after the removal', { kind: 'cut', when: 'after' }],
	] as const)('succeeds when the service responds to the removal with %s', async (_name, fault) => {
		const host = await world.activeTrigger(['emailsReplied']);
		world.service.addFault({ ...DELETE, ...fault });
		const warn = world.spyOnWarnings();
		await host.deactivate();
		expect(world.webhooks.length).toBeLessThanOrEqual('when' in fault ? 0 : 1);
		expect(warn).not.toHaveBeenCalled();
	});

	it('says in the log which webhook remains, and removes the others; the next activation removes that one', async () => {
		const host = await world.activeTrigger(FIVE);
		const warn = world.spyOnWarnings();
		world.service.addFault({ ...DELETE, kind: 'status', status: 403, skip: 1 });
		await host.deactivate();
		expect(world.webhooks).toHaveLength(1);
		const [left] = world.webhooks;
		expect(warn.mock.calls[0]?.[0]).toContain(`They stay at the service: ${left!._id}.`);
		host.reload({ events: ['smsSent'], options: {} });
		await host.activate();
		expect(world.webhookTypes).toEqual(['smsSent']);
	});

	it('removes the webhooks even with no event selected and nothing stored', async () => {
		const host = await world.activeTrigger(['emailsReplied', '*']);
		host.reload({ events: [], options: {} }, {});
		await host.deactivate();
		expect(world.webhooks).toEqual([]);
	});
});

describe('A wrong credential', () => {
	it('is explained in the error, and nothing is registered', async () => {
		const host = await world.trigger(['emailsReplied']);
		host.credential.apiKey = 'wrong';
		await expect(host.activate()).rejects.toMatchObject({
			message: 'The service did not accept the API key',
			description: expect.stringContaining('Copy the key') as string,
		});
		expect(world.webhooks).toEqual([]);
	});

	it('whose base URL is that of a web page is not mistaken for a service without webhooks', async () => {
		const host = await world.trigger(['emailsReplied']);
		world.service.addFault({ kind: 'html', match: { method: 'GET' } });
		await expect(host.call('create')).rejects.toThrow("does not look like the service's API");
		expect(world.requests()).toEqual(['GET /hooks']);
	});
});

it('A service that never responds is named before n8n gives up: nothing was registered, so nothing is asked for twice', async () => {
	const host = await world.trigger(FIVE);
	world.service.addFault({ kind: 'delay', delayMs: 600_000, times: 100 });
	const attemptMs = await elapsedMs(async () => {
		await expect(host.call('create')).rejects.toMatchObject({
			message: expect.stringMatching(
				/ did not respond in time: publish the workflow again later$/,
			) as string,
		});
	});
	expect(attemptMs).toBeLessThan(LONGEST_ATTEMPT_MS);
	await host.call('delete');
	expect(world.requests()).toEqual(['GET /hooks']);
	world.service.clearFaults();
	await host.activate();
	await host.deactivate();
	expect(world.webhooks).toEqual([]);
});

it('An activation waits a few seconds for the rate limit, because another process may use the key', async () => {
	const host = await world.trigger(FIVE);
	world.service.addFault({
		kind: 'status',
		status: 429,
		headers: { 'retry-after': '5' },
		times: 2,
		match: { method: 'POST' },
	});
	expect(await elapsedMs(async () => await host.activate())).toBeGreaterThanOrEqual(5_000);
	expect(world.webhookTypes.sort()).toEqual([...FIVE].sort());
});

it('An activation sends a create that gets no response in time once, so that n8n can try five times', async () => {
	const host = await world.trigger(['emailsReplied']);
	world.service.addFault({
		kind: 'delay',
		delayMs: 600_000,
		times: 10,
		match: { method: 'POST' },
	});
	const attemptMs = await elapsedMs(async () => {
		await expect(host.call('create')).rejects.toMatchObject({
			message: expect.stringMatching(/did not respond in time/) as string,
			description: expect.stringMatching(/Whether the webhook was created is not known/) as string,
		});
	});
	expect(attemptMs).toBeLessThan(LONGEST_ATTEMPT_MS);
	expect(world.requests().filter((line) => line.startsWith('POST'))).toHaveLength(1);
});

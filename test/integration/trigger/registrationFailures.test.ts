import { useWorld } from '../support/world';
import { UNKNOWN_HOST } from '../support/unknownHost';

const world = useWorld();

const FIVE = ['emailsReplied', 'emailsBounced', 'smsReplied', 'dialerEnded', 'paused'];
const POST = { match: { method: 'POST' } } as const;
const DELETE = { match: { method: 'DELETE' } } as const;

describe('A registration that fails halfway', () => {
	it('removes the webhooks it created, and says why it failed', async () => {
		const host = await world.trigger(FIVE);
		world.service.addFault({ ...POST, kind: 'status', status: 400, body: 'Bad team', skip: 2 });
		await expect(host.call('create')).rejects.toMatchObject({
			message: 'The service does not know the team of this API key',
		});
		expect(world.webhooks).toEqual([]);
		expect(host.staticData).toEqual({});
		await host.activate();
		expect(world.webhooks).toHaveLength(5);
	});

	// When an activation fails, n8n 2 shows the message alone and n8n 1 the description alone.
	it('quotes the service in the message of the error, and in its description too', async () => {
		const host = await world.trigger(FIVE);
		const body = 'A team can have at most 2 webhooks';
		world.service.addFault({ ...POST, kind: 'status', status: 400, body, skip: 2 });
		const reason = expect.stringContaining(`status 400: "${body}"`) as string;
		await expect(host.call('create')).rejects.toMatchObject({
			message: reason,
			description: reason,
		});
	});

	it('keeps the webhooks that existed before', async () => {
		const host = await world.activeTrigger(FIVE.slice(0, 2));
		const before = world.webhooks;
		host.reload({ events: FIVE, options: {} });
		world.service.addFault({ ...POST, kind: 'status', status: 500, skip: 1 });
		await expect(host.call('create', 'update')).rejects.toThrow(
			'The service could not carry out the request (status 500)',
		);
		expect(world.webhooks).toEqual(before);
	});

	it('leaves webhooks behind if the service refuses to remove them; the next activation finds them by their target URL', async () => {
		const host = await world.trigger(FIVE);
		world.service.addFault({ ...POST, kind: 'status', status: 400, skip: 3 });
		world.service.addFault({ ...DELETE, kind: 'status', status: 400, times: 2 });
		await expect(host.call('create')).rejects.toThrow();
		expect(world.webhooks.length).toBeGreaterThan(0);
		await host.activate();
		expect(world.webhookTypes).toEqual(FIVE);
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
	it('asks the service nothing when the list has just failed, even if webhooks are registered', async () => {
		const host = await world.activeTrigger(FIVE);
		world.service.addFault({ kind: 'status', status: 403, times: 1000 });
		await expect(host.deactivate()).rejects.toThrow('did not accept the API key');
		await expect(host.call('create')).rejects.toThrow('did not accept the API key');
		const since = world.service.requests.length;
		await host.call('delete');
		expect(world.requests(since)).toEqual([]);
		world.service.clearFaults();
		host.reload({ events: ['smsSent'], options: {} });
		await host.activate();
		expect(world.webhookTypes).toEqual(['smsSent']);
	});

	it('logs what could not be removed, and the next activation removes it', async () => {
		const host = await world.trigger(FIVE);
		const warn = world.spyOnWarnings();
		world.service.addFault({ ...POST, kind: 'status', status: 400, skip: 2, times: 5 });
		world.service.addFault({ ...DELETE, kind: 'status', status: 403, times: 1000 });
		await expect(host.activate()).rejects.toThrow('status 400');
		expect(warn.mock.calls.at(-1)?.[0]).toMatch(
			/^The webhook hoo_\w+ \(http.+\) was created by a change that failed, and could not be removed: The service did not accept/,
		);
		expect(world.webhooks.length).toBeGreaterThan(0);
		world.service.clearFaults();
		await host.activate();
		expect(world.webhookTypes).toEqual(FIVE);
	});

	it('is not confused with a later deactivation, whose failure n8n must see', async () => {
		const host = await world.trigger(FIVE);
		world.service.addFault({ ...POST, kind: 'status', status: 400, times: 5 });
		await expect(host.activate()).rejects.toThrow('status 400');
		world.service.clearFaults();
		await host.activate();
		world.service.addFault({ ...DELETE, kind: 'status', status: 403 });
		await expect(host.deactivate()).rejects.toThrow('did not accept the API key');
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
		[
			'"Webhook not found" and another status',
			{ kind: 'status', status: 400, body: 'Webhook not found' },
		],
		['a 204', { kind: 'status', status: 204, body: '', when: 'after' }],
		['an empty 200', { kind: 'status', status: 200, body: '', when: 'after' }],
		['a cut connection after the removal', { kind: 'cut', when: 'after' }],
		['a cut connection before the removal', { kind: 'cut', when: 'before' }],
		['a single 500', { kind: 'status', status: 500 }],
	] as const)('succeeds when the service responds to the removal with %s', async (_name, fault) => {
		const host = await world.activeTrigger(['emailsReplied']);
		world.service.addFault({ ...DELETE, ...fault });
		await expect(host.call('delete')).resolves.toBe(true);
		expect(host.staticData).toEqual({});
	});

	it('ends the checks, even if it fails: nothing is restored any more', async () => {
		const host = await world.activeTrigger(FIVE, { repairMinutes: 1 });
		const { check } = await host.startTrigger();
		world.service.addFault({ kind: 'status', status: 401 });
		await expect(host.deactivate()).rejects.toThrow('did not accept the API key');
		world.service.removeHook(world.webhookIds[0]!);
		const since = world.service.requests.length;
		await check();
		expect(world.requests(since)).toEqual([]);
	});

	it('fails when a webhook remains, but removes the others, and keeps it stored until it is removed', async () => {
		const host = await world.activeTrigger(FIVE);
		world.service.addFault({ ...DELETE, kind: 'status', status: 403, skip: 1 });
		await expect(host.call('delete')).rejects.toThrow('The service did not accept the API key');
		expect(world.webhooks).toHaveLength(1);
		const [left] = world.webhooks;
		expect(JSON.stringify(host.savedStaticData)).toContain(left!._id);
		host.reload();
		await host.call('delete');
		expect(world.webhooks).toEqual([]);
		expect(host.staticData).toEqual({});
	});

	it('keeps the stored webhooks when the service refuses to list any', async () => {
		const host = await world.activeTrigger(['emailsReplied']);
		world.service.addFault({ kind: 'status', status: 401, times: 1 });
		await expect(host.call('delete')).rejects.toThrow();
		expect(host.staticData).not.toEqual({});
		await host.call('delete');
		expect(world.webhooks).toEqual([]);
	});

	it('removes the webhooks even with no event selected and nothing stored', async () => {
		const host = await world.activeTrigger(['emailsReplied', '*']);
		host.reload({ events: [], options: {} }, {});
		await host.call('delete');
		expect(world.webhooks).toEqual([]);
	});
});

describe('A wrong credential', () => {
	it.each([
		['a wrong key', { apiKey: 'wrong' }, 'The service did not accept the API key'],
		['no key', { apiKey: ' ' }, "The 'API Key' of the credential cannot be used"],
		[
			'an invalid base URL',
			{ baseUrl: 'example.com' },
			"The 'Base URL' of the credential cannot be used",
		],
		[
			'a base URL where nothing listens',
			{ baseUrl: 'http://127.0.0.1:9/api' },
			'Nothing is listening at 127.0.0.1:9',
		],
		[
			'an unknown host',
			{ baseUrl: `http://${UNKNOWN_HOST}/api` },
			`The host ${UNKNOWN_HOST} could not be found`,
		],
	])('(%s) is explained in the error, and nothing is registered', async (_name, wrong, message) => {
		const host = await world.trigger(['emailsReplied']);
		Object.assign(host.credential, wrong);
		await expect(host.activate()).rejects.toMatchObject({
			message,
			description: expect.stringMatching(/credential|Copy the key|complete URL/) as string,
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
	const from = performance.now();
	await expect(host.activate()).rejects.toMatchObject({
		message: expect.stringMatching(/ did not respond in time$/) as string,
	});
	// n8n tries five times, with pauses of 15 seconds in all, and gives up after 84 seconds.
	expect((performance.now() - from) * 5 + 15_000).toBeLessThan(84_000);
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
	const from = performance.now();
	await host.activate();
	expect(performance.now() - from).toBeGreaterThanOrEqual(5_000);
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
	const from = performance.now();
	await expect(host.activate()).rejects.toMatchObject({
		message: expect.stringMatching(/did not respond in time/) as string,
		description: expect.stringMatching(/Whether the webhook was created is not known/) as string,
	});
	// n8n 2 waits 1, 2, 4 and 8 seconds between the five.
	expect((performance.now() - from) * 5 + 15_000).toBeLessThan(84_000);
	expect(world.requests().filter((line) => line.startsWith('POST'))).toHaveLength(1);
});

import { World } from './world';

let world: World;
beforeEach(async () => {
	world = await World.start();
});
afterEach(async () => {
	await world.end();
});

const FIVE = ['emailsReplied', 'emailsBounced', 'smsReplied', 'dialerEnded', 'paused'];
const POST = { match: { method: 'POST' } } as const;
const DELETE = { match: { method: 'DELETE' } } as const;

describe('A registration that fails halfway', () => {
	it('takes back what it made, and says why', async () => {
		const host = await world.trigger(FIVE);
		world.service.addFault({ ...POST, kind: 'status', status: 400, body: 'Bad team', skip: 2 });
		await host.call('checkExists');
		await expect(host.call('create')).rejects.toMatchObject({
			message: 'The service does not know the team of this API key',
		});
		expect(world.service.hooks()).toEqual([]);
		expect(host.staticData).toEqual({});
		await host.activate();
		expect(world.service.hooks()).toHaveLength(5);
	});

	// When an activation fails, n8n 2 shows the message alone and n8n 1 the description alone.
	it("says what the service said in the error's message, and in its description too", async () => {
		const host = await world.trigger(FIVE);
		const body = 'A team can have at most 2 webhooks';
		world.service.addFault({ ...POST, kind: 'status', status: 400, body, skip: 2 });
		await host.call('checkExists');
		const reason = expect.stringContaining(`status 400: "${body}"`) as string;
		await expect(host.call('create')).rejects.toMatchObject({
			message: reason,
			description: reason,
		});
	});

	it('leaves the webhooks alone that were there before', async () => {
		const host = await world.trigger(FIVE.slice(0, 2));
		await host.activate();
		const before = world.service.hooks();
		host.reload({ events: FIVE, options: {} });
		world.service.addFault({ ...POST, kind: 'status', status: 500, skip: 1 });
		await host.call('checkExists', 'update');
		await expect(host.call('create', 'update')).rejects.toThrow(
			'The service could not carry out the request (status 500)',
		);
		expect(world.service.hooks()).toEqual(before);
	});

	it('finds what could not be taken back by its address the next time', async () => {
		const host = await world.trigger(FIVE);
		world.service.addFault({ ...POST, kind: 'status', status: 400, skip: 3 });
		world.service.addFault({ ...DELETE, kind: 'status', status: 400, times: 2 });
		await expect(host.call('create')).rejects.toThrow();
		expect(world.service.hooks().length).toBeGreaterThan(0);
		await host.activate();
		expect(world.service.hooks().map(({ type }) => type)).toEqual(FIVE);
	});

	it('comes through a 429 in the middle, and a cut connection before or after the work', async () => {
		const host = await world.trigger(FIVE);
		world.service.addFault({ ...POST, kind: 'status', status: 429, skip: 1 });
		world.service.addFault({ ...POST, kind: 'cut', when: 'before', skip: 2 });
		world.service.addFault({ ...POST, kind: 'cut', when: 'after', skip: 4 });
		await host.activate();
		expect(
			world.service
				.hooks()
				.map(({ type }) => type)
				.sort(),
		).toEqual([...FIVE].sort());
		for (const type of FIVE) await world.service.emit({ type });
		expect(host.started).toHaveLength(5);
	});
});

describe('Deactivation', () => {
	it.each([
		['404 and the text', { kind: 'status', status: 404, body: 'Webhook not found' }],
		['the text alone', { kind: 'status', status: 400, body: 'Webhook not found' }],
		['204', { kind: 'status', status: 204, body: '', when: 'after' }],
		['an empty 200', { kind: 'status', status: 200, body: '', when: 'after' }],
		['a cut connection after the work', { kind: 'cut', when: 'after' }],
		['a cut connection before the work', { kind: 'cut', when: 'before' }],
		['a 500 that passes', { kind: 'status', status: 500 }],
	] as const)('is done when the removal is answered with %s', async (_name, fault) => {
		const host = await world.trigger(['emailsReplied']);
		await host.activate();
		world.service.addFault({ ...DELETE, ...fault });
		await expect(host.call('delete')).resolves.toBe(true);
		expect(host.staticData).toEqual({});
	});

	it('throws when a webhook remains, removes the others, and remembers it until it is gone', async () => {
		const host = await world.trigger(FIVE);
		await host.activate();
		world.service.addFault({ ...DELETE, kind: 'status', status: 403, skip: 1 });
		await expect(host.call('delete')).rejects.toThrow('The service did not accept the API key');
		expect(world.service.hooks()).toHaveLength(1);
		const [left] = world.service.hooks();
		expect(JSON.stringify(host.savedStaticData)).toContain(left!._id);
		host.reload();
		await host.call('delete');
		expect(world.service.hooks()).toEqual([]);
		expect(host.staticData).toEqual({});
	});

	it('keeps its memory when the service cannot be asked at all', async () => {
		const host = await world.trigger(['emailsReplied']);
		await host.activate();
		world.service.addFault({ kind: 'status', status: 401, times: 1 });
		await expect(host.call('delete')).rejects.toThrow();
		expect(host.staticData).not.toEqual({});
		await host.call('delete');
		expect(world.service.hooks()).toEqual([]);
	});

	it('works with nothing selected any more, and without any memory', async () => {
		const host = await world.trigger(['emailsReplied', '*']);
		await host.activate();
		host.reload({ events: [], options: {} }, {});
		await host.call('delete');
		expect(world.service.hooks()).toEqual([]);
	});
});

describe('A wrong credential', () => {
	it.each([
		['a wrong key', { apiKey: 'wrong' }, 'The service did not accept the API key'],
		['no key', { apiKey: ' ' }, "The 'API Key' of the credential cannot be used"],
		['no address', { baseUrl: 'example.com' }, "The 'Base URL' of the credential cannot be used"],
		[
			'an address without a service',
			{ baseUrl: 'http://127.0.0.1:9/api' },
			'Nothing is listening at 127.0.0.1:9',
		],
		[
			'an unknown name',
			{ baseUrl: 'http://no.such.invalid/api' },
			'The host no.such.invalid could not be found',
		],
	])('(%s) is told in words, and nothing is registered', async (_name, wrong, message) => {
		const host = await world.trigger(['emailsReplied']);
		Object.assign(host.credential, wrong);
		await expect(host.activate()).rejects.toMatchObject({
			message,
			description: expect.stringMatching(/credential|Copy the key|full address/) as string,
		});
		expect(world.service.hooks()).toEqual([]);
	});

	it('that names a web page is not taken for a service without webhooks', async () => {
		const host = await world.trigger(['emailsReplied']);
		world.service.addFault({ kind: 'html', match: { method: 'GET' } });
		await expect(host.call('checkExists')).rejects.toThrow("does not look like the service's API");
		expect(world.asked()).toEqual(['GET /hooks']);
	});
});

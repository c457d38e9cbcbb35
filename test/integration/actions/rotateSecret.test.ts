import { byId, jsonOf } from '../support/action';
import { like, textLike } from '../support/matchers';
import { useWorld } from '../support/world';

const world = useWorld();

const SECRET = 'the-new-secret-0123456789';
const SETTINGS = { type: 'emailsReplied', campaignId: 'cam_1', isFirst: true, toolLinkId: 42 };
const rotate = async (id: string, more = {}) =>
	await world.run('rotateSecret', { webhookId: byId(id), secret: SECRET, ...more });
const failRotate = async (id: string) => {
	const error = await world.fail('rotateSecret', { webhookId: byId(id), secret: SECRET });
	expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(SECRET);
	return error;
};
/** A failure that is not repeated. */
const refuse = (method: string, more = {}) =>
	world.service.addFault({ kind: 'status', status: 400, body: 'No', match: { method }, ...more });
/** The connection is cut until the node gives up. */
const cut = (method: string, when: 'before' | 'after', more = {}) =>
	world.service.addFault({ kind: 'cut', when, match: { method }, times: 4, ...more });

describe('Rotate Secret', () => {
	it('makes a successor with the same settings before the old webhook goes', async () => {
		const { _id } = world.addWebhook({ ...SETTINGS, secret: 'old' });
		const items = await rotate(_id);
		const [webhook] = world.webhooks;
		expect(world.webhooks).toEqual([expect.objectContaining({ ...SETTINGS, hasSecret: true })]);
		expect(items).toEqual([
			{
				json: {
					...SETTINGS,
					_id: hook?._id,
					targetUrl: hook?.targetUrl,
					createdAt: hook?.createdAt,
					secret: SECRET,
					replacedWebhookId: _id,
				},
				pairedItem: { item: 0 },
			},
		]);
		expect(webhook?._id).not.toBe(_id);
		expect(world.requests()).toEqual(['GET /hooks', 'POST /hooks', 'DELETE /hooks/:id']);
		expect(JSON.stringify(items).split(SECRET)).toHaveLength(2);
	});

	it('makes a long random secret, another one each time, when none is given', async () => {
		const secrets = new Set<unknown>();
		for (let i = 0; i < 3; i++) {
			const [item] = jsonOf(await rotate(world.addWebhook()._id, { secret: '' }));
			expect(item?.secret).toMatch(/^[0-9a-f]{64}$/);
			secrets.add(item?.secret);
		}
		expect(secrets.size).toBe(3);
	});

	it('names a webhook that is not there, and makes none', async () => {
		world.addWebhook();
		expect((await failRotate('hoo_gone')).message).toBe('The webhook hoo_gone was not found');
		expect(world.requests()).toEqual(['GET /hooks']);
	});

	it('makes one successor when two items name the same webhook, and says of the second that it is gone', async () => {
		const { _id } = world.addWebhook();
		const items = await world.run(
			'rotateSecret',
			{ webhookId: byId(_id), secret: SECRET },
			{ items: [{}, {}], continueOnFail: true },
		);
		expect(world.webhooks).toHaveLength(1);
		expect(jsonOf(items)).toEqual([
			like({ replacedWebhookId: _id }),
			{ error: textLike(new RegExp(`^The webhook ${_id} was not found`)) },
		]);
	});

	it('leaves the old webhook alone when the successor is refused', async () => {
		const { _id } = world.addWebhook();
		refuse('POST');
		const error = await failRotate(_id);
		expect(error.description).toMatch(
			`The webhook ${_id} is still there with its old secret. Check the values of the node`,
		);
		expect(world.webhookIds).toEqual([_id]);
	});

	it('says so when nobody can tell whether the successor was made', async () => {
		const { _id } = world.addWebhook();
		cut('POST', 'after');
		cut('GET', 'before', { skip: 1 });
		const error = await failRotate(_id);
		expect(error.description).toMatch(`The webhook ${_id} is still there with its old secret.`);
		expect(error.description).toMatch('Whether the webhook was created is not known');
		expect(world.webhookIds).toContain(_id);
	}, 20_000);

	it('takes the old webhook for no successor when the create is cut off before it worked', async () => {
		const { _id } = world.addWebhook();
		world.service.addFault({ kind: 'cut', match: { method: 'POST' } });
		await rotate(_id);
		expect(world.webhookIds).toHaveLength(1);
		expect(world.webhookIds).not.toContain(_id);
	});

	it('takes the successor away again when the old webhook cannot be removed', async () => {
		const { _id } = world.addWebhook();
		refuse('DELETE');
		const error = await failRotate(_id);
		expect(error.description).toMatch(/could not be removed, so it is still in force with its old/);
		expect(world.webhookIds).toEqual([_id]);
	});

	it('keeps the successor when the removal worked although no answer ever came', async () => {
		const { _id } = world.addWebhook();
		cut('DELETE', 'before', { times: 3 });
		cut('DELETE', 'after', { times: 1 });
		const [item] = jsonOf(await rotate(_id));
		expect(world.webhookIds).toEqual([item?._id]);
	}, 20_000);

	it('names both webhooks when neither can be removed', async () => {
		const { _id } = world.addWebhook();
		refuse('DELETE', { times: 2 });
		const error = await failRotate(_id);
		const successor = world.webhookIds[1]!;
		expect(error.description).toMatch(`Neither the webhook ${_id} nor its successor ${successor}`);
	});

	it('removes none when the service can no longer be asked which are there', async () => {
		const { _id } = world.addWebhook();
		refuse('DELETE');
		refuse('GET', { skip: 1 });
		const error = await failRotate(_id);
		const successor = world.webhookIds[1]!;
		expect(error.description).toMatch(`The webhook ${successor} with the new secret has taken`);
		expect(world.webhookIds).toEqual([_id, successor]);
	});
});

describe('Rotate Secret at a service that allows an address only once', () => {
	it.each([409, 400, 422])('removes the old webhook first (refusal with %d)', async (status) => {
		world.service.setSwitches({ hookUrls: 'oncePerTeam', duplicateStatus: status });
		const { _id } = world.addWebhook({ ...SETTINGS, secret: 'old' });
		const [item] = jsonOf(await rotate(_id));
		expect(world.webhooks).toEqual([
			expect.objectContaining({ ...SETTINGS, _id: item?._id, hasSecret: true }),
		]);
		expect(item).toMatchObject({ secret: SECRET, replacedWebhookId: _id });
		expect(world.requests()).toEqual([
			'GET /hooks',
			'POST /hooks',
			'DELETE /hooks/:id',
			'POST /hooks',
		]);
	});

	const once = () => {
		world.service.setSwitches({ hookUrls: 'oncePerTeam' });
		return world.addWebhook({ ...SETTINGS, secret: 'old' })._id;
	};

	it('keeps the old webhook when it cannot be removed', async () => {
		const id = once();
		refuse('DELETE');
		const error = await failRotate(id);
		expect(error.description).toMatch(`The webhook ${id} has to be removed first`);
		expect(world.webhookIds).toEqual([id]);
	});

	it('tries again when the service fails to make the successor', async () => {
		const id = once();
		world.service.addFault({ kind: 'status', status: 500, skip: 1, match: { method: 'POST' } });
		const [item] = jsonOf(await rotate(id));
		expect(world.webhooks).toEqual([expect.objectContaining({ _id: item?._id, hasSecret: true })]);
	});

	it('takes a successor that was made although the service failed', async () => {
		const id = once();
		const match = { method: 'POST' };
		world.service.addFault({ kind: 'status', status: 500, skip: 1, when: 'after', match });
		const [item] = jsonOf(await rotate(id));
		expect(item).toMatchObject({ secret: SECRET });
		expect(world.webhookIds).toEqual([item?._id]);
	});

	it('goes on when the removal worked although no answer ever came', async () => {
		const id = once();
		cut('DELETE', 'before', { times: 3 });
		cut('DELETE', 'after', { times: 1 });
		const [item] = jsonOf(await rotate(id));
		expect(world.webhooks).toEqual([like({ _id: item?._id, hasSecret: true })]);
	}, 20_000);

	it('finds the successor later when at first neither its answer came nor the list', async () => {
		const id = once();
		world.service.addFault({ kind: 'cut', when: 'after', skip: 1, match: { method: 'POST' } });
		refuse('GET', { skip: 1 });
		world.service.addFault({ kind: 'delay', delayMs: 300, match: { method: 'DELETE' } });
		const running = rotate(id);
		while (!world.requests().includes('DELETE /hooks/:id')) await new Promise(setImmediate);
		// Somebody else's, which was not there before either.
		const other = world.addWebhook({ targetUrl: 'https://other.test/in' });
		const [item] = jsonOf(await running);
		expect(item).toMatchObject({ targetUrl: 'https://crm.test/in', secret: SECRET });
		expect(world.webhookIds.sort()).toEqual([item?._id, other._id].sort());
	});

	it('restores the old settings without a secret when the new one is refused, and says so', async () => {
		const id = once();
		refuse('POST', { skip: 1, times: 2 });
		const error = await failRotate(id);
		const [webhook] = world.webhooks;
		expect(webhook).toMatchObject({ ...SETTINGS, hasSecret: false });
		expect(error.description).toMatch(
			`The webhook ${id} is replaced by ${webhook?._id} with the same settings but without a secret`,
		);
	});

	it.each([
		[{ type: 'emailsReplied' }, 'emailsReplied'],
		[{}, 'all'],
	])('tells how to make %j again when nothing can take its place', async (fields, event) => {
		world.service.setSwitches({ hookUrls: 'oncePerTeam' });
		const { _id } = world.addWebhook(fields);
		refuse('POST', { skip: 1, times: 3 });
		const error = await failRotate(_id);
		expect(error.description).toMatch(
			`could not be created again. Create one for https://crm.test/in (event: ${event})`,
		);
	});

	it('is not stopped half-way by a user who stops the execution', async () => {
		const id = once();
		const stop = new AbortController();
		world.service.addFault({ kind: 'delay', delayMs: 300, match: { method: 'DELETE' } });
		const running = world.run(
			'rotateSecret',
			{ webhookId: byId(id), secret: SECRET },
			{ signal: stop.signal },
		);
		while (!world.requests().includes('DELETE /hooks/:id')) await new Promise(setImmediate);
		stop.abort();
		await running;
		expect(world.webhooks).toEqual([expect.objectContaining({ ...SETTINGS, hasSecret: true })]);
	});
});

import { byId, jsonOf } from '../support/action';
import { like, textLike } from '../support/matchers';
import { until } from '../support/until';
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
/** Makes the service refuse a request; the node does not retry it. */
const refuse = (method: string, more = {}) =>
	world.service.addFault({ kind: 'status', status: 400, body: 'No', match: { method }, ...more });
/** Cuts the connection until the node gives up. */
const cut = (method: string, when: 'before' | 'after', more = {}) =>
	world.service.addFault({ kind: 'cut', when, match: { method }, times: 4, ...more });

describe('Rotate Secret', () => {
	it('creates a successor with the same settings before it removes the old webhook', async () => {
		const { _id } = world.addWebhook({ ...SETTINGS, secret: 'old' });
		const items = await rotate(_id);
		const [webhook] = world.webhooks;
		expect(world.webhooks).toEqual([expect.objectContaining({ ...SETTINGS, hasSecret: true })]);
		expect(items).toEqual([
			{
				json: {
					...SETTINGS,
					_id: webhook?._id,
					targetUrl: webhook?.targetUrl,
					createdAt: webhook?.createdAt,
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

	it('generates a new long random secret each time when none is given', async () => {
		const secrets = new Set<unknown>();
		for (let i = 0; i < 3; i++) {
			const [item] = jsonOf(await rotate(world.addWebhook()._id, { secret: '' }));
			expect(item?.secret).toMatch(/^[0-9a-f]{64}$/);
			secrets.add(item?.secret);
		}
		expect(secrets.size).toBe(3);
	});

	it('accepts a secret from an expression', async () => {
		const { _id } = world.addWebhook();
		const items = [{ mine: SECRET }];
		const parameters = { webhookId: byId(_id), secret: '={{ $json.mine }}' };
		const [item] = jsonOf(await world.run('rotateSecret', parameters, { items }));
		expect(item).toMatchObject({ secret: SECRET, replacedWebhookId: _id });
	});

	it('names a webhook that does not exist, and creates none', async () => {
		world.addWebhook();
		expect((await failRotate('hoo_gone')).message).toBe('The webhook hoo_gone was not found');
		expect(world.requests()).toEqual(['GET /hooks']);
	});

	it('creates one successor when two items name the same webhook, and fails the second item', async () => {
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

	it('keeps the old webhook when the service refuses the successor', async () => {
		const { _id } = world.addWebhook();
		refuse('POST');
		const error = await failRotate(_id);
		expect(error.description).toMatch(
			`The webhook ${_id} is still there with its old secret. Check the values of the node`,
		);
		expect(world.webhookIds).toEqual([_id]);
	});

	it('says so when it is unknown whether the successor was created', async () => {
		const { _id } = world.addWebhook();
		cut('POST', 'after');
		cut('GET', 'before', { skip: 1 });
		const error = await failRotate(_id);
		expect(error.description).toMatch(`The webhook ${_id} is still there with its old secret.`);
		expect(error.description).toMatch('Whether the webhook was created is not known');
		expect(world.webhookIds).toContain(_id);
	}, 20_000);

	it('does not mistake the old webhook for the successor when the connection is cut before the create', async () => {
		const { _id } = world.addWebhook();
		world.service.addFault({ kind: 'cut', match: { method: 'POST' } });
		await rotate(_id);
		expect(world.webhookIds).toHaveLength(1);
		expect(world.webhookIds).not.toContain(_id);
	});

	it('removes the successor when the old webhook cannot be removed', async () => {
		const { _id } = world.addWebhook();
		refuse('DELETE');
		const error = await failRotate(_id);
		expect(error.description).toMatch(/could not be removed, so it still works with its old/);
		expect(world.webhookIds).toEqual([_id]);
	});

	it('removes the successor when the removal of the old webhook has failed with status 200', async () => {
		const { _id } = world.addWebhook();
		refuse('DELETE', { status: 200, body: '{"error":"Internal error"}' });
		const error = await failRotate(_id);
		expect(error.description).toMatch(/could not be removed, so it still works with its old/);
		expect(world.webhookIds).toEqual([_id]);
	});

	it('keeps the successor when the old webhook was removed although every response was lost', async () => {
		const { _id } = world.addWebhook();
		cut('DELETE', 'before', { times: 3 });
		cut('DELETE', 'after', { times: 1 });
		const [item] = jsonOf(await rotate(_id));
		expect(world.webhookIds).toEqual([item?._id]);
	}, 20_000);

	it('removes the successor again when somebody else has removed the old webhook meanwhile', async () => {
		const { _id } = world.addWebhook();
		const end = world.service.onHooksChange(() => {
			if (world.webhooks.length === 2) world.service.removeHook(_id);
		});
		const error = await failRotate(_id);
		end();
		expect(error.message).toBe(`The webhook ${_id} was not found`);
		expect(world.webhooks).toEqual([]);
	});

	it('names the successor when the old webhook is gone and the successor cannot be removed', async () => {
		const { _id } = world.addWebhook();
		const end = world.service.onHooksChange(() => {
			if (world.webhooks.length === 2) world.service.removeHook(_id);
		});
		refuse('DELETE', { skip: 1 });
		const error = await failRotate(_id);
		end();
		const [successor] = world.webhookIds;
		expect(error.description).toMatch(`Its successor ${successor} could not be removed.`);
	});

	it('notices that the successor is removed although every response was lost', async () => {
		const { _id } = world.addWebhook();
		refuse('DELETE');
		cut('DELETE', 'before', { times: 3 });
		cut('DELETE', 'after', { times: 1 });
		const error = await failRotate(_id);
		expect(error.description).toMatch(/Its successor was removed again\./);
		expect(world.webhookIds).toEqual([_id]);
	}, 20_000);

	it('names both webhooks when neither can be removed', async () => {
		const { _id } = world.addWebhook();
		refuse('DELETE', { times: 2 });
		const error = await failRotate(_id);
		const successor = world.webhookIds[1]!;
		expect(error.description).toMatch(`Neither the webhook ${_id} nor its successor ${successor}`);
	});

	it('removes neither webhook when the service no longer lists them', async () => {
		const { _id } = world.addWebhook();
		refuse('DELETE');
		refuse('GET', { skip: 1 });
		const error = await failRotate(_id);
		const successor = world.webhookIds[1]!;
		expect(error.description).toMatch(`The webhook ${successor} with the new secret has taken`);
		expect(world.webhookIds).toEqual([_id, successor]);
	});
});

describe('Rotate Secret when the service allows a target URL only once', () => {
	it.each([409, 400, 422])('removes the old webhook first (status %d)', async (status) => {
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

	const addOnce = () => {
		world.service.setSwitches({ hookUrls: 'oncePerTeam' });
		return world.addWebhook({ ...SETTINGS, secret: 'old' })._id;
	};

	it("takes no other execution's successor for its own when that has removed the old webhook first", async () => {
		const id = addOnce();
		world.service.addFault({ kind: 'delay', delayMs: 150, match: { method: 'DELETE' } });
		const failing = failRotate(id);
		await until(() => world.requests().includes('DELETE /hooks/:id'));
		world.service.removeHook(id);
		const other = world.addWebhook({ ...SETTINGS, secret: 'of the other execution' });
		expect((await failing).message).toBe(`The webhook ${id} was not found`);
		expect(world.webhookIds).toEqual([other._id]);
	});

	it('keeps the old webhook when it cannot be removed', async () => {
		const id = addOnce();
		refuse('DELETE');
		const error = await failRotate(id);
		expect(error.description).toMatch(`The webhook ${id} must be removed first`);
		expect(world.webhookIds).toEqual([id]);
	});

	it('says that it does not know of a successor when the list cannot be fetched after an empty response', async () => {
		world.service.setSwitches({ createStatus: 204 });
		const id = addOnce();
		world.service.addFault({ kind: 'status', status: 400, skip: 4, times: 50 });
		const error = await failRotate(id);
		expect(world.webhooks).toHaveLength(1);
		expect(world.webhookIds).not.toContain(id);
		expect(error.description).toMatch(
			new RegExp(
				`^The webhook ${id} had to be removed. Whether a successor was created is not known`,
			),
		);
	});

	it('retries when the service fails to create the successor', async () => {
		const id = addOnce();
		world.service.addFault({ kind: 'status', status: 500, skip: 1, match: { method: 'POST' } });
		const [item] = jsonOf(await rotate(id));
		expect(world.webhooks).toEqual([expect.objectContaining({ _id: item?._id, hasSecret: true })]);
	});

	it('finds the successor that was created although the service responded with an error', async () => {
		const id = addOnce();
		const match = { method: 'POST' };
		world.service.addFault({ kind: 'status', status: 500, skip: 1, when: 'after', match });
		const [item] = jsonOf(await rotate(id));
		expect(item).toMatchObject({ secret: SECRET });
		expect(world.webhookIds).toEqual([item?._id]);
	});

	it('continues when the old webhook was removed although every response was lost', async () => {
		const id = addOnce();
		cut('DELETE', 'before', { times: 3 });
		cut('DELETE', 'after', { times: 1 });
		const [item] = jsonOf(await rotate(id));
		expect(world.webhooks).toEqual([like({ _id: item?._id, hasSecret: true })]);
	}, 20_000);

	it('finds the successor later when both its response and the list fail at first', async () => {
		const id = addOnce();
		world.service.addFault({ kind: 'cut', when: 'after', skip: 1, match: { method: 'POST' } });
		refuse('GET', { skip: 1 });
		world.service.addFault({ kind: 'delay', delayMs: 300, match: { method: 'DELETE' } });
		const running = rotate(id);
		await until(() => world.requests().includes('DELETE /hooks/:id'));
		// Another client's new webhook.
		const other = world.addWebhook({ targetUrl: 'https://other.test/in' });
		const [item] = jsonOf(await running);
		expect(item).toMatchObject({ targetUrl: 'https://crm.test/in', secret: SECRET });
		expect(world.webhookIds.sort()).toEqual([item?._id, other._id].sort());
	});

	it('creates a webhook with the old settings but no secret when the service refuses the new secret, and says so', async () => {
		const id = addOnce();
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
	])('says how to create %j again when no replacement can be created', async (fields, event) => {
		world.service.setSwitches({ hookUrls: 'oncePerTeam' });
		const { _id } = world.addWebhook(fields);
		refuse('POST', { skip: 1, times: 3 });
		const error = await failRotate(_id);
		expect(error.description).toMatch(
			`could not be created again. Create one for https://crm.test/in (event: ${event})`,
		);
	});

	it('is completed even if the user stops the execution after the removal', async () => {
		const id = addOnce();
		const stop = new AbortController();
		world.service.addFault({ kind: 'delay', delayMs: 300, match: { method: 'DELETE' } });
		const running = world.run(
			'rotateSecret',
			{ webhookId: byId(id), secret: SECRET },
			{ signal: stop.signal },
		);
		await until(() => world.requests().includes('DELETE /hooks/:id'));
		stop.abort();
		await running;
		expect(world.webhooks).toEqual([expect.objectContaining({ ...SETTINGS, hasSecret: true })]);
	});
});

it('replaces the webhook in place when the service responds to the create with the one that exists', async () => {
	const old = world.addWebhook();
	world.respondOnce('POST', old);
	const [item] = jsonOf(await world.run('rotateSecret', { webhookId: byId(old._id) }));
	expect(world.webhookIds).toEqual([item?._id]);
	expect(item?._id).not.toBe(old._id);
});

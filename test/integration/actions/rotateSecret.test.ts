/**
 * Rotate Secret: the successor exists before the old webhook is removed, whatever the service does with its target URL.
 * The world is a local service and the action node in one process of n8n.
 */
import fc from 'fast-check';

import { webhookSettingsSchema } from '../../../nodes/OutreachService/domain/webhook';
import { tries } from '../../propertyRuns';
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
	it('is tested with each setting that a webhook can have', () => {
		const { targetUrl, createdAt, disabled, ...copied } = webhookSettingsSchema.shape;
		expect([targetUrl, createdAt, disabled]).not.toContain(undefined);
		expect(Object.keys(SETTINGS).sort()).toEqual(Object.keys(copied).sort());
	});

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
		for (let count = 0; count < 3; count++) {
			const [item] = jsonOf(await rotate(world.addWebhook()._id, { secret: '' }));
			expect(item?.secret).toMatch(/^[0-9a-f]{64}$/);
			secrets.add(item?.secret);
		}
		expect(secrets.size).toBe(3);
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
		const old = world.addWebhook(SETTINGS);
		refuse('POST');
		const { message, description } = await failRotate(old._id);
		expect(message).toMatch('The service refused the request with status 400');
		expect(description).toMatch(
			`Nothing was changed. The old webhook ${old._id} is still listed. Check the values`,
		);
		expect(world.requests()).toEqual(['GET /hooks', 'POST /hooks', 'GET /hooks']);
		expect(world.webhookIds).toEqual([old._id]);
	});

	it('keeps the old webhook when the service allows a target URL only once, and says how to change its secret', async () => {
		const old = world.addWebhook(SETTINGS);
		world.service.setSwitches({ hookUrls: 'oncePerTeam' });
		const { message, description } = await failRotate(old._id);
		expect(message).toBe(
			`The service allows no second webhook with the target URL of the webhook ${old._id}`,
		);
		expect(description).toBe(
			`Nothing was changed. The old webhook ${old._id} is still listed. To change its secret, delete it, then create it again with the same settings and a new secret. In between, nobody gets its events. The service allows each target URL only once, and a rotation creates the new webhook before it removes the old one.`,
		);
		expect(world.requests()).toEqual(['GET /hooks', 'POST /hooks', 'GET /hooks']);
		expect(world.webhookIds).toEqual([old._id]);
	});

	it('keeps the successor at a service that replaces the webhook of the same target URL', async () => {
		world.service.setSwitches({ hookUrls: 'replace' });
		const { _id } = world.addWebhook(SETTINGS);
		const [item] = jsonOf(await rotate(_id));
		expect(world.webhooks).toEqual([like({ _id: item?._id, hasSecret: true })]);
		expect(item).toMatchObject({ secret: SECRET, replacedWebhookId: _id });
		expect(item?.note).toMatch(
			`The webhook ${_id} no longer existed when it was to be removed. Either the service keeps only one webhook for each target URL, or somebody has deleted it.`,
		);
	});

	it('outputs the secret at a service that updates the webhook in place, and claims nothing', async () => {
		world.service.setSwitches({ hookUrls: 'update' });
		const { _id } = world.addWebhook(SETTINGS);
		const [item] = jsonOf(await rotate(_id));
		expect(world.webhooks).toEqual([like({ _id, hasSecret: true })]);
		expect(item).toMatchObject({ _id, secret: SECRET });
		expect(item?.note).toMatch('Whether it has taken the new secret is not known');
		expect(world.requests()).not.toContain('DELETE /hooks/:id');
	});

	it('names another webhook that the service may have changed in place of this one', async () => {
		const other = world.addWebhook();
		const { _id } = world.addWebhook(SETTINGS);
		world.respondOnce('POST', other);
		const { message, description } = await failRotate(_id);
		expect(message).toMatch('allows no second webhook with the target URL');
		expect(description).toMatch(
			`The service returned the webhook ${other._id}, which existed before, and may have given it the new secret.`,
		);
	});

	it('says that the successor of a disabled webhook is enabled', async () => {
		const { _id } = world.addWebhook();
		world.service.disableHook(_id);
		const [item] = jsonOf(await rotate(_id));
		expect(item?.note).toBe('The old webhook was disabled; the new one is enabled.');
	});

	it('points to the note above the output, and to none where there is none', async () => {
		const hintsFor = async (id: string) => {
			const parameters = { resource: 'webhook', operation: 'rotateSecret', webhookId: byId(id) };
			const execution = world.execution(parameters);
			await execution.run();
			return execution.context.hints;
		};
		const { _id } = world.addWebhook();
		world.service.disableHook(_id);
		expect(await hintsFor(_id)).toEqual([
			{ message: textLike(/^Read the note/), location: 'outputPane' },
		]);
		expect(await hintsFor(world.addWebhook()._id)).toEqual([]);
	});

	it('names every webhook whose new secret nobody has seen when a later item fails', async () => {
		const items = Array.from({ length: 30 }, () => ({ id: world.addWebhook()._id }));
		items.push({ id: 'hoo_none' });
		const error = await world.fail('rotateSecret', { webhookId: '={{ $json.id }}' }, { items });
		const [, unseen = ''] = error.description?.split('so rotate them again: ') ?? [];
		expect(world.webhookIds.filter((id) => !unseen.includes(id))).toEqual([]);
	});

	it('says so when it is unknown whether the successor was created', async () => {
		const { _id } = world.addWebhook();
		cut('POST', 'after');
		cut('GET', 'before', { skip: 1, times: 20 });
		const error = await failRotate(_id);
		expect(error.description).toMatch(
			`Whether the old webhook ${_id} is still there is not known.`,
		);
		expect(error.description).toMatch('Whether the new webhook was created is not known');
		expect(world.webhookIds).toContain(_id);
	}, 60_000);

	it.each([500, 302])(
		'says of which of the two webhooks it is unknown whether it exists, after a %i',
		async (status) => {
			const { _id } = world.addWebhook();
			world.service.addFault({ kind: 'status', status, match: { method: 'POST' } });
			const { description } = await failRotate(_id);
			expect(description).toMatch(
				`The old webhook ${_id} is still listed. Whether the new webhook was created is not known. The list shows no new one with these settings yet.`,
			);
			expect(description).not.toMatch(/\b[Tt]he webhook\b/);
			expect(world.webhookIds).toEqual([_id]);
		},
	);

	it.each([
		['refuses to remove the old webhook', () => refuse('DELETE')],
		[
			'removes the old webhook, but responds with an error',
			() => refuse('DELETE', { when: 'after' }),
		],
		['cuts off every removal', () => cut('DELETE', 'before')],
	])(
		'gives the secret, and names the webhook to delete, when the service %s',
		async (_, fail) => {
			const { _id } = world.addWebhook({ secret: 'old' });
			fail();
			const [item] = jsonOf(await rotate(_id));
			expect(item).toMatchObject({ secret: SECRET, replacedWebhookId: _id });
			expect(item?.note).toMatch(`Delete the webhook ${_id} if it is still listed`);
			// Not out of sight in the editor's table.
			expect(Object.keys(item ?? {}).slice(0, 3)).toEqual(['secret', 'replacedWebhookId', 'note']);
			expect(world.webhookIds).toContain(item?._id);
		},
		20_000,
	);

	it('names the old webhook that remains when the output is lost with another item', async () => {
		const { _id } = world.addWebhook({ secret: 'old' });
		refuse('DELETE');
		const items = [{ id: _id }, { id: 'hoo_none' }];
		const error = await world.fail('rotateSecret', { webhookId: '={{ $json.id }}' }, { items });
		expect(error.description).toContain(`Delete the webhook ${_id} if it is still listed`);
	});

	it('keeps the successor, with a note, when somebody else has removed the old webhook meanwhile', async () => {
		const { _id } = world.addWebhook();
		const end = world.service.onHooksChange(() => {
			if (world.webhooks.length === 2) world.service.removeHook(_id);
		});
		const [item] = jsonOf(await rotate(_id));
		end();
		expect(world.webhookIds).toEqual([item?._id]);
		expect(item?.note).toMatch(
			`If somebody has deleted it on purpose, delete ${world.webhookIds[0]}, too.`,
		);
	});
});

it('Two processes that rotate one webhook leave at least one, and name whatever is left', async () => {
	world.service.setSwitches({ rateLimit: 'off' });
	const kind = fc.constantFrom('shared' as const, 'replace' as const);
	await fc.assert(
		fc.asyncProperty(kind, fc.nat(2), fc.nat(400), async (hookUrls, cuts, delayMs) => {
			world.service.clearFaults();
			world.service.setSwitches({ hookUrls });
			for (const each of world.webhookIds) world.service.removeHook(each);
			const { _id } = world.addWebhook(SETTINGS);
			const match = { method: 'POST' };
			world.service.addFault({ kind: 'delay', delayMs, match });
			if (cuts > 0) world.service.addFault({ kind: 'cut', when: 'after', skip: cuts - 1, match });
			const parameters = { webhookId: byId(_id), secret: SECRET };
			const runs = [1, 2].map(async () => {
				const n8n = world.otherProcess();
				return await world.run('rotateSecret', parameters, { n8n, continueOnFail: true });
			});
			const items = (await Promise.all(runs)).flatMap(jsonOf);
			const succeeded = items.filter(({ error }) => error === undefined);
			const left = world.webhookIds;
			expect(left.length).toBeGreaterThan(0);
			// What an item names as the new webhook is there, unless the service replaced it later.
			if (hookUrls === 'shared') for (const item of succeeded) expect(left).toContain(item._id);
			const told = JSON.stringify(items);
			expect(left.filter((id) => !told.includes(id))).toEqual([]);
		}),
		{ numRuns: tries(8) },
	);
});

describe('Rotate Secret in an execution that is stopped', () => {
	/** Stops the execution during the first request with this method. @returns the error, or the items */
	async function stopDuring(method: string, id: string) {
		const stop = new AbortController();
		world.service.addFault({ kind: 'delay', delayMs: 200, match: { method } });
		const running = world
			.run('rotateSecret', { webhookId: byId(id) }, { signal: stop.signal })
			.then(
				(items) => jsonOf(items),
				(error: unknown) => error,
			);
		await until(() => world.requests().some((line) => line.startsWith(method)));
		stop.abort();
		return await running;
	}

	it('creates nothing when it is stopped before the create', async () => {
		const { _id } = world.addWebhook();
		const warn = world.spyOnWarnings();
		expect(await stopDuring('GET', _id)).toBeInstanceOf(Error);
		expect(world.requests()).toEqual(['GET /hooks']);
		expect(world.webhookIds).toEqual([_id]);
		expect(warn).not.toHaveBeenCalled();
	});

	it('removes the successor when it is stopped before the removal of the old webhook', async () => {
		const old = world.addWebhook({ secret: 'old' });
		expect(await stopDuring('POST', old._id)).toMatchObject({
			description: textLike(
				new RegExp(`^The old webhook ${old._id} is still listed\\. The execution was stopped`),
			),
		});
		expect(world.webhookIds).toEqual([old._id]);
	});

	it('keeps the successor where the old webhook is gone, and names it', async () => {
		world.service.setSwitches({ hookUrls: 'replace' });
		const old = world.addWebhook({ secret: 'old' });
		const error = await stopDuring('POST', old._id);
		const [successor = ''] = world.webhookIds;
		expect(error).toMatchObject({
			description: textLike(
				new RegExp(`The webhook ${successor} has the new secret, which nobody has seen`),
			),
		});
		expect(world.webhookIds).toEqual([successor]);
	});

	it('names the successor when that cannot be removed', async () => {
		const { _id } = world.addWebhook();
		refuse('DELETE');
		const error = await stopDuring('POST', _id);
		const successor = world.webhookIds[1] ?? '';
		expect(error).toMatchObject({
			description: textLike(
				new RegExp(
					`^The rotation could not be undone. Delete the webhook ${successor} if it is still listed`,
				),
			),
		});
	});

	it('is completed once the removal of the old webhook is sent, and the log names the new webhook', async () => {
		const { _id } = world.addWebhook();
		const warn = world.spyOnWarnings();
		const [item] = (await stopDuring('DELETE', _id)) as [{ _id: string }];
		expect(item).toMatchObject({ replacedWebhookId: _id, secret: textLike(/^[0-9a-f]{64}$/) });
		expect(world.webhookIds).toEqual([item._id]);
		expect(warn.mock.calls).toEqual([
			[
				textLike(
					new RegExp(
						`may be lost\\. Already carried out: item 0 \\(${item._id}\\)\\. Nobody has seen the new secrets of these webhooks, so rotate them again: ${item._id}\\.`,
					),
				),
			],
		]);
	});
});

describe('Rotate Secret on the webhook of a trigger', () => {
	const activeTrigger = async () => {
		await world.activeTrigger(['emailsReplied']);
		const [webhook] = world.webhooks;
		if (!webhook) throw new Error('The trigger registered nothing');
		world.service.clearRequests();
		return { id: webhook._id };
	};

	it('is rejected while the trigger is active, also for another webhook at its target URL', async () => {
		const { id } = await activeTrigger();
		const { targetUrl } = world.webhooks[0]!;
		const twin = world.addWebhook({ targetUrl: targetUrl.replace('http:', 'HTTP:') });
		for (const each of [id, twin._id]) {
			const error = await world.fail('rotateSecret', { webhookId: byId(each) });
			expect(error.message).toBe(`The webhook ${each} belongs to a trigger of this n8n`);
			expect(error.description).toMatch(
				/^The trigger is 'Test · Trigger'\. .* They change with the API key\.$/,
			);
		}
		expect(world.webhookIds).toEqual([id, twin._id]);
	});
});

describe('Rotate Secret in a process that runs no trigger, such as a worker', () => {
	it('rejects a webhook whose target URL is that of a trigger of this n8n', async () => {
		const targetUrl = 'HTTP://N8N.test:80/webhook/my-id/webhook?event=%2A';
		const { _id } = world.addWebhook({ targetUrl });
		const error = await world.fail('rotateSecret', { webhookId: byId(_id) });
		expect(error.message).toBe(`The webhook ${_id} belongs to a trigger of this n8n`);
		expect(world.webhookIds).toEqual([_id]);
	});

	it.each([
		'http://other.test/webhook/id/webhook?event=emailsReplied',
		'http://n8n.test/webhook/id/webhook?event=emailsReplied&x=1',
	])('rotates a webhook with any other target URL: %s', async (targetUrl) => {
		const { _id } = world.addWebhook({ targetUrl });
		const [item] = jsonOf(await world.run('rotateSecret', { webhookId: byId(_id) }));
		expect(item).not.toHaveProperty('note');
		expect(world.webhookIds).toEqual([item?._id]);
	});
});

/**
 * Rotate Secret: the new webhook exists before the old one is removed, whatever the service does with its target URL. The
 * world is a local service and the action node in one process of n8n.
 */
import { webhookSettingsSchema } from '../../../nodes/OutreachService/domain/webhook';
import type { HookView } from '../../../tools/service';
import { byId, jsonOf } from '../support/action';
import { like, textLike } from '../support/matchers';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

const SECRET = 'the-new-secret-0123456789';
const SETTINGS = { type: 'emailsReplied', campaignId: 'cam_1', isFirst: true, toolLinkId: 42 };
const rotate = async (id: string, more = {}) => {
	const [item] = jsonOf(
		await world.run('rotateSecret', { webhookId: byId(id), secret: SECRET, ...more }),
	);
	return item ?? {};
};
const failRotate = async (id: string) =>
	await world.fail('rotateSecret', { webhookId: byId(id), secret: SECRET });
/** Makes the service refuse a request; the node does not retry it. */
const refuse = (method: string, more = {}) =>
	world.service.addFault({ kind: 'status', status: 400, body: 'No', match: { method }, ...more });

it('creates a webhook with the same settings before it removes the old one', async () => {
	const { targetUrl, createdAt, disabled, ...copied } = webhookSettingsSchema.shape;
	expect([targetUrl, createdAt, disabled]).not.toContain(undefined);
	expect(Object.keys(SETTINGS).sort()).toEqual(Object.keys(copied).sort());

	const { _id } = world.addWebhook({ ...SETTINGS, secret: 'old' });
	const item = await rotate(_id);
	const [webhook] = world.webhooks;
	expect(world.webhooks).toEqual([like({ ...SETTINGS, hasSecret: true })]);
	expect(item).toEqual({
		...SETTINGS,
		_id: webhook?._id,
		targetUrl: webhook?.targetUrl,
		createdAt: webhook?.createdAt,
		secret: SECRET,
		replacedWebhookId: _id,
	});
	expect(item._id).not.toBe(_id);
	expect(world.requests()).toEqual(['GET /hooks', 'POST /hooks', 'DELETE /hooks/:id']);
});

it('generates a new long random secret each time when none is given', async () => {
	const secrets = new Set<unknown>();
	for (let count = 0; count < 3; count++) {
		const { secret } = await rotate(world.addWebhook()._id, { secret: '' });
		expect(secret).toMatch(/^[0-9a-f]{64}$/);
		secrets.add(secret);
	}
	expect(secrets.size).toBe(3);
});

it('creates nothing for a webhook that does not exist, nor for one that another item names, too', async () => {
	const { _id } = world.addWebhook();
	expect((await failRotate('hoo_gone')).message).toBe('The webhook hoo_gone was not found');
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

it('changes nothing when the service refuses the new webhook', async () => {
	const { _id } = world.addWebhook(SETTINGS);
	refuse('POST');
	const refused = await failRotate(_id);
	expect(refused.message).toMatch('The service refused the request with status 400');
	expect(refused.description).toMatch(
		`Nothing was changed. The webhook ${_id} has its old secret.`,
	);

	world.service.setSwitches({ hookUrls: 'oncePerTeam' });
	const { message, description } = await failRotate(_id);
	expect(message).toBe('The service already has a webhook with this target URL');
	expect(description).toBe(
		`Nothing was changed. The webhook ${_id} has its old secret. If the service allows only one webhook for a target URL, delete it, then create it again with the same settings and a new secret. Events in between are lost.`,
	);
	expect(world.webhookIds).toEqual([_id]);
});

it.each<[string, (old: HookView) => object, RegExp]>([
	['the old one', (old) => old, /existed before/],
	['another old one', () => world.webhooks[0]!, /existed before/],
	['one for another event', (old) => ({ ...old, _id: 'hoo_new', type: null }), /has another event/],
])(
	'deletes nothing, and names the webhook that may have the new secret, when the service returns %s',
	async (_, returned, problem) => {
		world.addWebhook({ targetUrl: 'https://other.test/in' });
		const old = world.addWebhook(SETTINGS);
		const webhook = returned(old);
		world.respondOnce('POST', webhook);
		const { _id } = { _id: '', ...webhook };
		const { message, description } = await failRotate(old._id);
		expect(message).toBe(`The service returned no webhook that can replace the webhook ${old._id}`);
		expect(description).toMatch(problem);
		expect(description).toMatch(`It returned the webhook ${_id}, which`);
		expect(description).toMatch(`The webhook ${_id} may have the new secret`);
		expect(world.requests()).not.toContain('DELETE /hooks/:id');
	},
);

it('says which fields the new webhook does not have, above the output, too', async () => {
	const listed = { failures: 0, ...world.addWebhook(), name: 'CRM', headers: { a: 1 } };
	world.service.disableHook(listed._id);
	world.respondOnce('GET', [{ ...listed, disabled: true, team: undefined, hasSecret: undefined }]);
	const parameters = { resource: 'webhook', operation: 'rotateSecret' };
	const execution = world.execution({ ...parameters, webhookId: byId(listed._id) });
	expect(jsonOf(await execution.run())).toEqual([
		like({
			note: 'The new webhook does not have these fields of the old one, which the API does not document: disabled, name, headers.',
		}),
	]);
	expect(execution.context.hints).toEqual([
		{ message: textLike(/^Read the note/), location: 'outputPane' },
	]);
});

it.each(['type', 'campaignId', 'isFirst', 'toolLinkId'])(
	'refuses a webhook whose %s cannot be read, because the new one would be another',
	async (name) => {
		const webhook = world.addWebhook();
		world.respondOnce('GET', [{ ...webhook, [name]: { odd: 1 } }]);
		expect((await failRotate(webhook._id)).description).toContain(`Its field '${name}'`);
		expect(world.requests()).toEqual(['GET /hooks']);
	},
);

it('says what the list shows when nobody knows what was created', async () => {
	const { _id } = world.addWebhook();
	world.service.addFault({ kind: 'cut', when: 'after', times: 4, match: { method: 'POST' } });
	const { description } = await failRotate(_id);
	const [, created] = world.webhookIds;
	expect(description).toMatch(
		`The node did not delete the webhook ${_id}. If there is a new one, delete that, because nobody has seen its secret. Whether the new webhook was created is not known. The list has webhooks with these settings: ${created}.`,
	);
});

it('gives the secret when the service refuses to delete the old webhook, and names that', async () => {
	const { _id } = world.addWebhook({ secret: 'old' });
	refuse('DELETE');
	const item = await rotate(_id);
	expect(item).toMatchObject({ secret: SECRET, replacedWebhookId: _id });
	expect(world.webhookIds).toEqual([_id, item._id]);
	expect(item.note).toBe(
		`The node could not delete the old webhook ${_id}: The service refused the request with status 400: "No". If it is still listed, it delivers with its old secret: delete it.`,
	);
	// Not out of sight in the editor's table.
	expect(Object.keys(item).slice(0, 3)).toEqual(['secret', 'replacedWebhookId', 'note']);
});

describe('In an execution that is stopped', () => {
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
		expect(warn).not.toHaveBeenCalled();
	});

	it.each(['POST', 'DELETE'])(
		'is completed from the create on, and the log names the new webhook: %s',
		async (method) => {
			const { _id } = world.addWebhook();
			const warn = world.spyOnWarnings();
			const [item] = (await stopDuring(method, _id)) as [{ _id: string }];
			expect(item).toMatchObject({ replacedWebhookId: _id, secret: textLike(/^[0-9a-f]{64}$/) });
			expect(world.webhookIds).toEqual([item._id]);
			expect(warn.mock.calls).toEqual([
				[
					textLike(
						new RegExp(`may be lost.* secret of the webhook ${item._id}, so rotate it again\\.`),
					),
				],
			]);
		},
	);
});

it('rejects the webhook of a trigger, of whatever n8n, which its URL shows', async () => {
	const n8n = 'HTTP://N8N.test:80/webhook/my-id/webhook?event=%2A';
	const { _id } = world.addWebhook({ targetUrl: `${n8n}&keyId=k1` });
	const items = [{ id: world.addWebhook()._id }, { id: _id }];
	const error = await world.fail('rotateSecret', { webhookId: byId('={{ $json.id }}') }, { items });
	expect(error.message).toBe(`The webhook ${_id} belongs to a trigger`);
	expect(error.context?.itemIndex).toBe(1);
	expect(await rotate(world.addWebhook({ targetUrl: n8n })._id)).not.toHaveProperty('note');
});

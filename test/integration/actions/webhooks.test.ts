/**
 * Create, Get and Delete: what they send, what they output, and what they do not claim to know. The world is a local
 * service and the action node in one process of n8n.
 */
import { byId, jsonOf } from '../support/action';
import { like, textLike } from '../support/matchers';
import { useWorld } from '../support/world';

const world = useWorld();

describe('Create', () => {
	it('sends every field in the query and the body, and returns the response of the service', async () => {
		const fields = { campaignId: 'cam_1', isFirst: true, toolLinkId: 42 };
		const items = await world.run('create', {
			targetUrl: ' https://crm.test/in ',
			event: 'emailsReplied',
			additionalFields: { ...fields, secret: 's3cret' },
		});
		const { team, hasSecret, disabled, ...webhook } = world.webhooks[0]!;
		expect({ team, hasSecret, disabled }).toEqual({
			team: textLike(/./),
			hasSecret: true,
			disabled: false,
		});
		expect(webhook).toMatchObject({
			...fields,
			type: 'emailsReplied',
			targetUrl: 'https://crm.test/in',
		});
		expect(items).toEqual([{ json: webhook, pairedItem: { item: 0 } }]);
		const [{ query, body } = {}] = world.service.requests;
		expect(query).toEqual({ campaignId: 'cam_1', isFirst: 'true', toolLinkId: '42' });
		expect(body).toMatchObject(fields);
	});

	it.each(['query', 'body'] as const)(
		'works with a service that reads the settings only from the %s',
		async (createParameters) => {
			world.service.setSwitches({ createParameters });
			const additionalFields = { campaignId: 'cam_1', isFirst: true, toolLinkId: 7 };
			await world.run('create', { targetUrl: 'https://crm.test/in', event: '*', additionalFields });
			expect(world.webhooks).toEqual([expect.objectContaining(additionalFields)]);
		},
	);

	it('accepts the URL of a campaign for its ID, as the filters do', async () => {
		const campaignId = 'https://app.example.com/campaigns/cam_8QkzT2/edit?x=1';
		const create = {
			targetUrl: 'https://crm.test/in',
			event: '*',
			additionalFields: { campaignId },
		};
		const [created] = jsonOf(await world.run('create', create));
		world.addWebhook({ campaignId: 'cam_other' });
		expect(created).toMatchObject({ campaignId: 'cam_8QkzT2' });
		expect(jsonOf(await world.run('getAll', { filters: { campaignId } }))).toEqual([created]);
	});

	it('omits fields that are not set', async () => {
		const additionalFields = { campaignId: '', isFirst: false, secret: '', toolLinkId: '' };
		await world.run('create', { targetUrl: 'https://crm.test/in', event: '*', additionalFields });
		expect(world.service.requests).toEqual([
			expect.objectContaining({ query: {}, body: { targetUrl: 'https://crm.test/in' } }),
		]);
	});

	it.each([['emailsReplied'], ['*']])(
		'shows the event that the webhook has according to the service, where %s was sent',
		async (event) => {
			const existing = { _id: 'hoo_old', targetUrl: 'https://crm.test/in', type: 'emailsSent' };
			world.respondOnce('POST', existing);
			const created = await world.run('create', { targetUrl: existing.targetUrl, event });
			expect(jsonOf(created)).toEqual([
				{
					...existing,
					note: "The service returned a webhook with another event than the node has sent: check it with the operation 'Get'.",
				},
			]);
		},
	);

	it('shows another target URL and campaign that the service returned, and says so', async () => {
		const returned = { _id: 'hoo_1', targetUrl: 'https://other.test/in', campaignId: 'cam_2' };
		world.respondOnce('POST', returned);
		const additionalFields = { campaignId: 'cam_1', secret: 'a-secret' };
		const parameters = { targetUrl: 'https://crm.test/in', event: '*', additionalFields };
		expect(jsonOf(await world.run('create', parameters))).toEqual([
			{
				...returned,
				note: textLike(
					/^The service returned a webhook with another target URL and another campaign /,
				),
			},
		]);
	});

	it.each([
		'https://crm.test/in/{{ $json.id }}',
		'https://crm.test/{{ $json.id }}/in',
		'https://crm.test/in?id={{ $json.id }}',
		"{{ 'https://crm.test/' + $json.id }}",
		'https://{{ $json.id }}.crm.test',
	])('refuses a target URL with a part that an expression left out: %s', async (url) => {
		const error = await world.fail('create', { targetUrl: `=${url}`, event: '*' });
		expect(error.message).toBe("The value of 'Target URL' cannot be used");
		expect(world.requests()).toEqual([]);
	});

	it('accepts a slash at the end of a target URL that somebody has typed, or that an expression returns', async () => {
		for (const targetUrl of ['https://crm.test/in/', '={{ $json.url }}']) {
			await world.run(
				'create',
				{ targetUrl, event: '*' },
				{ items: [{ url: 'https://crm.test/in/' }] },
			);
		}
		expect(world.webhooks.map(({ targetUrl }) => targetUrl)).toEqual(
			Array(2).fill('https://crm.test/in/'),
		);
	});

	it('treats status 201 as success', async () => {
		world.service.setSwitches({ createStatus: 201 });
		const items = await world.run('create', { targetUrl: 'https://crm.test/in', event: '*' });
		expect(jsonOf(items)).toEqual([expect.objectContaining({ _id: world.webhooks[0]?._id })]);
		expect(world.webhooks).toHaveLength(1);
	});

	it('names the webhook when a success holds none', async () => {
		world.service.setSwitches({ createStatus: 204 });
		const { description } = await world.fail('create', { targetUrl: 'https://x.test', event: '*' });
		expect(description).toContain(`with these settings: ${world.webhookIds[0]}.`);
		expect(world.webhooks).toHaveLength(1);
	});
});

describe('Get and Delete', () => {
	it.each([
		['by a value from the list', (id: string) => byId(id, 'list')],
		['by ID', (id: string) => byId(id)],
		['by an ID without a resource locator', (id: string) => id],
		['by its API URL', (id: string) => byId(`${world.service.baseUrl}/hooks/${id}`)],
		[
			'by its API URL with a query and a fragment',
			(id: string) => byId(`https://x.test/hooks/${id}/?a=1#b`),
		],
	])('find the webhook %s', async (_, locate) => {
		const { _id } = world.addWebhook({ type: 'emailsSent' });
		world.addWebhook();
		const [found] = jsonOf(await world.run('get', { webhookId: locate(_id) }));
		expect(found).toMatchObject({ _id, type: 'emailsSent' });
		const [deleted] = jsonOf(await world.run('delete', { webhookId: locate(_id) }));
		expect(deleted).toEqual({ ...found, deleted: true });
		expect(world.webhookIds).not.toContain(_id);
	});

	it.each([
		'{"deleted":false}',
		'{"status":"error"}',
		'Deleted',
		'{"ok":true}',
		'[]',
		'{"error":"Internal error","path":"/hooks"}',
	])(
		'delete does not claim to know the outcome when the service responds with %s',
		async (body) => {
			const { _id } = world.addWebhook();
			world.service.addFault({ kind: 'status', status: 200, body, match: { method: 'DELETE' } });
			const error = await world.fail('delete', { webhookId: byId(_id) });
			expect(error.message).toContain("does not look like the service's API");
			expect(error.description).toMatch(/^Whether the webhook \S+ is deleted is not known/);
		},
	);

	it('no item shows a secret that the service repeats', async () => {
		const echoed = { _id: 'hoo_1', targetUrl: 'https://crm.test/in', secret: 'a-secret' };
		world.respondOnce('POST', echoed);
		world.respondOnce('DELETE', echoed);
		const list = { kind: 'status', status: 200, body: JSON.stringify([echoed]) } as const;
		world.service.addFault({ ...list, match: { method: 'GET' }, times: 2 });
		const items = [
			...(await world.run('create', {
				targetUrl: echoed.targetUrl,
				event: '*',
				additionalFields: { secret: 'a-secret' },
			})),
			...(await world.run('getAll')),
			...(await world.run('get', { webhookId: byId('hoo_1') })),
			...(await world.run('delete', { webhookId: byId('hoo_1') })),
		];
		expect(items).toHaveLength(4);
		expect(JSON.stringify(items)).not.toContain('secret');
	});

	it.each(['get', 'delete'])(
		'%s fails with an error that names a webhook that does not exist',
		async (operation) => {
			world.addWebhook();
			world.service.setSwitches({ notFoundStatus: 400 });
			const error = await world.fail(operation, { webhookId: byId('hoo_gone') });
			expect(error.message).toBe('The webhook hoo_gone was not found');
			expect(error.description).toContain('Get Many');
			expect(error.context?.itemIndex).toBe(0);
		},
	);

	it('process the other items when one fails, with continue-on-fail; the failed item has its error and pairing', async () => {
		const webhooks = [world.addWebhook(), world.addWebhook()];
		const items = await world.run(
			'delete',
			{ webhookId: byId('={{ $json.id }}') },
			{
				items: [{ id: webhooks[0]!._id }, { id: 'hoo_gone' }, { id: webhooks[1]!._id }],
				continueOnFail: true,
			},
		);
		expect(items).toEqual([
			{ json: like({ deleted: true }), pairedItem: { item: 0 } },
			{
				json: { error: textLike(/^The webhook hoo_gone was not found\. It may/) },
				pairedItem: { item: 1 },
			},
			{ json: like({ deleted: true }), pairedItem: { item: 2 } },
		]);
		expect(world.webhooks).toEqual([]);
	});
});

/**
 * Create, Get and Delete: what they send, what they output, and what they do not claim to know. The world is a local
 * service and the action node in one process of n8n.
 */
import { byId, jsonOf } from '../support/action';
import { like } from '../support/matchers';
import { useWorld } from '../support/world';

const world = useWorld();

const TARGET = { targetUrl: 'https://crm.test/in', event: '*' };

describe('Create', () => {
	it('sends every field in the query and the body, and returns the response of the service', async () => {
		const fields = { campaignId: 'cam_1', isFirst: true, toolLinkId: 0 };
		const items = await world.run('create', {
			targetUrl: ' https://crm.test/in ',
			event: 'emailsReplied',
			additionalFields: { ...fields, secret: 's3cret' },
		});
		const { team, hasSecret, disabled, ...webhook } = world.webhooks[0]!;
		expect([team, hasSecret, disabled]).toEqual([expect.any(String), true, false]);
		expect(webhook).toMatchObject({
			...fields,
			type: 'emailsReplied',
			targetUrl: 'https://crm.test/in',
		});
		expect(items).toEqual([{ json: webhook, pairedItem: { item: 0 } }]);
		const [{ query, body } = {}] = world.service.requests;
		expect(query).toEqual({ campaignId: 'cam_1', isFirst: 'true', toolLinkId: '0' });
		expect(body).toMatchObject(fields);
	});

	it('omits fields that are not set, and treats status 201 as success', async () => {
		world.service.setSwitches({ createStatus: 201 });
		const additionalFields = { campaignId: '', isFirst: false, secret: '', toolLinkId: '' };
		await world.run('create', { ...TARGET, additionalFields });
		expect(world.service.requests).toEqual([
			like({ query: {}, body: { targetUrl: 'https://crm.test/in' } }),
		]);
	});
});

describe('Get and Delete', () => {
	it.each([
		['by a value from the list', (id: string) => byId(id, 'list')],
		['by an ID without a resource locator', (id: string) => id],
		['by its API URL', (id: string) => byId(`${world.service.baseUrl}/hooks/${id}`)],
	])('find the webhook %s', async (_, locate) => {
		const { _id } = world.addWebhook({ type: 'emailsSent' });
		world.addWebhook();
		const [found] = jsonOf(await world.run('get', { webhookId: locate(_id) }));
		expect(found).toMatchObject({ _id, type: 'emailsSent' });
		const [deleted] = jsonOf(await world.run('delete', { webhookId: locate(_id) }));
		expect(deleted).toEqual({ ...found, deleted: true });
		expect(world.webhookIds).not.toContain(_id);
	});

	it.each(['get', 'delete'])('%s fails for a webhook that does not exist', async (operation) => {
		world.addWebhook();
		world.service.setSwitches({ notFoundStatus: 400 });
		const error = await world.fail(operation, { webhookId: byId('hoo_gone') });
		expect(error.message).toBe('The webhook hoo_gone was not found');
		expect(error.description).toContain('Get Many');
		expect(error).toMatchObject({ httpCode: '404' });
		expect(error.context?.itemIndex).toBe(0);
	});
});

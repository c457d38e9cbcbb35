/**
 * Each operation of the action node does in a real n8n what it says. The world is a real n8n with the package and a
 * local service.
 */
import { errorOf, itemsOf } from '../../tools/host';
import { runAction, useOutreachHost, useServiceCredential } from './outreachHost';
import { ACTION_NAME } from '../../tools/host/workflows';

const host = useOutreachHost();
const credential = useServiceCredential(host);

beforeEach(() => {
	for (const { _id } of host().service.hooks()) host().service.removeHook(_id);
});

/** Runs one operation, as _Execute workflow_ in the editor does. */
async function run(resource: string, operation: string, parameters: Record<string, unknown> = {}) {
	const execution = await runAction(host(), credential(), { resource, operation, ...parameters });
	return { execution, items: itemsOf(execution, ACTION_NAME) };
}

const webhooks = () => host().service.hooks();
const add = (targetUrl: string, type?: string) => host().service.addHook({ targetUrl, type });
const byId = (value: string) => ({ webhookId: { __rl: true, mode: 'id', value } });

describe('In a real n8n', () => {
	test('Create registers a webhook', async () => {
		const { items } = await run('webhook', 'create', {
			targetUrl: 'https://crm.example.com/in',
			event: 'emailsReplied',
			additionalFields: { campaignId: 'cam_1', isFirst: true, secret: 'a-secret', toolLinkId: 7 },
		});
		const [webhook] = webhooks();
		expect(webhook).toMatchObject({ type: 'emailsReplied', campaignId: 'cam_1', hasSecret: true });
		expect(items).toEqual([expect.objectContaining({ _id: webhook?._id, toolLinkId: 7 })]);
	});

	test('Get Many lists the webhooks that match the filters', async () => {
		add('https://a.example.com/1', 'emailsReplied');
		const matching = add('https://b.example.com/2');
		const { items } = await run('webhook', 'getAll', { filters: { targetUrl: 'B.example' } });
		expect(items.map(({ _id }) => _id)).toEqual([matching._id]);
	});

	test('Get and Delete accept the ID or the URL of a webhook', async () => {
		const { _id } = add('https://a.example.com/1');
		expect((await run('webhook', 'get', byId(_id))).items).toEqual([
			expect.objectContaining({ _id, targetUrl: 'https://a.example.com/1' }),
		]);
		const url = `${host().service.baseUrl}/hooks/${_id}`;
		const { items } = await run('webhook', 'delete', byId(url));
		expect(items).toEqual([expect.objectContaining({ _id, deleted: true })]);
		expect(webhooks()).toEqual([]);
	});

	test('Delete Many lists the matching webhooks in a dry run, and deletes them without it', async () => {
		add('https://old.example.com/1');
		add('https://new.example.com/2');
		const filters = { targetUrl: 'old.' };
		const dryRun = await run('webhook', 'deleteMany', { filters });
		expect(dryRun.items).toHaveLength(1);
		expect(webhooks()).toHaveLength(2);
		const deleted = await run('webhook', 'deleteMany', { filters, dryRun: false });
		expect(deleted.items).toHaveLength(1);
		expect(webhooks().map(({ targetUrl }) => targetUrl)).toEqual(['https://new.example.com/2']);
	});

	test('Rotate Secret replaces a webhook and returns its new secret', async () => {
		const { _id } = add('https://a.example.com/1', 'smsReplied');
		const { items } = await run('webhook', 'rotateSecret', byId(_id));
		expect(items).toEqual([
			expect.objectContaining({ secret: expect.stringMatching(/^\w{64}$/) as string }),
		]);
		expect(webhooks()).toEqual([expect.objectContaining({ type: 'smsReplied', hasSecret: true })]);
		expect(webhooks()[0]?._id).not.toBe(_id);
	});

	test('Get and Compare return the people schema raw, as fields, and as differences', async () => {
		expect((await run('peopleSchema', 'get')).items).toHaveLength(1);
		const fields = await run('peopleSchema', 'get', { output: 'fields' });
		expect(fields.items).toContainEqual({
			path: 'experiences[].company_id',
			type: 'integer',
			isArray: false,
		});
		const same = await run('peopleSchema', 'compare');
		expect(same.items).toEqual([{ changed: false, added: [], removed: [], retyped: [] }]);
		host().service.setSwitches({ schemaFields: 'changed' });
		const changed = await run('peopleSchema', 'compare');
		host().service.setSwitches({ schemaFields: 'documented' });
		expect(changed.items).toEqual([expect.objectContaining({ changed: true })]);
	});

	test('a failing operation reports a helpful error', async () => {
		const { execution } = await run('webhook', 'get', byId('hoo_gone'));
		expect(execution.status).toBe('error');
		expect(errorOf(execution)).toBe('The webhook hoo_gone was not found');
	});
});

/** Non-interference: whatever stands in the list for somebody else disturbs no operation, and is never deleted. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { startService } from '../../../tools/service';
import {
	actionExecution,
	byId,
	failAction,
	jsonOf,
	runAction,
	searchList,
} from '../support/action';
import { actionNode } from '../support/n8n';
import { like } from '../support/matchers';
import { useWorld } from '../support/world';

const world = useWorld();

const ODD: Array<IDataObject & { _id: string }> = [
	{ toolLinkId: '12' },
	{ type: 5 },
	{ type: null, campaignId: null, createdAt: null, isFirst: null, toolLinkId: null, secret: null },
	{ type: ['emailsSent'], campaignId: { id: 'cam_1' }, createdAt: 1_732_176_000_000 },
	{ createdAt: 'lately', isFirst: 'yes', disabled: 'no', type: '' },
	{ deep: { deeper: [null, { a: 1 }] }, deleted: true, dryRun: 'x' },
].map((fields, n) => ({ _id: `hoo_odd${n}`, targetUrl: `https://odd.test/${n}`, ...fields }));

const JUNK = [
	null,
	7,
	'text',
	[],
	{},
	{ _id: 5, targetUrl: 'https://odd.test' },
	{ _id: 'hoo_no_url' },
];

/** Has the service list these beside its own webhooks, from now on. */
function listWith(others: unknown[]): IDataObject[] {
	const own = world.webhooks.map(({ _id, targetUrl, type, createdAt }) => ({
		_id,
		targetUrl,
		type,
		createdAt,
	}));
	world.service.addFault({
		kind: 'status',
		status: 200,
		body: JSON.stringify([...others, ...own]),
		times: 100,
		match: { method: 'GET' },
	});
	return JSON.parse(JSON.stringify(own)) as IDataObject[];
}

describe('Odd webhooks of others', () => {
	it('come untouched from Get Many and Get, and entries that are no webhooks are left out', async () => {
		world.addWebhook({ type: 'emailsReplied' });
		const own = listWith([...ODD, ...JUNK]);
		expect(jsonOf(await world.run('getAll', { returnAll: true }))).toEqual([...ODD, ...own]);
		for (const webhook of ODD) {
			expect(jsonOf(await world.run('get', { webhookId: byId(webhook._id) }))).toEqual([webhook]);
		}
	});

	it.each([[{ event: 'emailsReplied' }], [{ campaignId: 'cam_1' }], [{ targetUrl: 'CRM.test' }]])(
		'are passed over by the filters %j',
		async (filters) => {
			world.addWebhook({ type: 'emailsReplied', campaignId: 'cam_1' });
			const [own] = world.webhooks;
			listWith([...ODD, { _id: own?._id, targetUrl: own?.targetUrl, campaignId: 'cam_1' }]);
			for (const webhook of jsonOf(await world.run('getAll', { returnAll: true, filters }))) {
				expect(webhook._id).toBe(own?._id);
			}
		},
	);

	it.each(['createdAt', 'campaignId', 'targetUrl', 'type'])('are sorted by %s', async (field) => {
		world.addWebhook({ type: 'emailsReplied' });
		listWith(ODD);
		for (const direction of ['asc', 'desc']) {
			const sort = { property: [{ field, direction }] };
			const items = await world.run('getAll', { returnAll: true, sort });
			expect(items).toHaveLength(ODD.length + 1);
		}
	});

	it('are shown in the list of the editor', async () => {
		world.addWebhook({ type: 'emailsReplied' });
		listWith([...ODD, ...JUNK]);
		const { results } = await world.searchWebhooks();
		expect(results.map(({ value }) => value)).toEqual(
			expect.arrayContaining(ODD.map(({ _id }) => _id)),
		);
		expect((await world.searchWebhooks('odd.test/3')).results).toHaveLength(1);
	});

	it('do not keep Delete Many from the others, and are not deleted', async () => {
		const hooks = [
			world.addWebhook({ type: 'emailsReplied' }),
			world.addWebhook({ type: 'emailsReplied' }),
		];
		listWith([...ODD, ...JUNK]);
		const items = await world.run('deleteMany', {
			filters: { event: 'emailsReplied' },
			dryRun: false,
		});
		expect(jsonOf(items).map(({ _id }) => _id)).toEqual(hooks.map(({ _id }) => _id));
		const deleted = world.service.requests.filter(({ method }) => method === 'DELETE');
		expect(deleted.map(({ path }) => path).sort()).toEqual(
			hooks.map(({ _id }) => `/hooks/${_id}`).sort(),
		);
	});

	it('do not spoil the test of a credential', async () => {
		listWith([...ODD, ...JUNK]);
		const { baseUrl, apiKey } = world.service;
		const { context } = world.execution();
		expect(
			await actionNode.methods.credentialTest.outreachServiceApiTest.call(
				{ helpers: context.helpers } as never,
				{ id: '1', name: '', type: 'outreachServiceApi', data: { baseUrl, apiKey } },
			),
		).toMatchObject({ status: 'OK' });
	});

	it.each([
		['type', { type: 5 }],
		['toolLinkId', { toolLinkId: '12' }],
		['campaignId', { campaignId: { id: 1 } }],
		['isFirst', { isFirst: 'yes' }],
	])('are not rotated into something else (%s)', async (field, fields) => {
		const { _id, targetUrl } = world.addWebhook();
		listWith([{ _id, targetUrl, ...fields }]);
		const parameters = { resource: 'webhook', operation: 'rotateSecret', webhookId: byId(_id) };
		const error = await world.failNode(parameters);
		expect(error.message).toBe(`The webhook ${_id} has a setting that cannot be copied`);
		expect(error.description).toContain(`'${field}'`);
		expect(world.requests()).toEqual(['GET /hooks']);
	});
});

it('Whatever the list holds for others, Delete Many sends a DELETE only for what matches', async () => {
	const field = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.object());
	const other = fc
		.tuple(fc.uuid(), fc.dictionary(fc.constantFrom('type', 'campaignId', 'createdAt', 'x'), field))
		.map(([id, fields]) => ({ ...fields, _id: `hoo_${id}`, targetUrl: 'https://other.test/in' }));
	const running = await startService({ switches: { rateLimit: 'off' } });
	const mine = Array.from({ length: 3 }, () =>
		running.addHook({ targetUrl: 'https://mine.test/in' }),
	);
	await fc.assert(
		fc.asyncProperty(fc.array(fc.oneof(other, fc.jsonValue())), async (others) => {
			running.clearFaults();
			running.clearRequests();
			const body = JSON.stringify([...others, ...mine]);
			running.addFault({ kind: 'status', status: 200, body, match: { method: 'GET' } });
			const items = await runAction(running, {
				resource: 'webhook',
				operation: 'deleteMany',
				filters: { targetUrl: 'mine.test' },
			});
			expect(jsonOf(items)).toEqual(mine.map(({ _id }) => like({ _id, dryRun: true })));
			expect(running.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
		}),
		{ numRuns: 15 },
	);
	await running.close();
});

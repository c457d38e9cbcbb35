/**
 * Get Many and the filters of webhooks: what is selected, how often the list is fetched, and what it leaves as it came. The
 * world is a local service and the action node in one process of n8n.
 */
import type { IDataObject } from 'n8n-workflow';

import { byId, jsonOf } from '../support/action';
import { like } from '../support/matchers';
import { useWorld } from '../support/world';

const world = useWorld();

const path = (url: unknown) => (typeof url === 'string' ? url.replace(/^.*\//, '') : url);

const fill = () => {
	world.addWebhook({ targetUrl: 'https://a.test/One', type: 'emailsReplied', campaignId: 'cam_1' });
	world.addWebhook({ targetUrl: 'https://b.test/two', type: 'emailsReplied' });
	world.addWebhook({ targetUrl: 'https://a.test/three', campaignId: 'cam_1' });
};

it.each([
	[{}, ['One', 'two', 'three']],
	[{ event: '*' }, ['three']],
	[{ targetUrl: 'A.TEST/' }, ['One', 'three']],
	[{ event: 'emailsReplied', campaignId: 'cam_1', targetUrl: 'one' }, ['One']],
	[{ campaignId: 'https://app.test/campaigns/cam_1/edit' }, ['One', 'three']],
	[{ campaignId: 'cam_2' }, []],
])('finds, with the filters %j, the webhooks %j', async (filters, expected) => {
	fill();
	const items = await world.run('getAll', { returnAll: true, filters });
	expect(jsonOf(items).map(({ targetUrl }) => path(targetUrl))).toEqual(expected);
});

it('returns 50 webhooks by default, or as many as the limit allows, or all', async () => {
	for (let count = 0; count < 60; count++) world.addWebhook();
	expect(await world.run('getAll')).toHaveLength(50);
	expect(await world.run('getAll', { limit: '=3' })).toHaveLength(3);
	expect(await world.run('getAll', { returnAll: true, limit: 3 })).toHaveLength(60);
});

it('fetches the list once for all items of an execution, whatever reads it, and pairs each webhook with its item', async () => {
	fill();
	const items = [{ event: '*' }, { event: 'emailsReplied' }];
	const webhookId = byId(world.webhookIds[0]!);
	await world.run('get', { webhookId }, { items });
	const found = await world.run('getAll', { filters: { event: '={{ $json.event }}' } }, { items });
	expect(world.requests()).toEqual(['GET /hooks', 'GET /hooks']);
	expect(found.map(({ pairedItem }) => pairedItem)).toEqual([
		{ item: 0 },
		{ item: 1 },
		{ item: 1 },
	]);
});

it('fetches the list again for the next item if it could not be fetched for one', async () => {
	fill();
	world.refuse('GET', 403);
	const items = Array.from({ length: 6 }, () => ({}));
	const webhookId = byId(world.webhookIds[0]!);
	const output = await world.run('get', { webhookId }, { items, continueOnFail: true });
	expect(output.at(-1)?.json).toMatchObject({ _id: world.webhookIds[0] });
});

it('gives each item objects of its own, in all places', async () => {
	const objectsIn = (value: unknown): object[] =>
		typeof value === 'object' && value !== null
			? [value, ...Object.values(value).flatMap(objectsIn)]
			: [];
	world.respondOnce('GET', [{ _id: 'hoo_1', targetUrl: 'https://a.test', deep: { a: [] } }]);
	const objects = objectsIn(jsonOf(await world.run('getAll', {}, { items: [{}, {}] })));
	expect(objects).toHaveLength(7);
	expect(new Set(objects).size).toBe(objects.length);
});

it('treats "Webhook not found" as an empty list', async () => {
	world.service.setSwitches({ emptyList: 'notFound' });
	expect(await world.run('getAll')).toEqual([]);
});

describe('Webhooks with odd fields', () => {
	const ODD: Array<IDataObject & { _id: string }> = [
		{ type: 5, toolLinkId: '12' },
		{ type: null, campaignId: null, createdAt: null, isFirst: null, secret: null },
		{ type: ['emailsSent'], campaignId: { id: 'cam_1' }, createdAt: 1_732_176_000_000 },
		{ deep: { deeper: [null, { a: 1 }] }, deleted: true, dryRun: 'x', type: '' },
	].map((fields, n) => ({ _id: `hoo_odd${n}`, targetUrl: `https://odd.test/${n}`, ...fields }));

	beforeEach(() => {
		const junk = [null, 7, 'text', [], {}, { _id: 5, targetUrl: 'https://odd.test' }, { _id: 'a' }];
		const body = JSON.stringify([...ODD, ...junk]);
		world.service.addFault({ kind: 'status', status: 200, body, times: 9 });
	});

	it('are returned unchanged by Get Many, Get and the list of the editor, which omit entries that are no webhooks', async () => {
		expect(jsonOf(await world.run('getAll'))).toEqual(ODD);
		for (const webhook of ODD) {
			expect(jsonOf(await world.run('get', { webhookId: byId(webhook._id) }))).toEqual([webhook]);
		}
		const { results } = await world.searchWebhooks();
		expect(results.map(({ value }) => value).sort()).toEqual(ODD.map(({ _id }) => _id));
	});

	it('pass the filter All Events only if they have no event', async () => {
		const found = jsonOf(await world.run('deleteMany', { filters: { event: '*' } }));
		expect(found.map(({ _id }) => _id)).toEqual(['hoo_odd1', 'hoo_odd3']);
		// Fields of the result, whatever the webhook has.
		expect(found[1]).toMatchObject({ deleted: false, dryRun: true });
	});
});

const NO_WILDCARDS =
	"No target URL contains it. There are no wildcards: enter a part of the URL without '*', such as the name of a host.";
const MISSPELLED = "The service has no event type 'emailReplied'. Did you mean 'emailsReplied'?";

it.each([
	['Target URL Contains', { targetUrl: 'n8n.*' }, NO_WILDCARDS],
	['Event', { event: 'emailReplied' }, MISSPELLED],
	[
		'Event',
		{ event: 'Email: Reply Received' },
		/no event type 'Email: Reply Received'. Did you mean 'emailsReplied'/,
	],
])('A %s that no webhook can have is refused: %j', async (label, filters, reason) => {
	world.addWebhook();
	const error = await world.fail('deleteMany', { filters, dryRun: false });
	expect(error.message).toBe(`The value of '${label}' cannot be used`);
	expect(error.description).toMatch(reason);
	expect(world.webhooks).toHaveLength(1);
});

it.each([
	[{ targetUrl: 'https://n8n.test/webhook?event=*' }, { targetUrl: '?event=*' }],
	[{ targetUrl: 'https://crm.test/undefined' }, { targetUrl: 'undefined' }],
	[{ type: 'emailReplied' }, { event: 'emailReplied' }],
])('unless a webhook has exactly that: %j', async (fields, filters) => {
	const { _id } = world.addWebhook(fields);
	world.addWebhook();
	expect(jsonOf(await world.run('getAll', { filters }))).toEqual([like({ _id })]);
});

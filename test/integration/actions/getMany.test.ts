/**
 * Get Many: how many webhooks it returns, how often it asks for them, and what it leaves as it came. The world is a
 * local service and the action node in one process of n8n.
 */
import { byId, jsonOf } from '../support/action';
import { like } from '../support/matchers';
import { FILTERING_OPERATIONS } from '../support/operations';
import { useWorld } from '../support/world';

const world = useWorld();

/** A webhook with a field that the API does not have. */
const UNKNOWN_FIELDS = {
	_id: 'hoo_1',
	targetUrl: 'https://crm.test/in',
	createdAt: '2026-01-01T00:00:00.000Z',
	somethingNew: { deep: [1, null] },
};

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
	[{ campaignId: 'cam_2' }, []],
])('finds, with the filters %j, the webhooks %j', async (filters, expected) => {
	fill();
	const items = await world.run('getAll', { returnAll: true, filters });
	expect(jsonOf(items).map(({ targetUrl }) => path(targetUrl))).toEqual(expected);
});

it('returns 50 webhooks by default, or as many as the limit allows, or all', async () => {
	for (let count = 0; count < 60; count++) world.addWebhook();
	expect(await world.run('getAll')).toHaveLength(50);
	expect(await world.run('getAll', { limit: 3 })).toHaveLength(3);
	expect(await world.run('getAll', { limit: '=3' })).toHaveLength(3);
	expect(await world.run('getAll', { returnAll: true, limit: 3 })).toHaveLength(60);
});

it('fetches the list once for all items of an execution, whatever reads it', async () => {
	fill();
	const [id] = world.webhookIds;
	const items = Array.from({ length: 200 }, () => ({}));
	for (const operation of ['get', 'getAll']) {
		const since = world.service.requests.length;
		await world.run(operation, { webhookId: byId(id!) }, { items });
		expect(world.requests(since)).toEqual(['GET /hooks']);
	}
});

it('pairs each webhook with its input item', async () => {
	fill();
	const items = await world.run(
		'getAll',
		{ filters: { event: '={{ $json.event }}' } },
		{ items: [{ event: '*' }, { event: 'emailsReplied' }] },
	);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([
		{ item: 0 },
		{ item: 1 },
		{ item: 1 },
	]);
});

it('keeps unknown fields, and optional fields that are null', async () => {
	world.respondOnce('GET', [{ ...UNKNOWN_FIELDS, type: null, campaignId: null }]);
	expect(jsonOf(await world.run('getAll'))).toEqual([
		{ ...UNKNOWN_FIELDS, type: null, campaignId: null },
	]);
});

it('treats "Webhook not found" as an empty list', async () => {
	world.service.setSwitches({ emptyList: 'notFound' });
	expect(await world.run('getAll')).toEqual([]);
});

it.each(FILTERING_OPERATIONS)(
	'%s says that there are no wildcards, unless a target URL contains the very text',
	async (operation) => {
		const targetUrl = 'ftp://n8n.test/webhook/my-id/webhook?event=*';
		world.addWebhook({ targetUrl });
		for (const part of ['*.n8n.test', 'n8n.*', 'https://*/webhook']) {
			const error = await world.fail(operation, { filters: { targetUrl: part }, dryRun: false });
			expect(error.message).toBe("The value of 'Target URL Contains' cannot be used");
			expect(error.description).toBe(
				"No target URL contains it. There are no wildcards: enter a part of the URL without '*', such as the name of a host.",
			);
		}
		const items = await world.run(operation, { filters: { targetUrl: '?event=*' } });
		expect(jsonOf(items)).toEqual([like({ targetUrl })]);
	},
);

it.each(FILTERING_OPERATIONS)(
	'%s refuses what a missing value leaves in a filter, unless a target URL contains the very text',
	async (operation) => {
		const reason =
			'A part of it is undefined, null or NaN, which an expression leaves when it returns nothing. Check the result of each expression in it.';
		for (const [name, value, label] of [
			['targetUrl', '={{ String($json.host) }}', 'Target URL Contains'],
			['targetUrl', "={{ 'https://' + $json.host }}", 'Target URL Contains'],
			['event', '={{ String($json.event ?? null) }}', 'Event'],
		] as const) {
			const error = await world.fail(operation, { filters: { [name]: value } });
			expect(error.message).toBe(`The value of '${label}' cannot be used`);
			expect(error.description).toBe(reason);
		}
		// 'NaN' is in it only by chance.
		world.addWebhook({ targetUrl: 'https://crm.test/tenant/1' });
		const byChance = await world.fail(operation, { filters: { targetUrl: 'NaN' } });
		expect(byChance.message).toBe("The value of 'Target URL Contains' cannot be used");
		const targetUrl = 'ftp://crm.test/undefined';
		world.addWebhook({ targetUrl });
		const items = await world.run(operation, { filters: { targetUrl: 'undefined' } });
		expect(jsonOf(items)).toEqual([like({ targetUrl })]);
	},
);

it.each(FILTERING_OPERATIONS)(
	'%s says what a misspelled event was probably meant to be, unless a webhook has exactly that',
	async (operation) => {
		const filters = { event: 'emailReplied' };
		const error = await world.fail(operation, { filters });
		expect(error.message).toBe("The value of 'Event' cannot be used");
		expect(error.description).toBe(
			"The service has no event type 'emailReplied'. Did you mean 'emailsReplied'?",
		);
		world.addWebhook({ type: 'emailReplied', targetUrl: 'ftp://crm.test' });
		expect(await world.run(operation, { filters })).toHaveLength(1);
	},
);

import { jsonOf } from '../support/action';
import { useWorld } from '../support/world';

const world = useWorld();

/** A webhook with a field that the API spec does not have. */
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
	[{ event: 'emailsReplied' }, ['One', 'two']],
	[{ event: '*' }, ['three']],
	[{ campaignId: 'cam_1' }, ['One', 'three']],
	[{ targetUrl: 'A.TEST/' }, ['One', 'three']],
	[{ event: 'emailsReplied', campaignId: 'cam_1', targetUrl: 'one' }, ['One']],
	[{ event: '', campaignId: '', targetUrl: '' }, ['One', 'two', 'three']],
	[{ campaignId: 'cam_2' }, []],
])('finds, with the filters %j, the webhooks %j', async (filters, expected) => {
	fill();
	const items = await world.run('getAll', { returnAll: true, filters });
	expect(jsonOf(items).map(({ targetUrl }) => path(targetUrl))).toEqual(expected);
});

it('returns 50 webhooks by default, or as many as the limit allows, or all', async () => {
	for (let i = 0; i < 60; i++) world.addWebhook();
	expect(await world.run('getAll')).toHaveLength(50);
	expect(await world.run('getAll', { limit: 3 })).toHaveLength(3);
	expect(await world.run('getAll', { limit: '=3' })).toHaveLength(3);
	expect(await world.run('getAll', { returnAll: true, limit: 3 })).toHaveLength(60);
});

const sortedBy = async (...property: Array<{ field: string; direction?: string }>) => {
	const items = await world.run('getAll', { returnAll: true, sort: { property } });
	return jsonOf(items).map(({ targetUrl }) => path(targetUrl));
};

it.each([
	['targetUrl', ['One', 'three', 'two'], ['two', 'three', 'One']],
	['createdAt', ['three', 'two', 'One'], ['One', 'two', 'three']],
	// Webhooks without the field come last in both directions.
	['type', ['One', 'two', 'three'], ['two', 'One', 'three']],
	['campaignId', ['three', 'One', 'two'], ['One', 'three', 'two']],
])('sorts by %s', async (field, ascending, descending) => {
	const webhook = (name: string, createdAt: string, fields: object) => ({
		_id: name,
		targetUrl: `https://a.test/${name}`,
		createdAt,
		...fields,
	});
	// In several time zones: sorted as text, the order would be different.
	const list = [
		webhook('two', '2026-01-02T00:00:00Z', { type: 'smsSent', campaignId: null }),
		webhook('One', '2026-01-01T23:00:00-05:00', { type: 'emailsSent', campaignId: 'cam_2' }),
		webhook('three', '2026-01-02T03:00:00+09:00', { campaignId: 'cam_1' }),
	];
	world.respondOnce('GET', list);
	expect(await sortedBy({ field, direction: 'asc' })).toEqual(ascending);
	world.respondOnce('GET', list);
	expect(await sortedBy({ field, direction: 'desc' })).toEqual(descending);
});

it('applies the second rule to webhooks that are equal by the first, and then the limit', async () => {
	fill();
	const rules = [{ field: 'type' }, { field: 'targetUrl', direction: 'desc' }];
	expect(await sortedBy(...rules)).toEqual(['two', 'One', 'three']);
	const [item] = await world.run('getAll', { limit: 1, sort: { property: rules } });
	expect(path(item?.json.targetUrl)).toBe('two');
});

it('keeps the order of the service without a rule, and rejects an invalid rule', async () => {
	fill();
	expect(await sortedBy()).toEqual(['One', 'two', 'three']);
	const sort = { property: [{ field: 'colour' }] };
	const error = await world.fail('getAll', { sort });
	expect(error.message).toBe("The value of 'Sort' cannot be used");
	expect(error.description).toMatch(/^It must be one of: createdAt/);
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

it.each(['getAll', 'check', 'deleteMany'])(
	'%s says what a misspelled event was probably meant to be, unless a webhook has exactly that',
	async (operation) => {
		const filters = { event: 'emailReplied' };
		const error = await world.fail(operation, { filters });
		expect(error.message).toBe("The value of 'Event' cannot be used");
		expect(error.description).toBe(
			"It is not an event type of the service. Did you mean 'emailsReplied'?",
		);
		world.addWebhook({ type: 'emailReplied', targetUrl: 'ftp://crm.test' });
		expect(await world.run(operation, { filters })).toHaveLength(1);
	},
);

it('rejects a filter whose expression returns nothing, because it would find too much', async () => {
	fill();
	const error = await world.fail('getAll', { filters: { campaignId: '={{ $json.missing }}' } });
	expect(error.message).toBe("The value of 'Campaign ID' cannot be used");
	expect(world.requests()).toEqual([]);
});

import { jsonOf } from '../support/action';
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
	[{ event: 'emailsReplied' }, ['One', 'two']],
	[{ event: '*' }, ['three']],
	[{ campaignId: 'cam_1' }, ['One', 'three']],
	[{ targetUrl: 'A.TEST/' }, ['One', 'three']],
	[{ event: 'emailsReplied', campaignId: 'cam_1', targetUrl: 'one' }, ['One']],
	[{ event: '', campaignId: '', targetUrl: '' }, ['One', 'two', 'three']],
	[{ campaignId: 'cam_2' }, []],
])('with the filters %j finds %j', async (filters, expected) => {
	fill();
	const items = await world.run('getAll', { returnAll: true, filters });
	expect(jsonOf(items).map(({ targetUrl }) => path(targetUrl))).toEqual(expected);
});

it('gives 50 unless told otherwise, or as many as the limit, or all', async () => {
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
	// What lacks the field comes last in both directions.
	['type', ['One', 'two', 'three'], ['two', 'One', 'three']],
	['campaignId', ['three', 'One', 'two'], ['One', 'three', 'two']],
])('sorts by %s', async (field, ascending, descending) => {
	const webhook = (name: string, createdAt: string, fields: object) => ({
		_id: name,
		targetUrl: `https://a.test/${name}`,
		createdAt,
		...fields,
	});
	// Of several time zones: as text they would be in another order.
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

it('sorts by the second rule what is equal in the first, and limits afterwards', async () => {
	fill();
	const rules = [{ field: 'type' }, { field: 'targetUrl', direction: 'desc' }];
	expect(await sortedBy(...rules)).toEqual(['two', 'One', 'three']);
	const [item] = await world.run('getAll', { limit: 1, sort: { property: rules } });
	expect(path(item?.json.targetUrl)).toBe('two');
});

it('leaves the order of the service without a rule, and names a rule that makes no sense', async () => {
	fill();
	expect(await sortedBy()).toEqual(['One', 'two', 'three']);
	const sort = { property: [{ field: 'colour' }] };
	const error = await world.fail('getAll', { sort });
	expect(error.message).toBe("The value of 'Sort' cannot be used");
	expect(error.description).toMatch(/^It must be one of: createdAt/);
});

it('pairs each webhook with the item that asked for it', async () => {
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

it('keeps unknown fields, and optional ones that are null', async () => {
	world.respondOnce('GET', [{ ...ODD_HOOK, type: null, campaignId: null }]);
	expect(jsonOf(await world.run('getAll'))).toEqual([
		{ ...ODD_HOOK, type: null, campaignId: null },
	]);
});

it('takes "Webhook not found" for an empty list', async () => {
	world.service.setSwitches({ emptyList: 'notFound' });
	expect(await world.run('getAll')).toEqual([]);
});

it('refuses a filter whose expression found nothing, rather than finding too much', async () => {
	fill();
	const error = await world.fail('getAll', { filters: { campaignId: '={{ $json.missing }}' } });
	expect(error.message).toBe("The value of 'Campaign ID' cannot be used");
	expect(world.requests()).toEqual([]);
});

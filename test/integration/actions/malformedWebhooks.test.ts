/**
 * Malformed webhooks of others in the list disturb no operation, and are never deleted. The world is a local service
 * and the action node in one process of n8n.
 */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { tries } from '../../propertyRuns';
import { byId, jsonOf } from '../support/action';
import { like } from '../support/matchers';
import { useWorld } from '../support/world';

const world = useWorld();

const MALFORMED: Array<IDataObject & { _id: string }> = [
	{ toolLinkId: '12' },
	{ type: 5 },
	{ type: null, campaignId: null, createdAt: null, isFirst: null, toolLinkId: null, secret: null },
	{ type: ['emailsSent'], campaignId: { id: 'cam_1' }, createdAt: 1_732_176_000_000 },
	{ createdAt: 'lately', isFirst: 'yes', disabled: 'no', type: '' },
	{ deep: { deeper: [null, { a: 1 }] }, deleted: true, dryRun: 'x' },
].map((fields, n) => ({ _id: `hoo_malformed${n}`, targetUrl: `https://odd.test/${n}`, ...fields }));

/** Entries that are not webhooks. */
const JUNK = [
	null,
	7,
	'text',
	[],
	{},
	{ _id: 5, targetUrl: 'https://odd.test' },
	{ _id: 'hoo_no_url' },
];

/** Makes the service list these entries besides its own webhooks, from now on. */
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

describe('Malformed webhooks of others', () => {
	it('are returned unchanged by Get Many and Get, which omit entries that are not webhooks', async () => {
		world.addWebhook({ type: 'emailsReplied' });
		const own = listWith([...MALFORMED, ...JUNK]);
		expect(jsonOf(await world.run('getAll', { returnAll: true }))).toEqual([...MALFORMED, ...own]);
		for (const webhook of MALFORMED) {
			expect(jsonOf(await world.run('get', { webhookId: byId(webhook._id) }))).toEqual([webhook]);
		}
	});

	it('are shown in the list in the editor', async () => {
		world.addWebhook({ type: 'emailsReplied' });
		listWith([...MALFORMED, ...JUNK]);
		const { results } = await world.searchWebhooks();
		expect(results.map(({ value }) => value)).toEqual(
			expect.arrayContaining(MALFORMED.map(({ _id }) => _id)),
		);
		expect((await world.searchWebhooks('odd.test/3')).results).toHaveLength(1);
	});

	it.each([
		['type', { type: 5 }],
		['campaignId', { campaignId: { id: 1 } }],
		['toolLinkId', { toolLinkId: 'x' }],
	])('are not rotated, because their settings cannot be copied (%s)', async (field, fields) => {
		const { _id, targetUrl } = world.addWebhook();
		listWith([{ _id, targetUrl, ...fields }]);
		const error = await world.fail('rotateSecret', { webhookId: byId(_id) });
		expect(error.message).toBe(`The webhook ${_id} has a setting that cannot be copied`);
		expect(error.description).toContain(`'${field}'`);
		expect(world.requests()).toEqual(['GET /hooks']);
	});
});

it('Whatever else is in the list, a dry run of Delete Many shows only the webhooks that match, and sends no DELETE', async () => {
	const field = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.object());
	const other = fc
		.tuple(fc.uuid(), fc.dictionary(fc.constantFrom('type', 'campaignId', 'createdAt', 'x'), field))
		.map(([id, fields]) => ({ ...fields, _id: `hoo_${id}`, targetUrl: 'https://other.test/in' }));
	world.service.setSwitches({ rateLimit: 'off' });
	const mine = Array.from({ length: 3 }, () =>
		world.addWebhook({ targetUrl: 'https://mine.test/in' }),
	);
	await fc.assert(
		fc.asyncProperty(fc.array(fc.oneof(other, fc.jsonValue())), async (others) => {
			world.service.clearFaults();
			world.service.clearRequests();
			const body = JSON.stringify([...others, ...mine]);
			world.service.addFault({ kind: 'status', status: 200, body, match: { method: 'GET' } });
			const items = await world.run('deleteMany', { filters: { targetUrl: 'mine.test' } });
			expect(jsonOf(items)).toEqual(mine.map(({ _id }) => like({ _id, dryRun: true })));
			expect(world.service.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
		}),
		{ numRuns: tries(4) },
	);
});

it('Delete Many with the event All Events deletes no webhook whose event cannot be read', async () => {
	listWith(MALFORMED);
	const parameters = { filters: { event: '*' }, dryRun: true };
	const selected = jsonOf(await world.run('deleteMany', parameters)).map(({ _id }) => _id);
	const isForAll = ({ type }: IDataObject) => type === undefined || type === null || type === '';
	expect(selected).toEqual(MALFORMED.filter(isForAll).map(({ _id }) => _id));
	expect(selected.length).toBeLessThan(MALFORMED.length);
});

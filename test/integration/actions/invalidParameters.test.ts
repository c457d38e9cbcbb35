/**
 * Invalid, empty, huge and malicious values cause an error that names the parameter and the item, and no request. The
 * world is a local service and the action node in one process of n8n.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { byId, jsonOf } from '../support/action';
import { like } from '../support/matchers';
import { EVERY_FIELD, FILTERING_OPERATIONS, FILTERS, operationIn } from '../support/operations';
import { useWorld } from '../support/world';

const world = useWorld();

const create = (parameters: INodeParameters): INodeParameters => ({
	resource: 'webhook',
	operation: 'create',
	targetUrl: 'https://crm.test/in',
	event: '*',
	...parameters,
});
const of = (operation: string, parameters: INodeParameters): INodeParameters => ({
	resource: 'webhook',
	operation,
	...parameters,
});
const route = (parameters: INodeParameters): INodeParameters => ({
	resource: 'api',
	operation: 'request',
	method: 'DELETE',
	...parameters,
});
const queryOf = (value: string): INodeParameters => ({ parameters: [{ name: 'id', value }] });
const custom = (baselineSchema: string): INodeParameters => ({
	resource: 'peopleSchema',
	operation: 'compare',
	baseline: 'custom',
	baselineSchema,
});

/** What an expression leaves that returns nothing. */
const NOTHING = [undefined, null, '', ' \n', [], 'undefined', 'cam_null', ['NaN']];
/** What no field takes. */
const NEVER_VALID = ['x'.repeat(3_000), ['cam_1'], {}];
const CELL = '={{ $json.cell }}';
const inFilters = (operation: string, name: string): INodeParameters =>
	of(operation, { filters: { event: 'warmed', [name]: CELL }, dryRun: false });

/** Every field of every operation, with an expression as its value. Those of Make an API Request: `request.test.ts`. */
const FIELDS: Array<[label: string, parameters: INodeParameters]> = [
	['Target URL', create({ targetUrl: CELL })],
	['Event', create({ event: CELL })],
	['Campaign ID', create({ additionalFields: { campaignId: CELL } })],
	['Secret', create({ additionalFields: { secret: CELL } })],
	['First Event Only', create({ additionalFields: { isFirst: CELL } })],
	['Tool Link ID', create({ additionalFields: { toolLinkId: CELL } })],
	...FILTERING_OPERATIONS.flatMap((operation) =>
		FILTERS.map(({ label, name }): (typeof FIELDS)[number] => [label, inFilters(operation, name)]),
	),
	['Return All', of('getAll', { returnAll: CELL })],
	['Limit', of('getAll', { limit: CELL })],
	['Dry Run', of('deleteMany', { filters: { event: 'warmed' }, dryRun: CELL })],
	...['get', 'delete', 'rotateSecret', 'sendTest'].map((operation): (typeof FIELDS)[number] => [
		'Webhook',
		of(operation, { webhookId: byId(CELL) }),
	]),
	['New Secret', of('rotateSecret', { webhookId: 'hoo_1', secret: CELL })],
	['Event', of('sendTest', { webhookId: 'hoo_1', event: CELL })],
	['Output', { resource: 'peopleSchema', operation: 'get', output: CELL }],
	['Compare With', { resource: 'peopleSchema', operation: 'compare', baseline: CELL }],
	['Earlier Schema', custom(CELL)],
];

it('Each field of each operation is among these', () => {
	const fields = FIELDS.map(([label, parameters]) => `${operationIn(parameters)}: ${label}`);
	const others = EVERY_FIELD.filter((field) => !field.startsWith('api: request'));
	expect([...new Set(fields)].sort()).toEqual([...others].sort());
});

const withCell = (cell: unknown): IDataObject[] => [
	JSON.parse(JSON.stringify({ cell })) as IDataObject,
];

it.each(FIELDS)(
	'A value that cannot be used in %s, or an expression that returns nothing, fails the item, which names it: %j',
	async (label, parameters) => {
		for (const cell of [...NOTHING, ...NEVER_VALID]) {
			const error = await world.failNode(parameters, { items: withCell(cell) });
			expect(error.message).toBe(`The value of '${label}' cannot be used`);
			expect(error.description).toMatch(/^[A-Z].{5,300}[.?]$/);
			expect(error.context?.itemIndex).toBe(0);
		}
		expect(world.requests()).toEqual([]);
	},
);

it.each([
	{ resource: 'nothing', operation: 'get' },
	{ resource: 'webhook', operation: 'explode' },
])('rejects %j, for which there is no operation', async (parameters) => {
	const error = await world.failNode(parameters);
	expect(error.message).toMatch(/^There is no operation/);
	expect(error.description).toBe("Choose one in 'Resource' and 'Operation'.");
	expect(error.context?.itemIndex).toBe(0);
});

it('lists the webhooks when a workflow has neither a resource nor an operation', async () => {
	const { _id } = world.addWebhook();
	expect(jsonOf(await world.runNode({}))).toEqual([like({ _id })]);
});

it.each([
	['Target URL Contains', of('deleteMany', { filters: { targetUrl: '=crm.test/{{ $json.x }}' } })],
	['Target URL Contains', of('deleteMany', { filters: { targetUrl: '={{ $json.x }}.test' } })],
	['Target URL Contains', of('check', { filters: { targetUrl: '=crm{{ " " }}' } })],
	['Event', of('deleteMany', { filters: { event: '={{ $json.x }}*' } })],
	['Campaign ID', of('getAll', { filters: { campaignId: '=cam_1, {{ $json.x }}' } })],
	['Webhook', of('delete', { webhookId: byId('=hoo_{{ $json.x }}') })],
	['New Secret', of('rotateSecret', { webhookId: 'hoo_1', secret: '=pre-{{ $json.x }}' })],
	['Secret', create({ additionalFields: { secret: '={{ $json.x }}-post' } })],
	['Target URL', create({ targetUrl: '=https://{{ $json.x }}.crm.test' })],
	['Target URL', create({ targetUrl: '=https://crm.test/in/{{ $json.x }}' })],
	['Target URL', create({ targetUrl: '=https://crm.test/{{ $fromAI("x") }}' })],
	['Path', route({ path: '=/leads/lea_{{ $json.x }}/pause' })],
	['Path', route({ path: '=/leads{{ $json.x }}' })],
	['Value', route({ path: '/leads', queryParameters: queryOf('=lea_{{ $json.x }}') })],
])(
	'sends nothing if an expression among other text in %s returns nothing: %j',
	async (label, parameters) => {
		world.addWebhook({ targetUrl: 'https://crm.test/in' });
		const error = await world.failNode({ ...parameters, dryRun: false });
		expect(error.message).toBe(`The value of '${label}' cannot be used`);
		expect(error.description).toBe(
			'One of its expressions returns nothing. Check the result of each.',
		);
		expect(world.requests()).toEqual([]);
	},
);

it.each([
	['Webhook', of('get', { webhookId: byId('={{ null }}') }), 'Its expression returns nothing.'],
	['Target URL', create({ targetUrl: 'https:///in' }), 'It has no host.'],
	['Event', create({ event: 'own' }), "Choose an event, or 'All Events'."],
	[
		'Event',
		create({ event: 'emailsSendFailed' }),
		/^The service no longer has the event type 'emailsSendFailed'\. Use 'emailsFailed'/,
	],
	[
		'Body',
		{
			resource: 'api',
			operation: 'request',
			method: 'POST',
			path: '/leads',
			body: '={"a": "{{ \'"\' }}"}',
		},
		/^It is not valid JSON\. .* write {{ JSON\.stringify/,
	],
	['Earlier Schema', custom('nonsense'), 'It is not valid JSON.'],
])('says why the value of %s is invalid in %j', async (label, parameters, reason) => {
	const error = await world.failNode(parameters);
	expect(error.message).toBe(`The value of '${label}' cannot be used`);
	if (typeof reason === 'string') expect(error.description).toBe(reason);
	else expect(error.description).toMatch(reason);
	expect(world.requests()).toEqual([]);
});

/**
 * Invalid, empty, huge and malicious values cause an error that names the parameter and the item, and no request. The
 * world is a local service and the action node in one process of n8n.
 */
import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { z } from 'zod';

import { tries } from '../../propertyRuns';
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
const custom = (baselineSchema: string): INodeParameters => ({
	resource: 'peopleSchema',
	operation: 'compare',
	baseline: 'custom',
	baselineSchema,
});

const NOTHING = [undefined, null, '', ' \n', []];
const HUGE = 'x'.repeat(1_000_000);
/** What no field takes. */
const NEVER_VALID = [HUGE, ['cam_1'], {}];
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
	['skipped', 'It has no replacement'],
	['emailsSendFailed', "Use 'emailsFailed'"],
	['opportunitiesDone', "Use 'annotated'"],
])('names the replacement of the removed event type %s', async (event, advice) => {
	const error = await world.failNode(create({ event }));
	expect(error.description).toMatch(
		`The service no longer has the event type '${event}'. ${advice}`,
	);
});

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
	['Webhook', of('get', {}), 'It is empty.'],
	['Webhook', of('get', { webhookId: '={{ null }}' }), 'It is empty.'],
	['Webhook', of('get', { webhookId: byId('={{ null }}') }), 'It is empty.'],
	[
		'Target URL',
		create({ targetUrl: "={{ 'https://' + $json.missing + '/in' }}" }),
		'A part of it is undefined, null or NaN, which an expression leaves when it returns nothing. Check the result of each expression in it.',
	],
	['Event', create({ event: 'own' }), "Choose an event, or 'All Events'."],
	[
		'Body',
		{
			resource: 'api',
			operation: 'request',
			method: 'POST',
			path: '/leads',
			body: '={"a": "{{ \'"\' }}"}',
		},
		'It is not valid JSON. To put the value of an expression into it, write {{ JSON.stringify($json.value) }} without quotation marks around it.',
	],
	['Earlier Schema', custom(''), 'It is empty.'],
	['Earlier Schema', custom('nonsense'), 'It is not valid JSON.'],
	[
		'Earlier Schema',
		custom('[1, 2]'),
		'It is not a schema. Paste the whole output of the operation Get from an earlier run.',
	],
])('says why the value of %s is invalid in %j', async (label, parameters, reason) => {
	const error = await world.failNode(parameters);
	expect(error.message).toBe(`The value of '${label}' cannot be used`);
	expect(error.description).toBe(reason);
});

it('Any value in a field of Create is honoured, or refused by the name of the field', async () => {
	world.service.setSwitches({ rateLimit: 'off', unknownTypes: 'accept' });
	const cell = fc.oneof(
		fc.constantFrom<unknown>(...NOTHING, 'cam_1', 'warmed', 'https://crm.test/x', 'true', 7, {}),
		fc.string({ maxLength: 12 }),
		fc.jsonValue({ maxDepth: 1 }),
	);
	const field = fc.constantFrom(...FIELDS.filter(([, { operation }]) => operation === 'create'));
	await fc.assert(
		fc.asyncProperty(field, cell, async ([label, parameters], given) => {
			const before = world.service.requests.length;
			const options = { items: withCell(given), continueOnFail: true };
			const [result] = jsonOf(await world.runNode(parameters, options));
			if (result?.error !== undefined) {
				expect(result.error).toMatch(`The value of '${label}' cannot be used`);
				expect(world.requests(before)).toEqual([]);
				return;
			}
			const body = z.record(z.unknown()).parse(world.service.requests.at(-1)?.body);
			const text = String(given).trim();
			const [name, expected] = {
				'Target URL': ['targetUrl', text],
				Event: ['type', text === '*' ? undefined : text],
				'Campaign ID': ['campaignId', text],
				// The local service shows no secret.
				Secret: ['secret', '(set)'],
				'First Event Only': ['isFirst', text.toLowerCase() === 'true' || undefined],
				'Tool Link ID': ['toolLinkId', Number(text)],
			}[label] ?? [label, 'a field of Create'];
			expect(body[String(name)]).toBe(expected);
		}),
		{ numRuns: tries(38) },
	);
});

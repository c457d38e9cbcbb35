/**
 * Invalid, empty, huge and malicious values cause an error that names the parameter and the item, and no request. Which
 * values those are: `test/unit/actions/parameters.test.ts`. The world is a local service and the action node in one process
 * of n8n.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { jsonOf } from '../support/action';
import { like } from '../support/matchers';
import { EVERY_FIELD } from '../support/operations';
import { useWorld } from '../support/world';

const world = useWorld();

/** What an expression returns that finds nothing. */
const NOTHING: readonly unknown[] = [undefined, null, '', ' \n'];
/** What is left of that in another text, and what no field takes. */
const NEVER_VALID = [[], 'undefined', 'cam_null', ['NaN'], 'x'.repeat(3_000), ['cam_1'], {}];

const withCell = (cell: unknown): IDataObject[] => [
	JSON.parse(JSON.stringify({ cell })) as IDataObject,
];

it.each(EVERY_FIELD.filter(({ operation }) => operation !== 'api: request'))(
	'A value that cannot be used, or an expression that returns nothing, fails the item, which names the field: $operation, $label',
	async ({ label, withValue }) => {
		for (const cell of [...NOTHING, ...NEVER_VALID]) {
			const error = await world.failNode(withValue('={{ $json.cell }}'), { items: withCell(cell) });
			expect(error.message).toBe(`The value of '${label}' cannot be used`);
			expect(error.description).toMatch(
				NOTHING.includes(cell) ? /^Its expression returns nothing\.$/ : /^[A-Z].{5,300}[.?]$/,
			);
			expect(error.context?.itemIndex).toBe(0);
		}
		expect(world.requests()).toEqual([]);
	},
);

// JSON is data, in which an empty text may be meant.
const DATA = ['Body', 'Earlier Schema', 'Query Parameters'];

it.each(EVERY_FIELD.filter(({ label }) => !DATA.includes(label)))(
	'Nothing is sent if an expression among other text returns nothing: $operation, $label',
	async ({ label, withValue }) => {
		for (const value of ['=crm{{ $json.x }}', '={{ $fromAI("x") }}crm']) {
			const error = await world.failNode(withValue(value));
			expect(error.message).toBe(`The value of '${label}' cannot be used`);
			expect(error.description).toBe(
				'One of its expressions returns nothing. Check the result of each.',
			);
		}
		expect(world.requests()).toEqual([]);
	},
);

it.each([
	// n8n gives an operation that the resource does not have its default.
	['getAll', 'nothing'],
	['explode', 'webhook'],
])(
	'rejects the operation %s of the resource %s, which does not exist',
	async (operation, resource) => {
		const error = await world.failNode({ resource, operation });
		expect(error.message).toBe(`There is no operation '${operation}' for '${resource}'`);
		expect(error.description).toBe("Choose one in 'Resource' and 'Operation'.");
		expect(error.context?.itemIndex).toBe(0);
	},
);

it('lists the webhooks when a workflow has neither a resource nor an operation', async () => {
	const { _id } = world.addWebhook();
	expect(jsonOf(await world.runNode({}))).toEqual([like({ _id })]);
});

const create = (event: string): INodeParameters => ({
	resource: 'webhook',
	operation: 'create',
	targetUrl: 'https://crm.test/in',
	event,
});
const post = (body: string): INodeParameters => ({
	resource: 'api',
	operation: 'request',
	method: 'POST',
	path: '/a',
	body,
});
const compare = (baselineSchema: string): INodeParameters => ({
	resource: 'peopleSchema',
	operation: 'compare',
	baseline: 'custom',
	baselineSchema,
});

it.each<[string, INodeParameters, RegExp]>([
	['Event', create('own'), /^Choose an event, or 'All Events'\.$/],
	['Body', post('={"a": "{{ \'"\' }}"}'), /^It is not valid JSON\. .* write {{ JSON\.stringify/],
	['Body', post('[7615917337495251231]'), /^It has a number beyond 9007199254740991/],
	['Earlier Schema', compare('no'), /^It is not valid JSON\.$/],
])('says why the value of %s is invalid in %j', async (label, parameters, reason) => {
	const error = await world.failNode(parameters);
	expect(error.message).toBe(`The value of '${label}' cannot be used`);
	expect(error.description).toMatch(reason);
	expect(world.requests()).toEqual([]);
});

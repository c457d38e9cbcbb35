/** Invalid, empty, huge and malicious values cause an error that names the parameter and the item, and no request. */
import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { z } from 'zod';

import { byId, jsonOf } from '../support/action';
import { like, textLike } from '../support/matchers';
import { useWorld } from '../support/world';

const world = useWorld();

const HUGE = 'x'.repeat(1_000_000);
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

const INVALID: Record<string, INodeParameters[]> = {
	'Target URL': [
		'',
		'   ',
		'crm.test/in',
		'//crm.test/in',
		'ftp://crm.test',
		'javascript:alert(1)',
		'mailto:a@b.test?subject=https://crm.test',
		'http://',
		'https://a b.test',
		'https://{{ $json.missing }}/in',
		'=https://{{ $json.missing }}/in',
		'=https://{{ $json.missing }}.crm.test/in',
		`https://${HUGE}.test`,
		'={{ ["https://a.test"] }}',
		'={{ 42 }}',
		'={{ null }}',
		'={{ $json.missing }}',
		'={{ {} }}',
	].map((targetUrl) => create({ targetUrl })),
	Event: [
		'',
		'emails replied',
		'skipped',
		'emailsSendFailed',
		'opportunitiesDone',
		'={{ ["emailsSent"] }}',
		'<script>',
		HUGE,
	].map((event) => create({ event })),
	'Campaign ID': [
		'Spring-2026',
		'https://a.test/campaigns/new',
		'cam_1/../x',
		'a b',
		HUGE,
		'={{ [1] }}',
		'={{ {} }}',
		'cam_1?x=1',
	].flatMap((campaignId) => [
		create({ additionalFields: { campaignId } }),
		of('getAll', { filters: { campaignId } }),
		of('deleteMany', { filters: { campaignId }, dryRun: false }),
	]),
	'First Activity Only': ['perhaps', '={{ [] }}', '={{ 2 }}'].map((isFirst) =>
		create({ additionalFields: { isFirst } }),
	),
	Secret: [' blank', 'line\n', HUGE, '={{ [1] }}', '={{ 42 }}'].map((secret) =>
		create({ additionalFields: { secret } }),
	),
	'Tool Link ID': ['many', -1, 1.5, '1e3', '99999999999999999999', '={{ [1] }}', '={{ NaN }}'].map(
		(toolLinkId) => create({ additionalFields: { toolLinkId } }),
	),
	'Return All': [of('getAll', { returnAll: 'perhaps' })],
	Limit: [0, -1, 1.5, 'many', '={{ [] }}'].map((limit) => of('getAll', { limit })),
	'Target URL Contains': [HUGE, '={{ [] }}'].map((targetUrl) =>
		of('getAll', { filters: { targetUrl } }),
	),
	'Dry Run': [of('deleteMany', { filters: { event: '*' }, dryRun: 'perhaps' })],
	Webhook: [
		'',
		'..',
		'../hooks',
		'hoo_1/../../x',
		'hoo_1?x=1',
		'hoo 1',
		'hoo_1%2f..',
		'https://x.test/other/hoo_1',
		'https://x.test/hooks/..',
		'https://x.test/hooks/hoo_1/more',
		'see https://x.test/hooks/hoo_1',
		HUGE,
		'={{ [1] }}',
		'={{ null }}',
		'={{ {} }}',
	].flatMap((id) => [
		of('get', { webhookId: byId(id) }),
		of('delete', { webhookId: byId(id, 'list') }),
		of('rotateSecret', { webhookId: byId(id) }),
	]),
	'New Secret': [' blank', HUGE, '={{ [1] }}'].map((secret) =>
		of('rotateSecret', { webhookId: 'hoo_1', secret }),
	),
	Output: [{ resource: 'peopleSchema', operation: 'get', output: 'xml' }],
	'Compare With': [{ resource: 'peopleSchema', operation: 'compare', baseline: 'yesterday' }],
	'Earlier Schema': [
		'',
		'{',
		'nonsense',
		'[]',
		'{}',
		'42',
		'"x"',
		'[1, 2]',
		'={{ 42 }}',
		'={{ null }}',
	].map(custom),
};

describe.each(Object.keys(INVALID))('%s', (label) => {
	it.each((INVALID[label] ?? []).map((parameters) => [show(parameters), parameters]))(
		'is rejected in %s',
		async (_, parameters) => {
			const error = await world.failNode(parameters);
			expect(error.message).toBe(`The value of '${label}' cannot be used`);
			expect(error.description).toMatch(/^[A-Z].{5,300}[.?]$/);
			expect(error.context?.itemIndex).toBe(0);
			expect(world.requests()).toEqual([]);
		},
	);
});

function show(parameters: INodeParameters): string {
	const text = JSON.stringify(parameters);
	return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

it.each([
	['skipped', 'It has no replacement'],
	['emailsSendFailed', "Use 'emailsFailed'"],
	['opportunitiesDone', "Use 'annotated'"],
])('names the replacement of the removed event type %s', async (event, advice) => {
	const error = await world.failNode(create({ event }));
	expect(error.description).toMatch(`The service no longer has '${event}'. ${advice}`);
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
	['Earlier Schema', custom('nonsense'), 'It is not valid JSON.'],
	[
		'Earlier Schema',
		custom('[1, 2]'),
		'It is not a schema. Paste the output of the operation Get from an earlier run.',
	],
	[
		'Output',
		{ resource: 'peopleSchema', operation: 'get', output: 'xml' },
		'It must be one of: raw, fields, jsonSchema.',
	],
	['Tool Link ID', create({ additionalFields: { toolLinkId: 'many' } }), 'It must be a number.'],
	['Tool Link ID', create({ additionalFields: { toolLinkId: 1e20 } }), 'It is too large.'],
])('says why the value of %s is invalid in %j', async (label, parameters, reason) => {
	const error = await world.failNode(parameters);
	expect(error.message).toBe(`The value of '${label}' cannot be used`);
	expect(error.description).toBe(reason);
});

it('accepts numbers and booleans as text, as expressions and AI models return them', async () => {
	await world.run('create', {
		targetUrl: 'https://crm.test/in',
		event: ' emailsSent ',
		additionalFields: { toolLinkId: '42', isFirst: 'True' },
	});
	expect(world.webhooks).toEqual([like({ toolLinkId: 42, isFirst: true, type: 'emailsSent' })]);
	world.addWebhook();
	expect(await world.run('getAll', { returnAll: '={{ "false" }}', limit: '1' })).toHaveLength(1);
	expect(await world.run('getAll', { returnAll: '={{ "true" }}', limit: '1' })).toHaveLength(2);
	expect(await world.run('getAll', { returnAll: '', limit: '' })).toHaveLength(2);
});

it('processes the other 97 of 100 items when 3 are invalid, with continue-on-fail', async () => {
	world.service.setSwitches({ rateLimit: 'off' });
	const items = Array.from({ length: 100 }, (_, i) => ({
		url: [10, 50, 99].includes(i) ? 'nonsense' : `https://crm.test/${i}`,
	}));
	const parameters = create({ targetUrl: '={{ $json.url }}' });
	const results = await world.runNode(parameters, { items, continueOnFail: true });
	expect(results.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
	const failed = jsonOf(results).flatMap((json, i) => ('error' in json ? [i] : []));
	expect(failed).toEqual([10, 50, 99]);
	expect(results[10]?.json).toEqual({
		error: textLike(/^The value of 'Target URL' cannot be used\. It must begin with http/),
	});
	expect(world.webhooks).toHaveLength(97);
}, 60_000);

it('fails with an error that names the invalid item, without continue-on-fail', async () => {
	const parameters = of('get', { webhookId: byId('={{ $json.id }}') });
	const { _id } = world.addWebhook();
	const error = await world.failNode(parameters, {
		items: [{ id: _id }, { id: 'hoo/1' }],
	});
	expect(error.message).toBe("The value of 'Webhook' cannot be used");
	expect(error.context?.itemIndex).toBe(1);
});

describe('An expression that returns nothing', () => {
	const NOTHING = [undefined, null, '', ' \n', []];
	const LABELS: Record<string, string> = {
		targetUrl: 'Target URL',
		event: 'Event',
		campaignId: 'Campaign ID',
		secret: 'Secret',
		isFirst: 'First Activity Only',
		toolLinkId: 'Tool Link ID',
	};

	/** A Create in which one field is the expression. */
	const withField = (name: string): INodeParameters =>
		name === 'targetUrl' || name === 'event'
			? create({ [name]: '={{ $json.cell }}' })
			: create({ additionalFields: { [name]: '={{ $json.cell }}' } });

	it('in any field of Create fails the item, and any other value is honoured or refused by name', async () => {
		world.service.setSwitches({ rateLimit: 'off', unknownTypes: 'accept' });
		const cell = fc.oneof(
			fc.constantFrom<unknown>(...NOTHING, 'cam_1', 'warmed', 'https://crm.test/x', 'true', 7, {}),
			fc.string({ maxLength: 12 }),
			fc.jsonValue({ maxDepth: 1 }),
		);
		await fc.assert(
			fc.asyncProperty(fc.constantFrom(...Object.keys(LABELS)), cell, async (name, given) => {
				const before = world.service.requests.length;
				const items = [JSON.parse(JSON.stringify({ cell: given })) as IDataObject];
				const [result] = jsonOf(
					await world.runNode(withField(name), { items, continueOnFail: true }),
				);
				if (result?.error !== undefined) {
					expect(result.error).toMatch(`The value of '${LABELS[name] ?? ''}' cannot be used`);
					expect(world.requests(before)).toEqual([]);
					return;
				}
				const body = z.record(z.unknown()).parse(world.service.requests.at(-1)?.body);
				const text = String(given).trim();
				const honoured: Record<string, unknown> = {
					// The local service shows no secret.
					secret: '(set)',
					event: text === '*' ? undefined : text,
					isFirst: text.toLowerCase() === 'true' ? true : undefined,
					toolLinkId: Number(text),
				};
				expect(body[name === 'event' ? 'type' : name]).toBe(
					name in honoured ? honoured[name] : text,
				);
			}),
			{ numRuns: 150 },
		);
	}, 60_000);

	it.each(['campaignId', 'event', 'targetUrl'])(
		'in the filter %s fails the item, whatever the operation',
		async (name) => {
			for (const nothing of NOTHING) {
				for (const operation of ['getAll', 'check', 'deleteMany']) {
					const filters = { event: 'warmed', [name]: '={{ $json.cell }}' };
					const items = [JSON.parse(JSON.stringify({ cell: nothing })) as IDataObject];
					const error = await world.fail(operation, { filters, dryRun: false }, { items });
					expect(error.description).toBe('Its expression returned nothing.');
				}
			}
			expect(world.requests()).toEqual([]);
		},
	);

	it.each([
		['Campaign ID', 'campaignId'],
		['Secret', 'secret'],
		['First Activity Only', 'isFirst'],
	])('fails a Create whose %s it is, which would otherwise not be set', async (label, name) => {
		const additionalFields = { [name]: '={{ $json.mistyped }}' };
		const error = await world.fail('create', {
			targetUrl: 'https://crm.test/in',
			event: '*',
			additionalFields,
		});
		expect(error.message).toBe(`The value of '${label}' cannot be used`);
		expect(error.description).toBe('Its expression returned nothing.');
		expect(world.requests()).toEqual([]);
	});

	it('fails a rotation whose new secret it is, which would otherwise be random', async () => {
		const { _id } = world.addWebhook();
		const secret = '={{ $json.mistyped }}';
		const error = await world.fail('rotateSecret', { webhookId: byId(_id), secret });
		expect(error.message).toBe("The value of 'New Secret' cannot be used");
		expect(world.webhookIds).toEqual([_id]);
		const left = await world.run('rotateSecret', { webhookId: byId(_id), secret: '' });
		expect(left[0]?.json.secret).toHaveLength(64);
	});
});

it('A Create with the event that Send Test Event had in its field fails', async () => {
	const parameters = { targetUrl: 'https://crm.test/in', event: 'own' };
	const error = await world.fail('create', parameters);
	expect(error.message).toBe("The value of 'Event' cannot be used");
	expect(error.description).toBe("Choose an event, or 'All Events'.");
});

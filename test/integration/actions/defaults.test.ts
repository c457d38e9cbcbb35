/**
 * A field that is left empty, as an AI model or an expression of one leaves it, does what the editor's default does.
 * The world is a local service, the action node in one process of n8n, and servers at target URLs.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { RESOURCES } from '../../../nodes/OutreachService/actions';
import { byId, jsonOf } from '../support/action';
import { respondWith, useTargets } from '../support/targets';
import { useWorld } from '../support/world';

const world = useWorld();
const targets = useTargets();

/** Fields with one value of several. The event of a new webhook has no default: empty, it is refused. */
const FIELDS = RESOURCES.flatMap(({ value: resource, operations }) =>
	operations.flatMap(({ value: operation, properties }) =>
		properties
			.filter(({ type }) => ['options', 'boolean', 'number'].includes(type))
			.filter(({ name }) => !(operation === 'create' && name === 'event'))
			.map(({ name, default: initial }) => ({ resource, operation, name, initial })),
	),
);

/** More webhooks than one page has, all for one URL; the parameters that every operation of a webhook may need. */
async function prepare(): Promise<INodeParameters> {
	const { url } = await targets.start(respondWith(200));
	for (let count = 0; count < 60; count += 1) {
		world.addWebhook({ targetUrl: `${url}/${count}`, type: 'smsReplied' });
	}
	return { webhookId: byId(world.webhookIds[0]!), filters: { targetUrl: url }, path: '/hooks' };
}

/** Without what differs from one run to the next. */
const comparable = (items: IDataObject[]): unknown =>
	items.map(({ milliseconds, activity, ...item }) => {
		const { type } = { type: undefined, ...(activity as IDataObject | undefined) };
		return { ...item, isTimed: typeof milliseconds === 'number', type };
	});

it('There are such fields', () => {
	expect(FIELDS.map(({ operation, name }) => `${operation}: ${name}`).sort()).toEqual(
		expect.arrayContaining(['deleteMany: dryRun', 'get: output', 'getAll: limit']),
	);
});

it.each(FIELDS)('$resource: $operation, $name', async ({ resource, operation, name, initial }) => {
	const common = await prepare();
	const outcomes = [];
	for (const value of [initial, '']) {
		const since = world.service.requests.length;
		const parameters = { resource, operation, ...common, [name]: value } as INodeParameters;
		const items = comparable(jsonOf(await world.runNode(parameters)));
		outcomes.push({ items, requests: world.requests(since), webhooks: world.webhooks.length });
	}
	expect(outcomes[1]).toEqual(outcomes[0]);
});

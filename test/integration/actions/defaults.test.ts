/**
 * A field that is left empty, as an AI model or an expression of one leaves it, does what the editor's default does.
 * The world is a local service, the action node in one process of n8n, and servers at target URLs.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { byId, jsonOf } from '../support/action';
import { EVERY_OPERATION } from '../support/operations';
import { respondWith, useTargets } from '../support/targets';
import { useWorld } from '../support/world';

const world = useWorld();
const targets = useTargets();

/** Fields with one value of several. The event of a new webhook has no default: empty, it is refused. */
const FIELDS = EVERY_OPERATION.flatMap(({ operation, properties, parameters }) =>
	properties
		.filter(({ type }) => ['options', 'boolean', 'number'].includes(type))
		.map(({ name, default: initial }) => ({ operation, name, initial, parameters }))
		.filter(({ name }) => operation !== 'webhook: create' || name !== 'event'),
);

/** More webhooks than one page has, all for one URL; the parameters that choose them. */
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
	expect(FIELDS.map(({ operation, name }) => `${operation}, ${name}`)).toEqual(
		expect.arrayContaining([
			'webhook: deleteMany, dryRun',
			'peopleSchema: get, output',
			'webhook: getAll, limit',
		]),
	);
});

it.each(FIELDS)('$operation, $name', async ({ name, initial, parameters }) => {
	const chosen = await prepare();
	const outcomes = [];
	for (const value of [initial, '']) {
		const since = world.service.requests.length;
		const given = { ...parameters, ...chosen, [name]: value } as INodeParameters;
		const items = comparable(jsonOf(await world.runNode(given)));
		outcomes.push({ items, requests: world.requests(since), webhooks: world.webhooks.length });
	}
	expect(outcomes[1]).toEqual(outcomes[0]);
});

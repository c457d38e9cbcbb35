/**
 * What becomes of the other items when one fails, and what its error tells of them. The world is a local service and the action
 * node in one process of n8n.
 */
import type { INodeParameters } from 'n8n-workflow';

import { byId } from '../support/action';
import { textLike } from '../support/matchers';
import { useWorld } from '../support/world';

const world = useWorld();

const webhook = (operation: string, more: INodeParameters = {}) => ({
	resource: 'webhook',
	operation,
	...more,
});
const webhookId = byId('={{ $json.id }}');

describe('When one of several items fails', () => {
	const create = webhook('create', { targetUrl: '={{ $json.url }}', event: '*' });
	const urls = (count: number) =>
		Array.from({ length: count }, (_, n) => ({ url: `https://new.test/${n}` }));
	const refuse = (method: string, skip: number) =>
		world.service.addFault({ kind: 'status', status: 400, body: 'No', skip, match: { method } });

	it('the error and the log name the items that were carried out, with the IDs of their webhooks', async () => {
		refuse('POST', 1);
		const warn = world.spyOnWarnings();
		const error = await world.failNode(create, { items: urls(3) });
		const [first, third] = world.webhookIds;
		expect(error.context?.itemIndex).toBe(1);
		const done = `Already carried out: item 0 (${first}), item 2 (${third}).`;
		expect(error.description).toContain(done);
		// Nobody sees the error of a try that n8n repeats.
		expect(warn.mock.calls).toEqual([[`The output of "Outreach Service" may be lost. ${done}`]]);
	});

	it('no further item starts', async () => {
		refuse('POST', 0);
		const error = await world.failNode(create, { items: urls(40) });
		expect(world.webhooks.length).toBeLessThan(10);
		for (const id of world.webhookIds) expect(error.description).toContain(id);
	});

	it('the other items are processed with On Error: Continue, and it has its error and pairing', async () => {
		const [first, third] = [world.addWebhook(), world.addWebhook()];
		const items = [{ id: first._id }, { id: 'hoo_gone' }, { id: third._id }];
		const output = await world.runNode(webhook('delete', { webhookId }), {
			items,
			continueOnFail: true,
		});
		const error = textLike(/^The webhook hoo_gone was not found\. It may/);
		expect(output).toMatchObject([
			{ json: { deleted: true }, pairedItem: { item: 0 } },
			{ json: { error }, pairedItem: { item: 1 } },
			{ json: { deleted: true }, pairedItem: { item: 2 } },
		]);
	});

	it('no error mentions items that changed nothing, such as dry runs', async () => {
		world.addWebhook();
		const filters = { targetUrl: '={{ $json.url }}' };
		const items = [{ url: 'crm.test' }, { url: 'https://' }];
		const error = await world.failNode(webhook('deleteMany', { filters }), { items });
		expect(error.context?.itemIndex).toBe(1);
		expect(error.description).not.toContain('Already carried out');
	});
});

it('Items are returned in the order of the input, whatever the order of the responses', async () => {
	const ids = Array.from({ length: 12 }, () => world.addWebhook()._id);
	for (const skip of [0, 3, 5, 8]) {
		world.service.addFault({ kind: 'delay', delayMs: 200, skip });
	}
	const items = ids.map((id) => ({ id }));
	const output = await world.runNode(webhook('delete', { webhookId }), { items });
	expect(output).toMatchObject(ids.map((_id, item) => ({ json: { _id }, pairedItem: { item } })));
});

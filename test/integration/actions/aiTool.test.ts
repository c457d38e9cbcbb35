/**
 * The node as a tool of an AI agent: what it makes of the values of a model, and what an agent and n8n get of its errors. That
 * n8n makes tools of it is shown in `e2e/examples.test.ts`. The world is a local service and the action node in one process
 * of n8n.
 */
import { SupplyDataContext } from 'n8n-core';
import { NodeOperationError } from 'n8n-workflow';

import { failureOf, jsonOf } from '../support/action';
import { like, textLike } from '../support/matchers';
import { FILTERS } from '../support/operations';
import { useWorld } from '../support/world';

const world = useWorld();

/** A field that a model fills in: this is its value. */
const fromModel = (value: string) => `={{ $fromAI('field', '', 'string', '${value}') }}`;

it('takes a number that a model gives as text', async () => {
	const additionalFields = { toolLinkId: fromModel('42') };
	await world.run('create', { targetUrl: 'https://crm.test/in', event: '*', additionalFields });
	expect(world.webhooks).toMatchObject([{ toolLinkId: 42 }]);
});

it('ignores filters that the model leaves empty, and deletes nothing unless the dry run is switched off', async () => {
	world.addWebhook({ type: 'emailsSent' });
	const empty = Object.fromEntries(FILTERS.map((name) => [name, fromModel('')]));
	const none = await world.fail('deleteMany', { filters: empty, dryRun: fromModel('false') });
	expect(none.message).toBe('No filter is set');
	const filters = { ...empty, event: fromModel('emailsSent') };
	const shown = await world.run('deleteMany', { filters, dryRun: fromModel('') });
	expect(jsonOf(shown)).toEqual([like({ deleted: false, dryRun: true })]);
	expect(world.webhooks).toHaveLength(1);
	await world.run('deleteMany', { filters, dryRun: fromModel('false') });
	expect(world.webhooks).toEqual([]);
});

it('keeps secrets out of the node in an error of a tool, which n8n stores', async () => {
	world.refuse('POST', 400);
	const additionalFields = { secret: 'a secret of the node' };
	const parameters = { targetUrl: 'https://crm.test', event: 'paused', additionalFields };
	const execution = world.execution({ resource: 'webhook', operation: 'create', ...parameters });
	// By this, the node recognizes the context of a tool.
	expect(SupplyDataContext.prototype).toHaveProperty('getNextRunIndex');
	Object.assign(execution.context, { getNextRunIndex: () => 0 });
	const error = await failureOf(execution);
	expect(error).toBeInstanceOf(NodeOperationError);
	expect(error).toMatchObject({ message: textLike(/status 400/), context: { itemIndex: 0 } });
	expect(JSON.stringify({ ...(error as object) })).not.toContain('a secret of the node');
});

it('says what to do in the message, because n8n tells an agent nothing else', async () => {
	const parameters = { targetUrl: 'https://crm.test', event: 'emailReplied' };
	const asTool = await world.fail('create', parameters, { asTool: true });
	expect(asTool.message).toBe(
		"The value of 'Event' cannot be used. The service has no event type 'emailReplied'. Did you mean 'emailsReplied'?",
	);
	const targetUrl = '={{ $itemIndex === 0 ? "https://crm.test" : "nowhere" }}';
	const more = { asTool: true, items: [{}, {}] };
	const afterChange = await world.fail('create', { targetUrl, event: 'paused' }, more);
	expect(afterChange.message).toContain(`Already carried out: item 0 (${world.webhookIds[0]})`);
	const asNode = await world.fail('create', parameters);
	expect(asNode.message).toBe("The value of 'Event' cannot be used");
});

/** A child process that calls our trigger's webhook() in n8n-core: runs one round for each message. */
import { additionalDataFor } from './additionalData';
import { WebhookContext } from 'n8n-core';
import { Workflow, type INode } from 'n8n-workflow';
import { z } from 'zod';
import { digestOf } from '../../../nodes/OutreachService/model/secret';
import { writeRegistered } from '../../../nodes/OutreachService/trigger/registration/staticData';
import { deliveryBody } from '../load/activity';
import { median } from '../measure/statistics';
import { fakeCall } from './fakeCall';
import { onlyNode, ourTrigger } from './loadedNodes';

/** The number of calls in a round, and whether they carry a wrong secret. */
const roundSchema = z.object({ calls: z.number(), isForged: z.boolean() });

const SECRET = 'the secret that was registered';
const credential = { baseUrl: 'http://service.test/api', apiKey: 'key' };

const trigger = ourTrigger();
const node: INode = {
	...{ id: '1', name: 'Trigger', type: 'trigger', typeVersion: 1.1, position: [0, 0] },
	parameters: { events: ['*'] },
	webhookId: 'webhook-id',
	credentials: { outreachServiceApi: { id: '1', name: 'Outreach' } },
};
const workflow = new Workflow({
	...{ id: '1', nodes: [node], connections: {}, active: true, nodeTypes: onlyNode(trigger) },
});
const additionalData = additionalDataFor(workflow, 'trigger', credential);

const [webhookDescription] = trigger.description.webhooks ?? [];
if (webhookDescription === undefined) throw new Error('The trigger has no webhook');
const webhookData = {
	...{ httpMethod: 'POST' as const, node: node.name, path: 'webhook-id/webhook' },
	...{ webhookDescription, workflowId: '1', workflowExecuteAdditionalData: additionalData },
};
const contextOf = (data: typeof additionalData) =>
	new WebhookContext(workflow, node, data, 'trigger', webhookData, [], null);
// As after registering a webhook.
writeRegistered(contextOf(additionalData), workflow.getStaticData('node', node), [
	{
		...{ id: 'hoo_1', event: '*', targetUrl: 'http://n8n.test/webhook/webhook-id/webhook' },
		digest: digestOf(SECRET),
	},
]);
let activities = 0;

/** @returns microseconds */
async function callOnce(isForged: boolean): Promise<number> {
	const id = `act_${++activities}`;
	const { call, response } = fakeCall(deliveryBody(id, isForged ? 'forged' : SECRET));
	const data = { ...additionalData, ...call };
	const context = contextOf(data);
	const startedAt = performance.now();
	const { workflowData } = (await trigger.webhook?.call(context)) ?? {};
	const took = (performance.now() - startedAt) * 1000;
	if ((workflowData === undefined) !== isForged)
		throw new Error(`Unexpected response: ${response.statusCode}`);
	// n8n responds, and the node remembers the activity as accepted.
	if (!response.writableEnded) response.end();
	return took;
}

process.on('message', (message) => {
	const { calls, isForged } = roundSchema.parse(message);
	const round = async () => {
		const took: number[] = [];
		while (took.length < calls) took.push(await callOnce(isForged));
		process.send?.(median(took));
	};
	void round();
});
// The parent has ended.
process.on('disconnect', () => process.exit());

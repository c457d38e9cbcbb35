/**
 * The node as a tool of an AI agent, as n8n-core wraps it. The test takes the place of the model. The world is a local
 * service and the action node in one process of n8n.
 */
import { ExecuteContext } from 'n8n-core';
import type { INode, INodeParameters, INodeType, INodeTypes } from 'n8n-workflow';
import {
	createRunExecutionData,
	NodeConnectionTypes,
	NodeOperationError,
	Workflow,
} from 'n8n-workflow';
import { z } from 'zod';

import { additionalData, makeNode, type N8n } from '../support/n8n';
import { like, textLike } from '../support/matchers';
import { FILTERS } from '../support/operations';
import { useWorld } from '../support/world';

const world = useWorld();

const agent: INodeType = {
	description: {
		displayName: 'Agent',
		name: 'agent',
		group: ['transform'],
		version: 1,
		description: '',
		defaults: {},
		inputs: [NodeConnectionTypes.Main, NodeConnectionTypes.AiTool],
		outputs: [NodeConnectionTypes.Main],
		properties: [],
	},
};
/** What n8n makes of a node with `usableAsTool`: the same node with an output for agents. */
function makeTool({ actionNode }: N8n): INodeType {
	if (actionNode.description.usableAsTool !== true) throw new Error('n8n makes no tool of it');
	return {
		description: { ...actionNode.description, inputs: [], outputs: [NodeConnectionTypes.AiTool] },
		async execute() {
			return await actionNode.execute.call(this);
		},
	};
}
async function asTool(parameters: INodeParameters) {
	const toolNode = makeNode('outreachService', parameters, { name: 'Webhooks' });
	const agentNode: INode = {
		...makeNode('outreachService', {}, { name: 'Agent' }),
		type: 'agent',
		credentials: {},
	};
	const tool = makeTool(world.n8n);
	const nodeTypes: INodeTypes = {
		getByName: (name) => (name === 'agent' ? agent : tool),
		getByNameAndVersion: (name) => (name === 'agent' ? agent : tool),
		getKnownTypes: () => ({}),
	};
	const type = NodeConnectionTypes.AiTool;
	const workflow = new Workflow({
		id: 'agent',
		name: 'Agent',
		nodes: [agentNode, toolNode],
		connections: { Webhooks: { [type]: [[{ node: 'Agent', type, index: 0 }]] } },
		active: false,
		nodeTypes,
	});
	const input = [{ json: {} }];
	const context = new ExecuteContext(
		workflow,
		agentNode,
		additionalData(world.service).data,
		'manual',
		createRunExecutionData(),
		0,
		input,
		{ main: [input] },
		{ node: agentNode, data: { main: [input] }, source: null },
		[],
	);
	await workflow.expression.acquireIsolate();
	const [created]: unknown[] = z
		.array(z.unknown())
		.parse(await context.getInputConnectionData(type, 0));
	const { description, schema } = z
		.object({ description: z.string(), schema: z.object({ shape: z.record(z.unknown()) }) })
		.parse({ ...(created as object) });
	const { invoke } = created as { invoke: (input: object) => Promise<string> };
	return { description, schema, invoke: invoke.bind(created) };
}

it('creates a webhook with the values of the model, even when a number is given as text', async () => {
	const { invoke, schema, description } = await asTool({
		resource: 'webhook',
		operation: 'create',
		targetUrl: "={{ $fromAI('url', 'where to post', 'string') }}",
		event: "={{ $fromAI('event', 'the event', 'string') }}",
		additionalFields: { toolLinkId: "={{ $fromAI('tool', '', 'string') }}" },
	});
	expect(Object.keys(schema.shape)).toEqual(['url', 'event', 'tool']);
	expect(description).toMatch(/webhook/i);
	const output: unknown = JSON.parse(
		await invoke({ url: 'https://crm.test/in', event: 'emailsReplied', tool: '42' }),
	);
	expect(output).toEqual([like({ _id: textLike(/^hoo_/), type: 'emailsReplied', toolLinkId: 42 })]);
	expect(world.webhooks).toHaveLength(1);
});

it('ignores filters that the model leaves empty, and deletes nothing unless the dry run is switched off', async () => {
	world.addWebhook({ type: 'emailsSent' });
	const { invoke } = await asTool({
		resource: 'webhook',
		operation: 'deleteMany',
		filters: Object.fromEntries(
			FILTERS.map((name) => [name, `={{ $fromAI('${name}', '', 'string') }}`]),
		),
		dryRun: "={{ $fromAI('dry', '', 'string') }}",
	});
	const empty = Object.fromEntries(FILTERS.map((name) => [name, '']));
	await expect(invoke({ ...empty, dry: 'false' })).rejects.toThrow(/No filter is set/);
	expect(JSON.parse(await invoke({ ...empty, event: 'emailsSent', dry: '' }))).toEqual([
		like({ deleted: false, dryRun: true }),
	]);
	expect(world.webhooks).toHaveLength(1);
	await invoke({ ...empty, event: 'emailsSent', dry: 'false' });
	expect(world.webhooks).toEqual([]);
});

it('keeps secrets out of the node in an error, which n8n stores', async () => {
	world.service.addFault({ kind: 'status', status: 400, match: { method: 'POST' } });
	const { invoke } = await asTool({
		resource: 'webhook',
		operation: 'create',
		targetUrl: "={{ $fromAI('url', '', 'string') }}",
		event: 'paused',
		additionalFields: { secret: 'a secret of the node' },
	});
	const error: unknown = await invoke({ url: 'https://crm.test' }).catch(
		(thrown: unknown) => thrown,
	);
	expect(error).toBeInstanceOf(NodeOperationError);
	expect(error).toMatchObject({ node: like({ name: 'Webhooks' }), context: { itemIndex: 0 } });
	expect(JSON.stringify({ ...(error as object) })).not.toContain('a secret of the node');
});

it('says what to do in the message, because n8n tells an agent nothing else', async () => {
	const parameters = { targetUrl: 'https://crm.test', event: 'emailReplied' };
	const asTool = await world.fail('create', parameters, { asTool: true });
	expect(asTool.message).toBe(
		"The value of 'Event' cannot be used. The service has no event type 'emailReplied'. Did you mean 'emailsReplied'?",
	);
	const asNode = await world.fail('create', parameters);
	expect(asNode.message).toBe("The value of 'Event' cannot be used");
});

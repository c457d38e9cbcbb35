import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import {
	waitFor,
	workflowDraftSchema,
	type N8nCredential,
	type N8nNode,
	type N8nWorkflowDraft,
	type OutreachHost,
} from '../host';

const FOLDER = resolve(__dirname, '../../examples');

/** The ID of every credential in the examples: none that exists, so that n8n asks for one. */
export const NO_CREDENTIAL = 'choose-your-own';

/** The file names of all example workflows. */
export const EXAMPLE_FILES: readonly string[] = readdirSync(FOLDER).filter((file) =>
	file.endsWith('.json'),
);

/** The text of an example, as a user imports it. */
export const exampleText = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');

/** Whether *Execute workflow* runs an example to its end. The others wait for a chat message or an MCP client. */
export const isRunByHand = (file: string): boolean =>
	!/\.(chatTrigger|mcpTrigger)"/.test(exampleText(file));

/** An example as a workflow to create. */
export const readExample = (file: string): N8nWorkflowDraft =>
	workflowDraftSchema.parse(JSON.parse(exampleText(file)));

/** Whether a node is left disabled until it is set up: it would call a chat or a CRM. */
export const needsSetUp = ({ disabled }: N8nNode): boolean => disabled === true;

/** Chooses the credentials of these types; the others remain to be chosen. */
export const withCredentials = (
	workflow: N8nWorkflowDraft,
	chosen: Record<string, N8nCredential>,
): N8nWorkflowDraft => ({
	...workflow,
	nodes: workflow.nodes.map((node) => ({
		...node,
		...(node.credentials && {
			credentials: Object.fromEntries(
				Object.entries(node.credentials).map(([type, given]) => {
					const credential = chosen[type];
					return [type, credential ? { id: credential.id, name: credential.name } : given];
				}),
			),
		}),
	})),
});

const SLACK = 'n8n-nodes-base.slack';

const slackSchema = z.object({ channelId: z.object({ value: z.string() }), text: z.string() });
const requestSchema = z.object({ url: z.string() }).passthrough();

/** The node that sends the same message to another server: a request at the same path, or instead of a Slack node. */
function enabledAt(url: string, { webhookId, ...node }: N8nNode): N8nNode {
	const enabled = { ...node, disabled: false };
	if (node.type !== SLACK) {
		const request = requestSchema.parse(node.parameters);
		const parameters = { ...request, url: `${url}${new URL(request.url).pathname}` };
		return { ...enabled, parameters, ...(webhookId !== undefined && { webhookId }) };
	}
	const { channelId, text } = slackSchema.parse(node.parameters);
	const body = Object.entries({ channel: channelId.value, text });
	return {
		...enabled,
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: {
			method: 'POST',
			url: `${url}/slack`,
			sendBody: true,
			bodyParameters: { parameters: body.map(([name, value]) => ({ name, value })) },
			options: {},
		},
	};
}

/** Sets up the nodes that call a chat or a CRM: enables them, and has them send their messages to `url` instead. */
export const withMessagesTo = (url: string, workflow: N8nWorkflowDraft): N8nWorkflowDraft => ({
	...workflow,
	nodes: workflow.nodes.map((node) => (needsSetUp(node) ? enabledAt(url, node) : node)),
});

/**
 * Loads all examples into n8n and activates those that events or an MCP client start. Their nodes for a chat or a CRM
 * remain disabled until somebody sets them up.
 *
 * @returns what an MCP client needs, and the number of examples
 */
export async function loadExamples(
	{ server: { client, url }, service }: OutreachHost,
	outreachServiceApi: N8nCredential,
): Promise<{ count: number; url: string; token: string }> {
	const token = randomUUID();
	const httpBearerAuth = await client.createCredential({
		name: 'Token for MCP clients',
		type: 'httpBearerAuth',
		data: { token },
	});
	let expected = service.hooks().length;
	for (const file of EXAMPLE_FILES) {
		const example = withCredentials(readExample(file), { outreachServiceApi, httpBearerAuth });
		const { id } = await client.createWorkflow(example);
		const ofType = (name: string) => example.nodes.filter(({ type }) => type.endsWith(`.${name}`));
		const triggers = ofType('outreachServiceTrigger');
		if (triggers.length + ofType('mcpTrigger').length === 0) continue;
		await client.activateWorkflow(id);
		expected += triggers.flatMap(({ parameters }) => parameters.events).length;
	}
	await waitFor(
		`${expected} webhooks`,
		() => service.hooks(),
		(webhooks) => webhooks.length >= expected,
	);
	return { count: EXAMPLE_FILES.length, url: `${url}/mcp/outreach-webhooks`, token };
}

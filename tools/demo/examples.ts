import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
	workflowDraftSchema,
	type N8nCredential,
	type N8nWorkflowDraft,
	type OutreachHost,
} from '../host';
import { activateNewWorkflow } from '../host/publishing';

const FOLDER = resolve(__dirname, '../../examples');

/** The file names of all example workflows. */
export const EXAMPLE_FILES: readonly string[] = readdirSync(FOLDER).filter((file) =>
	file.endsWith('.json'),
);

/** The text of an example, as a user imports it. */
export const exampleText = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');

/** An example as a workflow to create. */
export const readExample = (file: string): N8nWorkflowDraft =>
	workflowDraftSchema.parse(JSON.parse(exampleText(file)));

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

/** What an MCP client needs. The token is no secret: this n8n listens only on the loopback interface. */
export const MCP = { path: '/mcp/outreach-webhooks', token: 'demo-token' };

/**
 * Loads all examples into n8n and activates those that events or an MCP client start. Their nodes for a chat or a CRM
 * remain disabled until somebody sets them up.
 *
 * @returns the number of examples
 */
export async function loadExamples(
	host: OutreachHost,
	outreachServiceApi: N8nCredential,
): Promise<number> {
	const { client } = host.server;
	const httpBearerAuth = await client.createCredential({
		name: 'Token for MCP clients',
		type: 'httpBearerAuth',
		data: { token: MCP.token },
	});
	for (const file of EXAMPLE_FILES) {
		const example = withCredentials(readExample(file), { outreachServiceApi, httpBearerAuth });
		const isStarted = example.nodes.some(({ type }) =>
			/\.(outreachServiceTrigger|mcpTrigger)$/.test(type),
		);
		if (isStarted) await activateNewWorkflow(host, example);
		else await client.createWorkflow(example);
	}
	return EXAMPLE_FILES.length;
}

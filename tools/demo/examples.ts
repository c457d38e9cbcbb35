import { randomUUID } from 'node:crypto';
import { EXAMPLE_FILES, readExample, withCredentials } from '../examples';
import { waitFor, type N8nCredential, type N8nServer, type N8nWorkflowDraft } from '../host';
import type { RunningService } from '../service';

/** The examples as they are loaded into an n8n. */
export interface LoadedExamples {
	count: number;
	/** What an MCP client needs. */
	mcp: { url: string; token: string };
}

const isStarted = ({ nodes }: N8nWorkflowDraft): boolean =>
	nodes.some(({ type }) => /\.(outreachServiceTrigger|mcpTrigger)$/.test(type));

/** The number of webhooks that the triggers of a workflow register. */
const webhookCount = ({ nodes }: N8nWorkflowDraft): number =>
	nodes
		.filter(({ type }) => type.endsWith('.outreachServiceTrigger'))
		.flatMap(({ parameters }) => parameters.events).length;

/**
 * Loads all examples into n8n and activates those that events or an MCP client start. Their nodes for a chat or a CRM
 * remain disabled until somebody sets them up.
 */
export async function loadExamples(
	{ client, url }: N8nServer,
	service: RunningService,
	outreachServiceApi: N8nCredential,
): Promise<LoadedExamples> {
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
		if (!isStarted(example)) continue;
		await client.activateWorkflow(id);
		expected += webhookCount(example);
	}
	await waitFor(
		`${expected} webhooks`,
		() => service.hooks(),
		(webhooks) => webhooks.length >= expected,
		{ timeoutMs: 60_000 },
	);
	return { count: EXAMPLE_FILES.length, mcp: { url: `${url}/mcp/outreach-webhooks`, token } };
}

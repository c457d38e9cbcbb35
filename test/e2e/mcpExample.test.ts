/**
 * The example of an MCP server: which tools a client sees, and what it gets from them. The world is a real n8n with the
 * package, a local service and an MCP client.
 */
import { randomUUID } from 'node:crypto';
import { importExample } from './exampleWorkflows';
import { TEST_TIMEOUT_MS, useOutreachHost } from './outreachHost';
import { CAN, testWhere } from './underTest';
import { waitFor } from '../../tools/host';
import { createServiceCredential } from '../../tools/host/workflows';
import { connectMcp, type McpClient } from './mcpClient';

const host = useOutreachHost();

const TOKEN = randomUUID();

let client: McpClient;

const connect = (token: string): Promise<McpClient> =>
	connectMcp(host().installation, `${host().server.url}/mcp/outreach-webhooks`, token);

/** Calls a tool, and returns its text. */
const call = (name: string, args: Record<string, unknown> = {}): Promise<string> =>
	client.callTool(name, args);

beforeAll(async () => {
	const { server } = host();
	const httpBearerAuth = await server.client.createCredential({
		name: 'Token',
		type: 'httpBearerAuth',
		data: { token: TOKEN },
	});
	const { id } = await importExample(host(), 'mcp-server.json', {
		credentials: { outreachServiceApi: await createServiceCredential(host()), httpBearerAuth },
	});
	await server.client.activateWorkflow(id);
	// n8n registers the URL after it has responded.
	client = await waitFor(
		'the MCP server',
		() => connect(TOKEN).catch(() => undefined),
		(connected) => connected !== undefined,
	).then((connected) => connected!);
}, TEST_TIMEOUT_MS);

afterAll(() => client.close());

test('an MCP client sees the tools, with what it must fill in, and none that deletes', async () => {
	const tools = await client.listTools();
	expect(tools.map(({ name }) => name).sort()).toEqual([
		'Check_webhooks',
		'Create_a_webhook',
		'Get_people_schema',
		'List_webhooks',
	]);
	const create = tools.find(({ name }) => name === 'Create_a_webhook');
	expect(Object.keys(create?.inputSchema.properties ?? {}).sort()).toEqual(['event', 'targetUrl']);
});

testWhere(CAN.instructMcpClients, 'its MCP server has no instructions')(
	'an MCP client is told how to use the tools',
	async () => {
		expect(client.instructions).toContain('List the webhooks before you create one');
	},
);

test('an MCP client creates a webhook and finds it in the list', async () => {
	const settings = { targetUrl: 'https://crm.test/replies', event: 'emailsReplied' };
	const created = await call('Create_a_webhook', settings);
	const webhook = host()
		.service.hooks()
		.find(({ targetUrl }) => targetUrl === settings.targetUrl);
	expect(webhook?.type).toBe('emailsReplied');
	expect(created).toContain(webhook?._id);
	const listed = await call('List_webhooks');
	expect(listed).toContain(webhook?._id);
	expect(listed).not.toContain(host().service.apiKey);
});

test('an MCP client gets the error of a tool, and can go on', async () => {
	const before = host().service.hooks().length;
	const settings = { targetUrl: 'https://crm.test/in', event: 'emailReplied' };
	expect(await call('Create_a_webhook', settings)).toContain('emailsReplied');
	expect(host().service.hooks()).toHaveLength(before);
	expect(await call('List_webhooks')).not.toBe('');
});

test('a client without the token gets no tools', async () => {
	await expect(connect('wrong')).rejects.toThrow(/40[13]|Authorization/);
});

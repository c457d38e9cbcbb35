import { createRequire } from 'node:module';
import { join } from 'node:path';
import { z } from 'zod';
import type { N8nInstallation } from '../../tools/host';

const toolsSchema = z.object({
	tools: z.array(
		z.object({
			name: z.string(),
			inputSchema: z.object({ properties: z.record(z.unknown()).default({}) }),
		}),
	),
});
const calledSchema = z.object({ content: z.array(z.object({ text: z.string().default('') })) });

/** The official client, as far as the tests use it. */
interface SdkClient {
	connect(transport: object): Promise<void>;
	close(): Promise<void>;
	getInstructions(): string | undefined;
	listTools(): Promise<unknown>;
	callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
}

const isClass = (given: unknown): boolean => typeof given === 'function';
const sdkSchema = z.object({
	Client: z.custom<new (info: { name: string; version: string }) => SdkClient>(isClass),
	StreamableHTTPClientTransport: z.custom<new (url: URL, options: object) => object>(isClass),
});

/**
 * Connects to an MCP server with the official SDK, in the version that this n8n brings.
 * @throws if the server refuses the token
 */
export async function connectMcp({ folder }: N8nInstallation, url: string, token: string) {
	const load = createRequire(join(folder, 'node_modules/n8n/package.json'));
	const modules = ['index.js', 'streamableHttp.js'].map((name): unknown =>
		load(`@modelcontextprotocol/sdk/client/${name}`),
	);
	const { Client, StreamableHTTPClientTransport } = sdkSchema.parse(Object.assign({}, ...modules));
	const client = new Client({ name: 'test', version: '1.0.0' });
	const requestInit = { headers: { authorization: `Bearer ${token}` } };
	await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
	return {
		/** What the server tells its clients about how to use its tools. */
		instructions: client.getInstructions(),
		listTools: async () => toolsSchema.parse(await client.listTools()).tools,
		/** Calls a tool. @returns its text */
		callTool: async (name: string, args: Record<string, unknown> = {}) => {
			const called = calledSchema.parse(await client.callTool({ name, arguments: args }));
			return called.content.map(({ text }) => text).join('');
		},
		close: () => client.close(),
	};
}

import { z } from 'zod';

const initializedSchema = z.object({ instructions: z.string().optional() });

const toolsSchema = z.object({
	tools: z.array(
		z.object({
			name: z.string(),
			inputSchema: z.object({ properties: z.record(z.unknown()).default({}) }),
		}),
	),
});

const calledSchema = z.object({
	content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
});

const responseSchema = z.object({
	id: z.number(),
	result: z.unknown(),
	error: z.object({ message: z.string() }).optional(),
});

/** A client that is connected to an MCP server. */
export interface McpClient {
	/** What the server tells its clients about how to use its tools. */
	instructions: string | undefined;
	listTools(): Promise<z.infer<typeof toolsSchema>['tools']>;
	/** Calls a tool. @returns its text */
	callTool(name: string, args: Record<string, unknown>): Promise<string>;
}

const PROTOCOL_VERSION = '2025-03-26';

/**
 * Connects to an MCP server as clients do: JSON-RPC over HTTP ('Streamable HTTP'), with a session.
 * @throws if the server refuses the token
 */
export async function connectMcp(url: string, token: string): Promise<McpClient> {
	let session: string | undefined;
	let lastId = 0;

	const post = async (message: object): Promise<string> => {
		const response = await fetch(url, {
			method: 'POST',
			headers: {
				authorization: `Bearer ${token}`,
				'content-type': 'application/json',
				accept: 'application/json, text/event-stream',
				...(session !== undefined && { 'mcp-session-id': session }),
			},
			body: JSON.stringify({ jsonrpc: '2.0', ...message }),
		});
		const text = await response.text();
		if (!response.ok) throw new Error(`The MCP server responded with ${response.status}: ${text}`);
		session ??= response.headers.get('mcp-session-id') ?? undefined;
		return text;
	};
	const request = async (method: string, params: object): Promise<unknown> => {
		lastId += 1;
		const { result, error } = responseIn(await post({ id: lastId, method, params }), lastId);
		if (error !== undefined) throw new Error(error.message);
		return result;
	};

	const { instructions } = initializedSchema.parse(
		await request('initialize', {
			protocolVersion: PROTOCOL_VERSION,
			capabilities: {},
			clientInfo: { name: 'test', version: '1.0.0' },
		}),
	);
	await post({ method: 'notifications/initialized' });
	return {
		instructions,
		listTools: async () => toolsSchema.parse(await request('tools/list', {})).tools,
		callTool: async (name, args) => {
			const called = await request('tools/call', { name, arguments: args });
			return calledSchema
				.parse(called)
				.content.map(({ text = '' }) => text)
				.join('');
		},
	};
}

/** The response with this ID: the body as JSON, or one of its server-sent events. */
function responseIn(body: string, id: number): z.infer<typeof responseSchema> {
	const events = [...body.matchAll(/^data: ?(.*)$/gm)].map(([, data = '']) => data);
	for (const text of events.length > 0 ? events : [body]) {
		const parsed = responseSchema.safeParse(JSON.parse(text));
		if (parsed.success && parsed.data.id === id) return parsed.data;
	}
	throw new Error(`The MCP server did not respond to the request: ${body.slice(0, 200)}`);
}

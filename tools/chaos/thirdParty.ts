import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

/** A server that is neither n8n nor the service: it receives foreign webhooks' deliveries, and can block callers. */
export interface ThirdParty {
	/** A target URL for foreign webhooks; each name has its own path. */
	target(name: string): string;
	/** The secrets in the deliveries of this activity to this target URL. */
	secrets(target: string, activityId: string): Array<string | undefined>;
	/** Requests to this URL get no response until `release`. */
	readonly blockingUrl: string;
	blockedCalls(): number;
	release(): void;
	stop(): Promise<void>;
}

/** Part of every URL that `target` returns. */
export const THIRD_PARTY_PATH = '/third-party/';

const deliverySchema = z.object({ _id: z.string(), secret: z.string().optional() });

export async function startThirdParty(): Promise<ThirdParty> {
	const received: Array<z.infer<typeof deliverySchema> & { path: string }> = [];
	const callers = new Set<ServerResponse>();
	const server = createServer((request, response) => {
		if (request.url === '/wait') {
			callers.add(response);
			response.on('close', () => callers.delete(response));
			return;
		}
		void text(request).then((body) => {
			const delivery = deliverySchema.parse(JSON.parse(body));
			received.push({ ...delivery, path: request.url ?? '' });
			response.end();
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('The server has no port');
	const url = `http://127.0.0.1:${address.port}`;
	return {
		target: (name) => `${url}${THIRD_PARTY_PATH}${name}`,
		secrets: (target, activityId) =>
			received
				.filter(({ path, _id }) => `${url}${path}` === target && _id === activityId)
				.map(({ secret }) => secret),
		blockingUrl: `${url}/wait`,
		blockedCalls: () => callers.size,
		release: () => {
			for (const response of callers) response.end('{}');
			callers.clear();
		},
		stop: async () => {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}

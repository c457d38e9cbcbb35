import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

/** A server that is neither n8n nor the service: receiver of other people's webhooks, and one that keeps callers waiting. */
export interface Neighbour {
	/** An address for webhooks of somebody else; each name has a path of its own. */
	target(name: string): string;
	/** The secrets that deliveries of this activity carried to this address. */
	secrets(target: string, activityId: string): Array<string | undefined>;
	/** Callers of this address wait until they are let go. */
	readonly waitingRoom: string;
	waiting(): number;
	letGo(): void;
	stop(): Promise<void>;
}

/** Part of every address of `target`. */
export const ELSEWHERE = '/elsewhere/';

const deliverySchema = z.object({ _id: z.string(), secret: z.string().optional() });

export async function startNeighbour(): Promise<Neighbour> {
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
	if (address === null || typeof address === 'string') throw new Error('No address');
	const url = `http://127.0.0.1:${address.port}`;
	return {
		target: (name) => `${url}${ELSEWHERE}${name}`,
		secrets: (target, activityId) =>
			received
				.filter(({ path, _id }) => `${url}${path}` === target && _id === activityId)
				.map(({ secret }) => secret),
		waitingRoom: `${url}/wait`,
		waiting: () => callers.size,
		letGo: () => {
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

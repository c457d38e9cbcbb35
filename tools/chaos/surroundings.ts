/** What is around n8n in a chaos run besides the local service. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import Fastify, { type FastifyReply } from 'fastify';
import { z } from 'zod';
import { freePort } from '../host';

/** A proxy in front of the service. Stopping it simulates a restart: it cuts open connections and refuses new ones. */
export interface ServiceProxy {
	/** The service's base URL through this proxy. */
	readonly baseUrl: string;
	/** Starts an outage of this many milliseconds, after any outage in progress. Returns immediately. */
	goDownFor(ms: number): void;
	/** Resolves once the proxy is up again. */
	whenUp(): Promise<void>;
}

export async function startServiceProxy(service: { baseUrl: string }): Promise<ServiceProxy> {
	const { port: servicePort, pathname } = new URL(service.baseUrl);
	const port = await freePort();
	/** Passes connections on, unread. @returns a function that cuts them and stops listening */
	const forward = async () => {
		const open = new Set<Socket>();
		const server = createServer((incoming) => {
			open.add(incoming);
			const outgoing = connect(Number(servicePort), '127.0.0.1');
			// When either ends, so does the other.
			pipeline(incoming, outgoing, incoming, () => open.delete(incoming));
		});
		server.listen(port, '127.0.0.1');
		await once(server, 'listening');
		return async () => {
			for (const socket of open) socket.destroy();
			server.close();
			await once(server, 'close');
		};
	};
	let stop = await forward();
	let outage = Promise.resolve();
	return {
		baseUrl: `http://127.0.0.1:${port}${pathname}`,
		goDownFor: (ms) => {
			outage = outage.then(async () => {
				await stop();
				await pause(ms);
				stop = await forward();
			});
		},
		whenUp: () => outage,
	};
}

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
}

/** Part of every URL that `target` returns. */
export const THIRD_PARTY_PATH = '/third-party/';

const deliverySchema = z.object({ _id: z.string(), secret: z.string().optional() });

export async function startThirdParty(): Promise<ThirdParty> {
	const received: Array<z.infer<typeof deliverySchema> & { path: string }> = [];
	const callers = new Set<FastifyReply>();
	const app = Fastify();
	app.get('/wait', (_request, reply) => {
		callers.add(reply);
		reply.raw.on('close', () => callers.delete(reply));
	});
	app.post(`${THIRD_PARTY_PATH}*`, async ({ url, body }) => {
		received.push({ ...deliverySchema.parse(body), path: url });
		return {};
	});
	const url = await app.listen({ host: '127.0.0.1', port: 0 });
	return {
		target: (name) => `${url}${THIRD_PARTY_PATH}${name}`,
		secrets: (target, activityId) =>
			received
				.filter(({ path, _id }) => `${url}${path}` === target && _id === activityId)
				.map(({ secret }) => secret),
		blockingUrl: `${url}/wait`,
		blockedCalls: () => callers.size,
		release: () => {
			for (const reply of callers) void reply.send({});
			callers.clear();
		},
	};
}

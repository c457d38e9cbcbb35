import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections: one of those could be taken by any request between the moment
 * in which it is chosen and that in which a program, which may take seconds to start, listens on it.
 */
const PORTS = { first: 20_000, last: 32_000 };

/** How many further ports are tried. */
const ALTERNATIVES = 100;

/** The ports that this process has been given: it may not listen there yet. */
const given = new Set<number>();

/** Finds a free port on 127.0.0.1: the preferred one if it is free, or else one of the hundred after it. */
export async function freePort(preferred?: number): Promise<number> {
	const port = await findPort(preferred);
	if (preferred === undefined && given.has(port)) return await freePort();
	given.add(port);
	return port;
}

async function findPort(preferred: number | undefined): Promise<number> {
	const first = preferred ?? randomInt(PORTS.first, PORTS.last - ALTERNATIVES);
	for (let port = first; port <= first + ALTERNATIVES; port++) if (await isFree(port)) return port;
	throw new Error(`No port from ${first} to ${first + ALTERNATIVES} is free`);
}

const isFree = (port: number): Promise<boolean> =>
	new Promise((resolve) => {
		const server = createServer();
		server.once('error', () => {
			resolve(false);
		});
		server.listen({ host: '127.0.0.1', port }, () => {
			server.close(() => {
				resolve(true);
			});
		});
	});

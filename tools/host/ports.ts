import { randomInt } from 'node:crypto';
import getPort from 'get-port';

/**
 * Below the ports that systems give to outgoing connections: one of those could be taken by any request between the moment
 * in which it is chosen and that in which a program, which may take seconds to start, listens on it.
 */
const PORTS = { first: 20_000, last: 32_000 };

/** How many further ports are tried. */
const ALTERNATIVES = 100;

/**
 * Finds a free port on 127.0.0.1, which for the next seconds no other call in this process is given: the preferred one if it
 * is free, or else one of the hundred after it.
 */
export const freePort = (
	preferred = randomInt(PORTS.first, PORTS.last - ALTERNATIVES),
): Promise<number> =>
	getPort({ host: '127.0.0.1', port: getPort.makeRange(preferred, preferred + ALTERNATIVES) });

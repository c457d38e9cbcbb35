import { getPort } from 'get-port-please';

/** A port that is free on the loopback address, the preferred one if possible. */
export async function freePort(preferred?: number): Promise<number> {
	return getPort({
		host: '127.0.0.1',
		random: preferred === undefined,
		...(preferred !== undefined && { port: preferred }),
	});
}

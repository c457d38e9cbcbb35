import { getPort, getRandomPort } from 'get-port-please';

/** Finds a free port on 127.0.0.1: the preferred one if it is free, or else one of the hundred after it. */
export async function freePort(preferred?: number): Promise<number> {
	const host = '127.0.0.1';
	if (preferred === undefined) return getRandomPort(host);
	return getPort({ host, port: preferred, alternativePortRange: [preferred + 1, preferred + 100] });
}

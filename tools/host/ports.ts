import { getPort, getRandomPort } from 'get-port-please';

/** A port that is free on the loopback address: the preferred one, or one of the hundred after it. */
export async function freePort(preferred?: number): Promise<number> {
	const host = '127.0.0.1';
	if (preferred === undefined) return getRandomPort(host);
	return getPort({ host, port: preferred, alternativePortRange: [preferred + 1, preferred + 100] });
}

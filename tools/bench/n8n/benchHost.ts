import { resolve } from 'node:path';
import { startOutreachHost, type N8nCredential, type OutreachHost } from '../../host';
import type { RunningService } from '../../service';

const bareTrigger = resolve(__dirname, 'n8n-nodes-bench-bare-trigger');

/** A real n8n with our package and the bare trigger in it, and a local service. */
export type BenchHost = OutreachHost;

/** Packs the output of `npm run build` and starts an n8n with it. `env` adds to the default environment variables. */
export const startBenchHost = (env: Record<string, string> = {}): Promise<BenchHost> =>
	startOutreachHost({ env, packages: [bareTrigger] });

let keys = 0;

/** Creates a key with its own team, so that the service's statistics for it cover a single run. */
export function newApiKey(service: RunningService): string {
	const apiKey = `bench-key-${++keys}`;
	service.addApiKey(apiKey, `bench-team-${keys}`);
	return apiKey;
}

/** Creates our package's credential for this key. */
export async function serviceCredential(
	{ server, service }: BenchHost,
	apiKey: string,
): Promise<N8nCredential> {
	return server.client.createCredential({
		name: apiKey,
		type: 'outreachServiceApi',
		data: { baseUrl: service.baseUrl, apiKey },
	});
}

/** Creates a Basic Auth credential for the HTTP Request node with the same key (§5.3). */
export async function basicCredential(
	{ server }: BenchHost,
	apiKey: string,
): Promise<N8nCredential> {
	return server.client.createCredential({
		name: `${apiKey} (basic)`,
		type: 'httpBasicAuth',
		data: { user: '', password: apiKey },
	});
}

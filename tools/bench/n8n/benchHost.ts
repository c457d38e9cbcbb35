import { resolve } from 'node:path';
import { startOutreachHost, type N8nCredential, type OutreachHost } from '../../host';
import type { RunningService } from '../../service';

const bareTrigger = resolve(__dirname, 'n8n-nodes-bench-bare-trigger');

/** A real n8n with our package and the bare trigger in it, and a local service. */
export type BenchHost = OutreachHost;

/** Packs what `npm run build` made and starts an n8n with it, with these settings on top of the usual. */
export const startBenchHost = (env: Record<string, string> = {}): Promise<BenchHost> =>
	startOutreachHost({ env, packages: [bareTrigger] });

let keys = 0;

/** A key of a team of its own, so that what the service counts for it comes from one run alone. */
export function newApiKey(service: RunningService): string {
	const apiKey = `bench-key-${++keys}`;
	service.addApiKey(apiKey, `bench-team-${keys}`);
	return apiKey;
}

/** Our package's credential with this key. */
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

/** What a user of the HTTP Request node has for the same key (§5.3). */
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

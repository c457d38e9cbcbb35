import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
	installN8n,
	packPackage,
	startN8n,
	type N8nCredential,
	type N8nInstallation,
	type N8nServer,
	type PackageTarball,
} from '../../host';
import { startService, type RunningService } from '../../service';

const bareTrigger = resolve(__dirname, '../bareTrigger');

/** A real n8n with our package and the bare trigger in it, and a local service. */
export interface BenchHost {
	installation: N8nInstallation;
	tarball: PackageTarball;
	server: N8nServer;
	service: RunningService;
	/** Ends both and removes their files. */
	dispose(): Promise<void>;
}

/** Packs what `npm run build` made and starts an n8n with it, with these settings on top of the usual. */
export async function startBenchHost(env: Record<string, string> = {}): Promise<BenchHost> {
	const installation = await installN8n();
	const folder = await mkdtemp(join(tmpdir(), 'outreach-bench-'));
	const service = await startService();
	const dispose = async () => {
		await service.close();
		await rm(folder, { recursive: true, force: true });
	};
	try {
		const tarball = await packPackage(folder);
		const userFolder = join(folder, 'n8n');
		await cp(
			bareTrigger,
			join(userFolder, '.n8n/nodes/node_modules/n8n-nodes-bench-bare-trigger'),
			{ recursive: true },
		);
		const server = await startN8n({ installation, tarball: tarball.path, userFolder, env });
		return {
			installation,
			tarball,
			server,
			service,
			dispose: async () => {
				await server.kill();
				await dispose();
			},
		};
	} catch (error) {
		await dispose();
		throw error;
	}
}

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

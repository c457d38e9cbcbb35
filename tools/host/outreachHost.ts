import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService, type RunningService, type ServiceOptions } from '../service';
import { installN8n, type N8nInstallation, type N8nName } from './install';
import { startN8n, type N8nServer, type StartN8nOptions } from './n8n';
import { packageFolder, packPackage, unpackTarball } from './packageTarball';

/** A real n8n with the packed package installed, and a local service. */
export interface OutreachHost {
	installation: N8nInstallation;
	server: N8nServer;
	service: RunningService;
	/** Kills n8n, stops the service and removes their files, unless they are in a folder of the caller. */
	dispose(): Promise<void>;
}

export interface OutreachHostOptions extends Pick<StartN8nOptions, 'env' | 'port'> {
	/** The pinned n8n, installed if necessary. Default: n8n-2. */
	n8n?: N8nName;
	service?: ServiceOptions;
	/** For n8n's files and its log. Default: a new temporary one. */
	folder?: string;
}

/**
 * Packs the built package (`npm run build`) and starts an n8n with it and a local service. The first call on a machine
 * installs n8n, which takes minutes.
 */
export async function startOutreachHost({
	n8n,
	service: serviceOptions = {},
	folder: given,
	...options
}: OutreachHostOptions = {}): Promise<OutreachHost> {
	const installation = await installN8n(n8n);
	const folder = given ?? (await mkdtemp(join(tmpdir(), 'outreach-host-')));
	const service = await startService(serviceOptions);
	const dispose = async () => {
		await service.close();
		if (given === undefined) await rm(folder, { recursive: true, force: true });
	};
	try {
		const { path } = await packPackage(folder);
		const userFolder = join(folder, 'n8n');
		await unpackTarball(path, packageFolder(userFolder));
		const server = await startN8n({ installation, userFolder, ...options });
		return {
			installation,
			server,
			service,
			dispose: async () => {
				await server.dispose();
				await dispose();
			},
		};
	} catch (error) {
		// The error includes the end of n8n's log, so its file can be removed.
		await dispose();
		throw error;
	}
}

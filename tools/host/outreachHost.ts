import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { startService, type RunningService, type ServiceOptions } from '../service';
import { installN8n, type N8nInstallation, type N8nName } from './install';
import { startN8n, type N8nServer } from './n8nServer';
import { packPackage, type PackageTarball } from './packageTarball';

/** A real n8n with the packed package installed, and a local service. */
export interface OutreachHost {
	installation: N8nInstallation;
	tarball: PackageTarball;
	server: N8nServer;
	service: RunningService;
	/** Stops both and removes their files. */
	dispose(): Promise<void>;
}

export interface OutreachHostOptions {
	/** The pinned n8n, installed if necessary. Default: n8n-2. */
	n8n?: N8nName;
	service?: ServiceOptions;
	/** n8n settings in addition to the defaults. */
	env?: Record<string, string>;
	/** Folders of additional packages to install in n8n. The name of a folder is the name of its package. */
	packages?: readonly string[];
}

/**
 * Packs the built package (`npm run build`) and starts an n8n with it and a local service. The first call on a machine
 * installs n8n, which takes minutes.
 */
export async function startOutreachHost({
	n8n,
	service: serviceOptions = {},
	env = {},
	packages = [],
}: OutreachHostOptions = {}): Promise<OutreachHost> {
	const installation = await installN8n(n8n);
	const folder = await mkdtemp(join(tmpdir(), 'outreach-host-'));
	const service = await startService(serviceOptions);
	const dispose = async () => {
		await service.close();
		await rm(folder, { recursive: true, force: true });
	};
	try {
		const tarball = await packPackage(folder);
		const userFolder = join(folder, 'n8n');
		for (const source of packages) {
			const target = join(userFolder, '.n8n/nodes/node_modules', basename(source));
			await cp(source, target, { recursive: true });
		}
		const server = await startN8n({ installation, tarball: tarball.path, userFolder, env });
		return {
			installation,
			tarball,
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

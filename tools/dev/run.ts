import { join } from 'node:path';
import { logFromNow, packageFolder, startN8n, type N8nServer } from '../host';
import type { RunningService } from '../service';
import { print, step } from '../terminal/print';
import { N8N_FOLDER, type Program } from '../terminal/program';
import {
	connectService,
	findN8n,
	launchService,
	PREFERRED_PORTS,
	withLogOnFailure,
} from '../terminal/start';
import { HOT_RELOAD, waitForReload, waitUntilWatched } from './hotReload';
import { PackageWatch, type Build } from './watchPackage';

export interface DevHost {
	server: N8nServer;
	service: RunningService;
}

/**
 * Starts an n8n with the package, which follows the sources from then on, and a local service with a credential for it.
 *
 * @param source the folder with the sources
 * @throws at the first step that fails, with its name
 */
export async function startDevHost(
	source: string,
	{ folder, cleanUp }: Pick<Program, 'folder' | 'cleanUp'>,
): Promise<DevHost> {
	const installation = await findN8n();
	const service = await launchService(cleanUp);

	const userFolder = join(folder, N8N_FOLDER);
	const target = packageFolder(userFolder);
	const watch = new PackageWatch(source, target);
	cleanUp.add('stop watching the sources', async () => {
		watch.close();
	});
	await step('Building the package', async () => {
		const { errors } = await watch.start();
		if (errors.length > 0) throw new Error(errors.join('\n'));
	});

	const server = await step(
		'Starting n8n with the package installed',
		() =>
			startN8n({ installation, userFolder, preferredPort: PREFERRED_PORTS.n8n, env: HOT_RELOAD }),
		({ url, logFile }) => `${url}, log: ${logFile}`,
	);
	cleanUp.add('stop n8n', () => server.stop());

	await withLogOnFailure(server, async () => {
		await step('Waiting until n8n watches the package', () =>
			waitUntilWatched(server, join(target, 'package.json')),
		);
		await connectService(server, service);
	});
	watch.onBuild((build) => void tell(server, build));
	return { server, service };
}

/** Says what came of a change of the sources. */
async function tell(server: N8nServer, { written, errors }: Build): Promise<void> {
	const time = new Date().toLocaleTimeString();
	if (errors.length > 0) {
		print(`${time} ✗ Not built; n8n keeps the last build.\n${errors.join('\n')}`);
		return;
	}
	if (written.length === 0) {
		print(`${time} ✓ Built; nothing in the package is different.`);
		return;
	}
	const log = await logFromNow({ server });
	try {
		await waitForReload(log);
		print(`${time} ✓ Built and reloaded: ${written.join(', ')}`);
	} catch (error) {
		print(`${time} ✗ ${error instanceof Error ? error.message : String(error)}`);
	}
}

import { existsSync } from 'node:fs';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
	finishedMarker,
	isFinished,
	N8N_NAMES,
	readPin,
	unpackedMarker,
	type N8nInstallation,
	type N8nName,
} from './installation';
import { acquireLock } from './lock';
import { npm } from './npm';
import { elapsed, packageCounter, reportElapsed, type Report } from './progress';

export { N8N_NAMES };
export type { N8nInstallation, N8nName };

/**
 * Installs a pinned n8n, unless it is installed already: about 3 GB and a few minutes, once per user. Resumes an
 * interrupted install, and waits for one in another process.
 *
 * @param report called with a line of progress every few seconds
 * @throws if npm fails, with the end of its log
 */
export async function installN8n(
	name: N8nName = 'n8n-2',
	report: Report = toStderr,
): Promise<N8nInstallation> {
	const { source, installation, packagesToBuild } = await readPin(name);
	if (isFinished(installation)) return installation;

	await mkdir(installation.folder, { recursive: true });
	const release = await acquireLock(`${installation.folder}.pid`, () =>
		reportElapsed(report, () => 'waiting for another install of the same n8n'),
	);
	try {
		// Another process may have finished the install in the meantime.
		if (!isFinished(installation)) await install(source, installation, packagesToBuild, report);
	} finally {
		await release();
	}
	return installation;
}

async function install(
	source: string,
	{ folder, version, node }: N8nInstallation,
	packagesToBuild: string[],
	report: Report,
): Promise<void> {
	const began = Date.now();
	const logFile = join(folder, 'install.log');
	report(`Installing n8n ${version} into ${folder}`);
	report(
		'This takes about 3 GB and 3 to 6 minutes, once. See install.log in that folder for details.',
	);

	const step = async (title: string, detail: () => string, args: string[]) => {
		const stopReporting = reportElapsed(report, () => `${title}: ${detail()}`, began);
		try {
			await npm(args, folder, logFile);
		} finally {
			stopReporting();
		}
	};

	if (existsSync(unpackedMarker(folder))) {
		report('Resuming an earlier install after its packages step.');
	} else {
		for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
			await copyFile(join(source, file), join(folder, file));
		}
		// Without scripts: most only download extras, and any failure would fail the whole install.
		const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
		await step('packages', await packageCounter(folder), args);
		if (!existsSync(node)) throw new Error(unsupportedPlatform());
		await writeFile(unpackedMarker(folder), '');
	}

	const build = ['rebuild', ...packagesToBuild, '--ignore-scripts=false'];
	await step(
		'building',
		() => `${packagesToBuild.join(', ')} (compiling takes about a minute)`,
		build,
	);
	await writeFile(finishedMarker(folder), `${new Date().toISOString()}\n`);
	await rm(unpackedMarker(folder));
	report(`${elapsed(began)}  n8n ${version} is installed.`);
}

function unsupportedPlatform(): string {
	return `The pinned packages have no Node.js for ${process.platform} ${process.arch}. The demo and the end-to-end tests run on Linux and macOS; on Windows, use WSL.`;
}

function toStderr(line: string): void {
	process.stderr.write(`${line}\n`);
}

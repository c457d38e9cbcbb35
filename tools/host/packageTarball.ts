import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { extract } from 'tar';
import { z } from 'zod';

const run = promisify(execFile);

/** The root of this repository. */
export const repository = resolve(__dirname, '../..');
export const PACKAGE_NAME = 'n8n-nodes-outreach-service';

const packOutputSchema = z
	.array(
		z.object({
			filename: z.string(),
			size: z.number(),
			files: z.array(z.object({ path: z.string() })),
		}),
	)
	.length(1);

/** The result of `npm pack`. */
interface PackageTarball {
	path: string;
	/** In bytes. */
	size: number;
	files: Array<{ path: string }>;
}

/** Packs the built package as for publishing. */
export async function packPackage(destination: string): Promise<PackageTarball> {
	await mkdir(destination, { recursive: true });
	const { stdout } = await run(
		'npm',
		['pack', '--json', '--ignore-scripts', '--pack-destination', destination],
		{ cwd: repository },
	);
	const [packed] = packOutputSchema.parse(JSON.parse(stdout));
	if (packed === undefined) throw new Error('npm pack created no tarball');
	const { filename, ...rest } = packed;
	return { path: join(destination, filename), ...rest };
}

/** Unpacks a tarball of `npm pack` into a folder, which it replaces, without npm's `package/` prefix. */
export async function unpackTarball(tarball: string, folder: string): Promise<void> {
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	await extract({ file: tarball, cwd: folder, strip: 1 });
}

/** The folder from which an n8n with this user folder loads the package at its start. */
export const packageFolder = (userFolder: string): string =>
	join(userFolder, '.n8n/nodes/node_modules', PACKAGE_NAME);

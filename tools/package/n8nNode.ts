/**
 * n8n's own tool for community nodes, `n8n-node`, in the version that `n8n-node/` pins. It is installed once per user,
 * apart from the other packages: among them, it would replace the n8n packages that the tests run on.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
	copyFile,
	cp,
	mkdir,
	mkdtemp,
	readFile,
	rename,
	rm,
	symlink,
	writeFile,
} from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { cacheFolder } from '../host/install/installation';
import { npm } from '../host/install/npm';

const repository = resolve(__dirname, '../..');
const pinned = join(__dirname, 'n8n-node');

/** The configuration that `n8n-node` gives new packages, and in strict mode demands to the letter. */
const STRICT_CONFIGURATION =
	'@n8n/node-cli/dist/template/templates/shared/default/eslint.config.mjs';

/** Installs the tool, unless it is installed already. @returns its `node_modules` */
async function install(): Promise<string> {
	const lockfile = await readFile(join(pinned, 'package-lock.json'));
	const hash = createHash('sha256').update(lockfile).digest('hex').slice(0, 12);
	const folder = join(cacheFolder(), `n8n-node-${hash}`);
	if (!existsSync(folder)) {
		await mkdir(cacheFolder(), { recursive: true });
		const incomplete = await mkdtemp(`${folder}-`);
		try {
			for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
				await copyFile(join(pinned, file), join(incomplete, file));
			}
			process.stdout.write(`Installing n8n-node into ${folder} (260 MB, once)\n`);
			const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
			await npm(args, incomplete, join(incomplete, 'install.log'));
			await rename(incomplete, folder);
		} catch (error) {
			await rm(incomplete, { recursive: true, force: true });
			// Another process was quicker.
			if (!existsSync(folder)) throw error;
		}
	}
	return join(folder, 'node_modules');
}

/** @returns a description of the problem, if the command fails; it prints what it finds */
function run(modules: string, command: string, folder: string): string[] {
	const script = join(modules, '@n8n/node-cli/bin/n8n-node.mjs');
	const { status } = spawnSync(process.execPath, [script, command], {
		cwd: folder,
		stdio: 'inherit',
		// What `prerelease` asks for: that nobody publishes by hand. Here, `publishConfig` of package.json sees to that.
		env: { ...process.env, RELEASE_MODE: 'true' },
	});
	return status === 0 ? [] : [`n8n-node ${command} failed.`];
}

const manifestSchema = z.object({ n8n: z.object({}).passthrough() }).passthrough();

/**
 * Runs `n8n-node lint` in strict mode on what ships, and n8n's check before a release. Strict mode demands n8n's own
 * configuration, unchanged; that of the repository has rules for its tests and tools, too.
 *
 * @param scratch an empty folder
 * @returns a description of each problem
 */
export async function checkStrictly(scratch: string): Promise<string[]> {
	const modules = await install();
	for (const path of ['nodes', 'credentials', 'tsconfig.json']) {
		await cp(join(repository, path), join(scratch, path), { recursive: true });
	}
	const text = await readFile(join(repository, 'package.json'), 'utf8');
	const manifest = manifestSchema.parse(JSON.parse(text));
	const strict = { ...manifest, n8n: { ...manifest.n8n, strict: true } };
	await writeFile(join(scratch, 'package.json'), JSON.stringify(strict, null, 2));
	await copyFile(join(modules, STRICT_CONFIGURATION), join(scratch, 'eslint.config.mjs'));
	await symlink(modules, join(scratch, 'node_modules'));
	return ['lint', 'prerelease'].flatMap((command) => run(modules, command, scratch));
}

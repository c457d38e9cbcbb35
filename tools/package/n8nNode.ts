/**
 * n8n's own tool for community nodes, `n8n-node`, in the version that `n8n-node/` pins. It is installed once per user,
 * apart from the other packages: among them, it would replace the n8n packages that the tests run on.
 */
import { spawnSync } from 'node:child_process';
import { copyFile, cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { installPinned, repository } from '../host';

/** The configuration that `n8n-node` gives new packages, and in strict mode demands to the letter. */
const STRICT_CONFIGURATION =
	'@n8n/node-cli/dist/template/templates/shared/default/eslint.config.mjs';

/** @returns the command if it fails; it prints what it finds */
function run(modules: string, command: string, folder: string): string[] {
	const script = join(modules, '@n8n/node-cli/bin/n8n-node.mjs');
	const { status } = spawnSync(process.execPath, [script, command], {
		cwd: folder,
		stdio: 'inherit',
		// What `prerelease` asks for: that nobody publishes by hand. Here, `publishConfig` of package.json sees to that.
		env: { ...process.env, RELEASE_MODE: 'true' },
	});
	return status === 0 ? [] : [command];
}

const manifestSchema = z.object({ n8n: z.object({}).passthrough() }).passthrough();

/**
 * Runs `n8n-node lint` in strict mode on what ships, and n8n's check before a release. Strict mode demands n8n's own
 * configuration, unchanged; that of the repository has rules for its tests and tools, too.
 *
 * @param scratch an empty folder
 * @returns the commands that fail; they print what they find
 */
export async function checkStrictly(scratch: string): Promise<string[]> {
	const folder = await installPinned(join(__dirname, 'n8n-node'), [], 'n8n-node (260 MB, once)');
	const modules = join(folder, 'node_modules');
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

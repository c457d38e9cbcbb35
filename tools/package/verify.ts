/** `npm run verify:package`: runs n8n's checks for verified community nodes on the package to publish. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { installPinned, packPackage, repository, unpackTarball } from '../host';
import { print, printChecks, runProgram } from '../terminal';

/** The most that n8n has to download, in bytes. */
const MAX_PACKED_BYTES = 115_000;

/** What must be in the tarball, and nothing else: what npm shows, and what the build makes of each file that ships. */
function expectedFiles(): string[] {
	const sources = execFileSync('git', ['ls-files', 'nodes', 'credentials'], {
		cwd: repository,
		encoding: 'utf8',
	});
	const files = sources.trim().split('\n');
	const built = files.map((path) => `dist/${path.replace(/\.ts$/, '.js')}`);
	return ['package.json', 'README.md', 'LICENSE', ...built];
}

/** The configuration that n8n's tool gives to new packages, and that strict mode demands. */
const STRICT_CONFIGURATION =
	'@n8n/node-cli/dist/template/templates/shared/default/eslint.config.mjs';

/**
 * Runs n8n's own linter on what ships, with the configuration of strict mode: that of the repository has rules for its
 * tests and tools, too. The linter is installed apart from the other packages: among them, it would replace the n8n packages
 * that the tests run on.
 *
 * @param scratch a new folder
 * @returns whether it finds nothing; it prints what it finds
 */
async function lint(scratch: string): Promise<boolean> {
	const folder = await installPinned(join(__dirname, 'n8n-node'), [], 'n8n-node (260 MB, once)');
	const modules = join(folder, 'node_modules');
	for (const path of ['nodes', 'credentials', 'tsconfig.json', 'package.json']) {
		await cp(join(repository, path), join(scratch, path), { recursive: true });
	}
	await cp(join(modules, STRICT_CONFIGURATION), join(scratch, 'eslint.config.mjs'));
	await symlink(modules, join(scratch, 'node_modules'));
	const script = join(modules, '@n8n/node-cli/bin/n8n-node.mjs');
	const { status } = spawnSync(process.execPath, [script, 'lint'], {
		cwd: scratch,
		stdio: 'inherit',
	});
	return status === 0;
}

const scannerSchema = z.object({
	SOURCE_FILE_PATTERNS: z.array(z.string()),
	analyzePackage: z
		.function()
		.args(z.string(), z.array(z.string()))
		.returns(z.promise(z.unknown())),
});

const scanSchema = z.object({
	passed: z.boolean(),
	message: z.string().optional(),
	/** ESLint's report, when there are errors. */
	details: z.string().optional(),
});

/** Runs n8n's verification scan on the sources and on the files to publish. @returns what it finds */
async function scan(unpacked: string): Promise<string[]> {
	// An ES module without types.
	const path: string = '@n8n/scan-community-package/scanner/scanner.mjs';
	const { analyzePackage, SOURCE_FILE_PATTERNS } = scannerSchema.parse(await import(path));
	const results = [
		await analyzePackage(repository, SOURCE_FILE_PATTERNS),
		// The patterns that n8n uses for published files, which the scanner does not export.
		await analyzePackage(unpacked, ['**/*.js', 'package.json']),
	];
	return results.flatMap((result) => {
		const { passed, message = '', details = '' } = scanSchema.parse(result);
		// A scan that finds no files also passes, but with a message.
		return passed && message === '' ? [] : [`${message}${details}`];
	});
}

/** A check that passes if a list is empty. */
const none = (what: string, found: readonly string[]) => ({
	what: found.length === 0 ? what : `${what}: ${found.join(', ')}`,
	holds: found.length === 0,
});

void runProgram('verify', async ({ folder }) => {
	const { path, size, files } = await packPackage(folder);
	const unpacked = join(folder, 'package');
	await unpackTarball(path, unpacked);

	const packed = files.map((file) => file.path);
	const expected = expectedFiles();
	print(`${packed.length} files, ${size} bytes`);
	return printChecks([
		{ what: `the tarball has at most ${MAX_PACKED_BYTES} bytes`, holds: size <= MAX_PACKED_BYTES },
		none(
			'no file is missing',
			expected.filter((file) => !packed.includes(file)),
		),
		none(
			'there is no other file',
			packed.filter((file) => !expected.includes(file)),
		),
		{ what: "n8n's own linter finds nothing", holds: await lint(join(folder, 'strict')) },
		none("n8n's scan of the source and the tarball finds nothing", await scan(unpacked)),
	]);
});

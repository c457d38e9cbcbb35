/** `npm run verify:package`: runs n8n's checks for verified community nodes on the package to publish. */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { SCHEMA_FOLDER, schemaFiles } from '../docs/schemas';
import { packPackage, repository, unpackTarball } from '../host';
import { print, printChecks } from '../terminal';
import { checkStrictly } from './n8nNode';

const manifestSchema = z.object({
	dependencies: z.record(z.string()).default({}),
	optionalDependencies: z.record(z.string()).default({}),
	bundledDependencies: z.array(z.string()).default([]),
	scripts: z.record(z.string()).default({}),
	n8n: z.object({ nodes: z.array(z.string()), credentials: z.array(z.string()) }),
});

/** The most that n8n has to download, in bytes. */
const MAX_PACKED_BYTES = 115_000;

/** What n8n loads: code, codex files, fields of outputs and icons. */
const NEEDED_IN_DIST = /^dist\/(?:.+\.js|.+\.node\.json|.+\/__schema__\/.+\.json|.+\.svg)$/;

/** Scripts that npm runs when a user installs the package. */
const INSTALL_SCRIPTS =
	/^(preinstall|install|postinstall|prepublish|preprepare|prepare|postprepare)$/;

/** What a tarball must contain besides `dist/`. */
const OTHER_FILES = ['package.json', 'README.md', 'LICENSE'];

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

/** Runs n8n's verification scan on the sources and on the files to publish. */
async function scan(unpacked: string): Promise<Check[]> {
	// An ES module without types.
	const path: string = '@n8n/scan-community-package/scanner/scanner.mjs';
	const { analyzePackage, SOURCE_FILE_PATTERNS } = scannerSchema.parse(await import(path));
	const scanned = [
		['the source', repository, SOURCE_FILE_PATTERNS],
		// The patterns that n8n uses for published files, which the scanner does not export.
		['the tarball', unpacked, ['**/*.js', 'package.json']],
	] as const;
	const checks: Check[] = [];
	for (const [what, folder, patterns] of scanned) {
		const result = await analyzePackage(folder, [...patterns]);
		const { passed, message = '', details = '' } = scanSchema.parse(result);
		// A scan that finds no files also passes, but with a message.
		const holds = passed && message === '';
		checks.push({ what: `n8n's scan of ${what} finds nothing ${message}${details}`, holds });
	}
	return checks;
}

interface Check {
	what: string;
	holds: boolean;
}

/** That a list is empty. */
const none = (what: string, found: readonly string[]): Check => ({
	what: found.length === 0 ? what : `${what}: ${found.join(', ')}`,
	holds: found.length === 0,
});

async function verify(folder: string): Promise<boolean> {
	const tarball = await packPackage(folder);
	const unpacked = join(folder, 'package');
	await unpackTarball(tarball.path, unpacked);
	for (const { size, path } of tarball.files) print(`${String(size).padStart(9)}  ${path}`);
	print(`${tarball.files.length} files, ${tarball.unpackedSize} bytes unpacked\n`);

	const paths = tarball.files.map(({ path }) => path);
	const previews = relative(repository, SCHEMA_FOLDER);
	const manifest = manifestSchema.parse(
		JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8')),
	);
	const needed = [
		...OTHER_FILES,
		...manifest.n8n.nodes,
		...manifest.n8n.credentials,
		// Without these, n8n could not show the fields of an output in advance.
		...[...schemaFiles().keys()].map((path) => join('dist', previews, path)),
	];
	const scratch = join(folder, 'strict');
	await mkdir(scratch);
	return printChecks([
		{
			what: `the tarball has ${tarball.size} bytes, at most ${MAX_PACKED_BYTES}`,
			holds: tarball.size <= MAX_PACKED_BYTES,
		},
		none(
			'no file is missing',
			needed.filter((path) => !paths.includes(path)),
		),
		none(
			'there is no other file',
			paths.filter((path) => !OTHER_FILES.includes(path) && !NEEDED_IN_DIST.test(path)),
		),
		none('there are no runtime dependencies, which verification does not allow', [
			...Object.keys(manifest.dependencies),
			...Object.keys(manifest.optionalDependencies),
			...manifest.bundledDependencies,
		]),
		none(
			"no script runs on the user's machine during installation",
			Object.keys(manifest.scripts).filter((name) => INSTALL_SCRIPTS.test(name)),
		),
		none("n8n's own linter and its check before a release pass", await checkStrictly(scratch)),
		...(await scan(unpacked)),
	]);
}

async function main(): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), 'outreach-verify-'));
	try {
		process.exitCode = (await verify(folder)) ? 0 : 1;
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

void main();

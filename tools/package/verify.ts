/** `npm run verify:package`: runs n8n's checks for verified community nodes on the package to publish. */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { packPackage, unpackTarball, type PackageTarball } from '../host/packageTarball';
import { SCHEMA_FOLDER, schemaFiles } from '../docs/schemas';
import { checkStrictly } from './n8nNode';
import { rulesSwitchedOff } from './rules';
import { scan } from './scan';

const repository = resolve(__dirname, '../..');

const manifestSchema = z.object({
	dependencies: z.record(z.string()).default({}),
	optionalDependencies: z.record(z.string()).default({}),
	bundledDependencies: z.array(z.string()).default([]),
	scripts: z.record(z.string()).default({}),
	n8n: z.object({ nodes: z.array(z.string()), credentials: z.array(z.string()) }),
});

/** The most that n8n has to download, in bytes. */
const MAX_PACKED_BYTES = 90_000;

/** What n8n loads: code, codex files, fields of outputs and icons. */
const NEEDED_IN_DIST = /^dist\/(?:.+\.js|.+\.node\.json|.+\/__schema__\/.+\.json|.+\.svg)$/;

/** Scripts that npm runs when a user installs the package. */
const INSTALL_SCRIPTS = [
	'preinstall',
	'install',
	'postinstall',
	'prepublish',
	'preprepare',
	'prepare',
	'postprepare',
];

async function verify(): Promise<string[]> {
	const folder = await mkdtemp(join(tmpdir(), 'outreach-verify-'));
	try {
		const tarball = await packPackage(folder);
		const unpacked = join(folder, 'package');
		await unpackTarball(tarball.path, unpacked);
		printFiles(tarball);
		const scratch = join(folder, 'strict');
		await mkdir(scratch);
		return [
			...tooLarge(tarball),
			...wrongFiles(tarball),
			...missingPreviews(tarball),
			...(await wrongManifest(tarball, unpacked)),
			...(await rulesSwitchedOff()),
			...(await checkStrictly(scratch)),
			...(await scan('the source', repository, 'source')),
			...(await scan('the tarball', unpacked, 'tarball')),
		];
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

function printFiles({ files, size, unpackedSize }: PackageTarball): void {
	for (const file of files) print(`${String(file.size).padStart(9)}  ${file.path}`);
	print(`${files.length} files, ${size} bytes packed, ${unpackedSize} unpacked\n`);
}

function tooLarge({ size }: PackageTarball): string[] {
	if (size <= MAX_PACKED_BYTES) return [];
	return [`The tarball has ${size} bytes, more than ${MAX_PACKED_BYTES}.`];
}

function wrongFiles({ files }: PackageTarball): string[] {
	const paths = files.map(({ path }) => path);
	const expected = ['package.json', 'README.md', 'LICENSE'];
	return [
		...expected
			.filter((path) => !paths.includes(path))
			.map((path) => `${path} is missing from the tarball.`),
		...paths
			.filter((path) => !expected.includes(path) && !NEEDED_IN_DIST.test(path))
			.map((path) => `${path} must not be in the tarball.`),
	];
}

function missingPreviews({ files }: PackageTarball): string[] {
	const packed = new Set(files.map(({ path }) => path));
	const folder = relative(repository, SCHEMA_FOLDER);
	return [...schemaFiles().keys()]
		.map((path) => join('dist', folder, path))
		.filter((path) => !packed.has(path))
		.map((path) => `${path} is missing: n8n could not show the fields of an output in advance.`);
}

async function wrongManifest({ files }: PackageTarball, unpacked: string): Promise<string[]> {
	const manifest = manifestSchema.parse(
		JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8')),
	);
	const runtimePackages = [
		...Object.keys(manifest.dependencies),
		...Object.keys(manifest.optionalDependencies),
		...manifest.bundledDependencies,
	];
	const paths = new Set(files.map(({ path }) => path));
	return [
		...runtimePackages.map((name) => `${name} is a runtime dependency; verification allows none.`),
		...INSTALL_SCRIPTS.filter((script) => script in manifest.scripts).map(
			(script) => `The script '${script}' would run on the user's machine during installation.`,
		),
		...[...manifest.n8n.nodes, ...manifest.n8n.credentials]
			.filter((path) => !paths.has(path))
			.map((path) => `package.json lists ${path}, which is not in the tarball.`),
	];
}

function print(line: string): void {
	process.stdout.write(`${line}\n`);
}

void verify().then((problems) => {
	for (const problem of problems) print(`✗ ${problem}`);
	print(
		problems.length === 0 ? '✓ The package passes all checks.' : `${problems.length} problem(s).`,
	);
	process.exitCode = problems.length === 0 ? 0 : 1;
});

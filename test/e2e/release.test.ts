/**
 * A release, from a fresh clone to npm, as docs/publishing.md describes it. The world is a registry of npm.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { PACKAGE_NAME, repository } from '../../tools/host';
import { startNpmRegistry, type NpmRegistry } from './npmRegistry';
import { SETUP_TIMEOUT_MS } from './outreachHost';

/** A release builds and checks the package. */
const RELEASE_TIMEOUT_MS = 300_000;
jest.setTimeout(RELEASE_TIMEOUT_MS);

const run = promisify(execFile);

let folder: string;
/** A fresh clone. */
let clone: string;
let registry: NpmRegistry;

/** The environment of a person's shell. Jest's NODE_ENV makes n8n's rules treat every file as one of their own tests. */
const PERSON: NodeJS.ProcessEnv = { ...process.env, NODE_ENV: undefined };

/** Runs a command in a folder. @returns what it prints */
async function sh(command: string, { cwd = clone, env = PERSON } = {}): Promise<string> {
	const { stdout, stderr } = await run('bash', ['-c', `{ ${command}; } 2>&1`], { cwd, env }).catch(
		(error: unknown) => {
			throw new Error(`${command} failed: ${(error as { stdout: string }).stdout}`);
		},
	);
	return `${stdout}${stderr}`;
}

/**
 * The environment of an npm that reaches only the registry of the test: without the settings of npm and of the workflow
 * in which the test itself may run.
 */
const only = (settings: Record<string, string>): NodeJS.ProcessEnv => ({
	PATH: process.env.PATH,
	HOME: folder,
	...settings,
});

/** Everything that a release could change. */
const state = () => sh('git status --porcelain && git show-ref && git worktree list');

/** What stands in package.json until a person fills it in. */
const PLACEHOLDERS = `npm pkg set author.name='The n8n-nodes-outreach-service authors' \\
	author.email='maintainers@n8n-nodes-outreach-service.invalid' \\
	repository.url='git+https://github.com/OWNER/n8n-nodes-outreach-service.git'`;

/** A repository with the files of this one, as they are now: before a release, even if this one has had some. */
async function cloneRepository(): Promise<void> {
	const list = 'git ls-files --cached --others --exclude-standard --deduplicate';
	const files = await sh(list, { cwd: repository });
	await mkdir(clone);
	for (const file of files.trim().split('\n')) {
		await mkdir(dirname(join(clone, file)), { recursive: true });
		await cp(join(repository, file), join(clone, file));
	}
	await symlink(join(repository, 'node_modules'), join(clone, 'node_modules'));
	await sh(`git init --quiet --initial-branch main
		git config user.name Acme && git config user.email nodes@acme.com
		${PLACEHOLDERS}
		sed --in-place 's/^\\(Copyright (c) [0-9]*\\) .*/\\1 The n8n-nodes-outreach-service authors/' LICENSE
		grep --quiet '^## \\[Unreleased\\]' CHANGELOG.md ||
			sed --in-place '0,/^## /s//## [Unreleased]\\n\\n- A change.\\n\\n&/' CHANGELOG.md
		git add --all && git commit --quiet --message 'All files'`);
}

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'outreach-release-test-'));
	clone = join(folder, 'clone');
	await cloneRepository();
	registry = await startNpmRegistry(join(folder, 'registry'));
}, SETUP_TIMEOUT_MS);
afterAll(async () => {
	await registry.close();
	await rm(folder, { recursive: true, force: true });
});

/** The version that npm serves as the latest. */
const latest = async () =>
	(await sh(`npm view ${PACKAGE_NAME} version`, { cwd: folder, env: only(registry.env) })).trim();

/** The publication without what only GitHub and Sigstore can sign. */
const PUBLISH = 'npm publish --provenance=false';

// Each test continues where the one before it ended.
describe('A release', () => {
	test('is refused, naming each field, until a person has filled in package.json', async () => {
		const before = await state();
		const refused = sh('npm run release -- 0.1.0 --dry-run');
		await expect(refused).rejects.toThrow(
			/author\.name must be[^]*author\.email must be[^]*repository\.url must be/,
		);
		expect(await state()).toBe(before);
	});

	test('is proved by a dry run up to the upload, which changes nothing', async () => {
		await sh(`npm pkg set author.name='Acme' author.email='nodes@acme.com' \\
			repository.url='git+https://github.com/acme/outreach-nodes.git'
			git commit --quiet --all --message 'Name the author and the repository'`);
		const before = await state();
		const printed = await sh('npm run release -- 0.1.0 --dry-run');
		expect(printed).toContain("✓ n8n's scan of the tarball finds nothing");
		expect(printed).toContain(`+ ${PACKAGE_NAME}@0.1.0`);
		expect(printed).toContain('✓ v0.1.0 can be released.');
		expect(await state()).toBe(before);
	});

	test('is a commit and a tag, in which every link and the README are those of a published package', async () => {
		expect(await sh('npm run release -- 0.1.0')).toContain('✓ v0.1.0 is committed and tagged.');
		expect(await sh('git status --porcelain')).toBe('');
		expect(await sh('git describe --exact-match')).toBe('v0.1.0\n');
		expect(await sh('git grep -n OWNER -- README.md package.json nodes credentials || true')).toBe(
			'',
		);
		const readme = await readFile(join(clone, 'README.md'), 'utf8');
		expect(readme).toContain('_Settings → Community nodes → Install_');
		expect(readme).toContain('github.com/acme/outreach-nodes/actions/workflows/ci.yml/badge.svg');
		expect(readme).not.toMatch(/not on npm|npm pack|<!-- (?:before|after)/);
		// The workflow that publishes runs the tests first.
		await sh('npx jest --selectProjects unit -- unit/texts unit/tools');
		const changelog = await readFile(join(clone, 'CHANGELOG.md'), 'utf8');
		expect(changelog).toMatch(/^## \[0\.1\.0\] - \d{4}-\d\d-\d\d$/m);
		expect(await readFile(join(clone, 'LICENSE'), 'utf8')).toMatch(/^Copyright .* Acme$/m);
		// What the workflow shows as the release on GitHub.
		const notes = await sh('npx tsx tools/package/releaseNotes.ts v0.1.0');
		expect(notes.trim()).not.toBe('');
		expect(notes).not.toContain('## [');
	});

	test('cannot be published by the workflow before a person has created the package', async () => {
		await sh('npm run build');
		await expect(sh(PUBLISH, { env: only(registry.workflow) })).rejects.toThrow('ENEEDAUTH');
		const empty = join(folder, 'empty');
		await mkdir(empty);
		await sh(
			`npm init --yes && npm pkg set name=${PACKAGE_NAME} version=0.0.0 && npm publish --access public`,
			{ cwd: empty, env: only(registry.owner) },
		);
		expect(await latest()).toBe('0.0.0');
	});

	test('cannot be published from a computer: package.json demands provenance', async () => {
		await expect(sh('npm publish', { env: only(registry.owner) })).rejects.toThrow(
			'Automatic provenance generation not supported for provider: null',
		);
	});

	test('is published by the workflow, without a token, once npm trusts it', async () => {
		registry.trustWorkflow();
		expect(await sh(PUBLISH, { env: only(registry.workflow) })).toContain(
			`+ ${PACKAGE_NAME}@0.1.0`,
		);
		expect(await latest()).toBe('0.1.0');
	});
});

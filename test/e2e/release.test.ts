/**
 * A release, from a fresh clone to npm, as docs/publishing.md describes it, and from there into n8n as a community package,
 * with a workflow that stays active while the package is updated. The world is a registry of npm, a real n8n and a local
 * service.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import {
	installN8n,
	PACKAGE_NAME,
	repository,
	startN8n,
	waitFor,
	type OutreachHost,
	type N8nWorkflow,
} from '../../tools/host';
import { deactivate } from '../../tools/host/publishing';
import {
	activateNewWorkflow,
	createServiceCredential,
	triggerWorkflow,
} from '../../tools/host/workflows';
import { startService } from '../../tools/service';
import { startNpmRegistry, type NpmRegistry } from './npmRegistry';
import { SETUP_TIMEOUT_MS } from './outreachHost';
import { activitiesOf, deliverEach, typesAt } from './runs';
import { N8N_UNDER_TEST, SETTINGS_UNDER_TEST } from './underTest';

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

	test('can be tried, which changes nothing', async () => {
		await sh(`npm pkg set author.name='Acme' author.email='nodes@acme.com' \\
			repository.url='git+https://github.com/acme/outreach-nodes.git'
			git commit --quiet --all --message 'Name the author and the repository'
			# What takes long is for the next test.
			npm pkg set 'scripts.verify:package=gulp transpile'
			git commit --quiet --all --message 'Verify nothing'`);
		const before = await state();
		const printed = await sh('npm run release -- 0.1.0 --dry-run');
		expect(printed).toContain(`+ ${PACKAGE_NAME}@0.1.0`);
		expect(printed).toContain('✓ v0.1.0 can be released.');
		expect(await state()).toBe(before);
		await sh('git reset --quiet --hard HEAD~');
	});

	test('is verified, and becomes a commit and a tag, in which every link and the README are those of a published package', async () => {
		const printed = await sh('npm run release -- 0.1.0');
		expect(printed).toContain("✓ n8n's scan of the tarball finds nothing");
		expect(printed).toContain('✓ v0.1.0 is committed and tagged.');
		expect(await sh('git status --porcelain')).toBe('');
		expect(await sh('git describe --exact-match')).toBe('v0.1.0\n');
		expect(await sh('git grep -n OWNER -- README.md package.json nodes credentials || true')).toBe(
			'',
		);
		const readme = await readFile(join(clone, 'README.md'), 'utf8');
		expect(readme).toContain('_Settings → Community nodes → Install_');
		expect(readme).toContain('github.com/acme/outreach-nodes/actions/workflows/ci.yml/badge.svg');
		expect(readme).not.toMatch(/not on npm|npm pack|<!-- (?:before|after)/);
		// The workflow that publishes runs the tests first. These read what a release changes.
		await sh(`npx jest --selectProjects unit --maxWorkers=1 -- \
			'texts/(commands|documents|manifest|repository)' 'tools/(changelog|compatibility|publication)'`);
		const changelog = await readFile(join(clone, 'CHANGELOG.md'), 'utf8');
		expect(changelog).toMatch(/^## \[0\.1\.0\] - \d{4}-\d\d-\d\d$/m);
		expect(await readFile(join(clone, 'LICENSE'), 'utf8')).toMatch(/^Copyright .* Acme$/m);
		// What the workflow shows as the release on GitHub.
		const notes = await sh('npx tsx tools/package/releaseNotes.ts v0.1.0');
		expect(notes.trim()).not.toBe('');
		expect(notes).not.toContain('## [');
	});

	test('cannot be published by the workflow before a person has created the package', async () => {
		await sh('npx gulp transpile');
		await expect(sh(PUBLISH, { env: only(registry.workflow) })).rejects.toThrow('ENEEDAUTH');
		const empty = join(folder, 'empty');
		await mkdir(empty);
		await sh(
			`npm init --yes && npm pkg set name=${PACKAGE_NAME} version=0.0.0 && npm publish --access public`,
			{ cwd: empty, env: only(registry.owner) },
		);
		expect(await latest()).toBe('0.0.0');
	});

	test('is published by the workflow, without a token, once npm trusts it', async () => {
		registry.trustWorkflow();
		expect(await sh(PUBLISH, { env: only(registry.workflow) })).toContain(
			`+ ${PACKAGE_NAME}@0.1.0`,
		);
		expect(await latest()).toBe('0.1.0');
	});
});

// Continues where the release ended.
describe('The package from npm', () => {
	const EVENTS = ['emailsReplied', 'smsReplied'];

	/** An n8n without the package, which gets it from npm as its users do. */
	let host: Pick<OutreachHost, 'installation' | 'server' | 'service'>;
	let workflow: N8nWorkflow;
	let runs = 0;

	beforeAll(async () => {
		const installation = await installN8n(N8N_UNDER_TEST);
		const server = await startN8n({
			installation,
			userFolder: join(folder, 'n8n'),
			env: { ...SETTINGS_UNDER_TEST, ...registry.env },
		});
		host = { installation, server, service: await startService() };
	}, SETUP_TIMEOUT_MS);
	afterAll(async () => {
		await host.server.dispose();
		await host.service.close();
	});

	/** The names of our nodes that n8n offers. */
	async function ourNodes(): Promise<string[]> {
		const types = await host.server.client.nodeTypes();
		return types.map(({ name }) => name).filter((name) => name.startsWith(`${PACKAGE_NAME}.`));
	}

	const install = async (isUpdate: boolean) =>
		(await host.server.client.installPackage(PACKAGE_NAME, { isUpdate })).installedVersion;

	const hookIds = () => host.service.hooks().map(({ _id }) => _id);

	/** Waits for a webhook for each event, whose deliveries are verified, and start the workflow once. */
	async function expectEventsToRun(): Promise<void> {
		await waitFor(
			'a webhook for each event',
			() => typesAt(host),
			(types) => types.join() === EVENTS.join(),
			{ timeoutMs: 100_000 },
		);
		await deliverEach(host, EVENTS);
		runs += EVENTS.length;
		expect(await activitiesOf(host, workflow, runs)).toHaveLength(runs);
	}

	test('is installed, and its trigger works at once', async () => {
		expect(await install(false)).toBe('0.1.0');
		expect(await ourNodes()).toHaveLength(3);
		const options = { repairMinutes: 1, reportProblems: false };
		const credential = await createServiceCredential(host);
		const draft = triggerWorkflow(credential, { events: EVENTS, options });
		workflow = await activateNewWorkflow(host, draft, EVENTS.length);
		await expectEventsToRun();
	});

	test('is updated while the workflow is active: webhooks stay, deliveries are verified, checks go on, and a restart loses none', async () => {
		const before = hookIds();
		await sh(`npm pkg set version=0.1.1 && ${PUBLISH}`, { env: only(registry.workflow) });
		expect(await install(true)).toBe('0.1.1');
		expect(hookIds()).toEqual(before);
		await expectEventsToRun();
		host.service.removeHook(before[0]!);
		await expectEventsToRun();
		await host.server.restart();
		await expectEventsToRun();
	});

	test('leaves nothing at the service or in n8n when its workflows are unpublished and it is removed', async () => {
		await deactivate(host, workflow.id);
		expect(hookIds()).toEqual([]);
		await host.server.client.uninstallPackage(PACKAGE_NAME);
		expect(await ourNodes()).toEqual([]);
	});
});

/**
 * A release of a fresh clone, as docs/publishing.md describes it, and the package in an n8n that installs it from npm, with a
 * workflow that stays active while the package is updated. The world is a real n8n, a local service, and npm with two
 * versions of the package in place of the registry.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
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
import { activateNewWorkflow, deactivate } from '../../tools/host/publishing';
import { createServiceCredential, triggerWorkflow } from '../../tools/host/workflows';
import { startService } from '../../tools/service';
import { SETUP_TIMEOUT_MS } from './outreachHost';
import { activitiesOf, deliverEach, typesAt } from './runs';
import { N8N_UNDER_TEST, SETTINGS_UNDER_TEST } from './underTest';

/** A restart of n8n on a busy machine takes minutes. */
jest.setTimeout(300_000);

const run = promisify(execFile);

let folder: string;
/** A fresh clone, as it is before anything was published. */
let clone: string;

/** Runs a command in the clone, as a person does. @returns what it prints */
async function sh(command: string): Promise<string> {
	// Jest's NODE_ENV makes n8n's rules treat every file as one of their own tests.
	const env = { ...process.env, NODE_ENV: undefined };
	const { stdout } = await run('bash', ['-ec', `{ ${command}\n} 2>&1`], { cwd: clone, env }).catch(
		(error: unknown) => {
			throw new Error(`${command} failed: ${(error as { stdout: string }).stdout}`);
		},
	);
	return stdout;
}

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'outreach-release-test-'));
	clone = join(folder, 'clone');
	await mkdir(clone);
	const files = 'git ls-files -z --cached --others --exclude-standard --deduplicate';
	await sh(`(cd '${repository}' && ${files} | tar --create --null --files-from -) | tar --extract
		git init --quiet --initial-branch main
		git config user.name Acme
		git config user.email nodes@acme.com
		npm pkg set author.name='The n8n-nodes-outreach-service authors'
		printf '%s\n' '' 'The package is not on npm yet.' >> README.md
		grep --quiet '^## Unreleased' CHANGELOG.md ||
			perl -0pi -e 's/^## /## Unreleased\\n\\n- A change.\\n\\n## /m' CHANGELOG.md
		# CI runs this check for itself, and it takes long.
		npm pkg set scripts.verify:package=true
		git add --all
		git commit --quiet --message 'All files'`);
	await symlink(join(repository, 'node_modules'), join(clone, 'node_modules'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

// Each test continues where the one before it ended.
describe('A release', () => {
	/** Everything that a release could change. */
	const state = () => sh('git status --porcelain --untracked-files=no && git show-ref');

	test('is refused, and changes nothing, until a person has filled in each place that it names', async () => {
		const before = await state();
		await expect(sh('npm run release -- 9.0.0')).rejects.toThrow(
			/README\.md:\d+:The package is not on npm[^]*package\.json:\d+: .*The n8n-nodes-/,
		);
		expect(await state()).toBe(before);
	});

	test('becomes a commit and a tag, with a changelog of that day, once that is done as docs/publishing.md says', async () => {
		const guide = await readFile(join(clone, 'docs/publishing.md'), 'utf8');
		const [, commands = ''] = /```bash\n([^]*?)```/.exec(guide) ?? [];
		expect(commands).toContain("npm pkg set author.name='Acme'");
		await sh(commands);
		await sh(`perl -pi -e 's/not on npm yet/on npm/' README.md
			git commit --quiet --all --message 'Say who publishes'
			npm run release -- 9.0.0`);
		expect(await sh('git status --porcelain --untracked-files=no')).toBe('');
		expect(await sh('git log --max-count 1 --format=%s && git describe')).toBe(
			'Release v9.0.0\nv9.0.0\n',
		);
		expect(await sh('git show')).toMatch(/^\+## 9\.0\.0 - \d{4}-\d\d-\d\d$/m);
		expect(await sh("grep '^Copyright' LICENSE")).toMatch(/ Acme$/m);
		expect(await sh('git grep -h github.com/acme/ nodes credentials package.json')).not.toBe('');
		expect(await sh('npx tsx tools/package/release.ts notes v9.0.0')).toMatch(/^- /m);
	});

	test('passes the tests that read what it has changed, which the workflow that publishes it runs', async () => {
		await sh(
			"npx jest --selectProjects unit --maxWorkers=1 -- 'texts/(documents|repository)' 'tools/c'",
		);
	});
});

/**
 * Makes an `npm` that has the versions in a folder, as files of `npm pack`, and does everything else as the real one: n8n
 * without a license fetches packages from npm's own registry only.
 */
async function makeNpm(packages: string): Promise<void> {
	const script = `#!/bin/sh
PATH="\${PATH#*:}"
version="\${2#${PACKAGE_NAME}@}"
case "$1" in
	view) echo "\\"$version\\"" ;;
	pack) cp "${packages}/${PACKAGE_NAME}-$version.tgz" . && echo "${PACKAGE_NAME}-$version.tgz" ;;
	*) exec npm "$@" ;;
esac
`;
	await writeFile(join(packages, 'npm'), script, { mode: 0o755 });
}

// Continues where the release ended.
describe('The package from npm', () => {
	const EVENTS = ['emailsReplied', 'smsReplied'];

	/** An n8n without the package, which gets it from npm as its users do. */
	let host: Pick<OutreachHost, 'installation' | 'server' | 'service'>;
	let workflow: N8nWorkflow;
	let runs = 0;

	beforeAll(async () => {
		const packages = join(folder, 'packages');
		await mkdir(packages);
		await sh(`npx gulp transpile
			npm pack --silent --pack-destination '${packages}'
			npm pkg set version=9.0.1
			npm pack --silent --pack-destination '${packages}'`);
		await makeNpm(packages);
		const installation = await installN8n(N8N_UNDER_TEST);
		const path = [packages, dirname(installation.node), process.env.PATH ?? ''];
		const server = await startN8n({
			installation,
			userFolder: join(folder, 'n8n'),
			env: {
				...SETTINGS_UNDER_TEST,
				PATH: path.join(delimiter),
				// n8n first asks npm's registry itself, and its own servers. Nothing listens there.
				HTTPS_PROXY: 'http://127.0.0.1:9',
				NO_PROXY: '127.0.0.1,localhost',
			},
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
		const body = { name: PACKAGE_NAME, version: '9.0.0' };
		const installed = await host.server.client.send('POST', '/community-packages', { body });
		expect(installed).toMatchObject({ installedVersion: '9.0.0' });
		expect(await ourNodes()).toHaveLength(3);
		const options = { repairMinutes: 1, reportProblems: false };
		const credential = await createServiceCredential(host);
		const draft = triggerWorkflow(credential, { events: EVENTS, options });
		workflow = await activateNewWorkflow(host, draft);
		await expectEventsToRun();
	});

	test('is updated while the workflow is active: webhooks stay, deliveries are verified, checks go on, and a restart loses none', async () => {
		const before = hookIds();
		const body = { name: PACKAGE_NAME, version: '9.0.1' };
		const updated = await host.server.client.send('PATCH', '/community-packages', { body });
		expect(updated).toMatchObject({ installedVersion: '9.0.1' });
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
		const query = { name: PACKAGE_NAME };
		await host.server.client.send('DELETE', '/community-packages', { query });
		expect(await ourNodes()).toEqual([]);
	});
});

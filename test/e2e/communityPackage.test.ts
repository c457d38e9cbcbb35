/**
 * The package is installed, updated and removed as a community package, while its workflow is active. The world is a
 * registry of npm, a real n8n and a local service.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
	installN8n,
	PACKAGE_NAME,
	packPackage,
	startN8n,
	waitFor,
	type N8nWorkflow,
} from '../../tools/host';
import { startNpmRegistry, type NpmRegistry } from './npmRegistry';
import { activate, deactivate } from '../../tools/host/publishing';
import { createServiceCredential, triggerWorkflow } from '../../tools/host/workflows';
import { startService } from '../../tools/service';
import { SETUP_TIMEOUT_MS, TEST_TIMEOUT_MS, type OutreachHost } from './outreachHost';
import { deliverEach, runsOf, typesAt } from './trigger/deliveriesAndRuns';
import { N8N_UNDER_TEST, SETTINGS_UNDER_TEST } from './underTest';

jest.setTimeout(TEST_TIMEOUT_MS);

const EVENTS = ['emailsReplied', 'smsReplied'];

/** An n8n without the package, which gets it from npm as its users do. */
let host: OutreachHost;
let registry: NpmRegistry;

beforeAll(async () => {
	const installation = await installN8n(N8N_UNDER_TEST);
	const folder = await mkdtemp(join(tmpdir(), 'outreach-npm-'));
	const tarball = await packPackage(folder);
	registry = await startNpmRegistry(join(folder, 'registry'));
	await registry.publish(tarball.path, '1.0.0');
	const service = await startService();
	const server = await startN8n({
		installation,
		userFolder: join(folder, 'n8n'),
		env: { ...SETTINGS_UNDER_TEST, ...registry.env },
	});
	const dispose = async () => {
		await server.dispose();
		await service.close();
		await registry.close();
		await rm(folder, { recursive: true, force: true });
	};
	host = { installation, tarball, server, service, dispose };
}, SETUP_TIMEOUT_MS);
afterAll(() => host.dispose());
/** The names of our nodes that n8n offers. */
async function ourNodes(): Promise<string[]> {
	const types = await host.server.client.nodeTypes();
	return types.map(({ name }) => name).filter((name) => name.startsWith(`${PACKAGE_NAME}.`));
}

const hookIds = () => host.service.hooks().map(({ _id }) => _id);

let workflow: N8nWorkflow;
let runs = 0;

/** Delivers an activity of each event; all are verified, and each starts the workflow once. */
async function expectDeliveriesToRun(): Promise<void> {
	await deliverEach(host, EVENTS);
	runs += EVENTS.length;
	expect(await runsOf(host, workflow.id, runs)).toHaveLength(runs);
}

// Each test continues where the one before it ended.
describe('The package from npm', () => {
	test('is installed, and its trigger works at once', async () => {
		expect(await host.server.client.installPackage(PACKAGE_NAME)).toMatchObject({
			installedVersion: '1.0.0',
		});
		expect(await ourNodes()).toHaveLength(3);
		const credential = await createServiceCredential(host);
		workflow = await host.server.client.createWorkflow(
			triggerWorkflow(credential, {
				events: EVENTS,
				options: { repairMinutes: 1, reportProblems: false },
			}),
		);
		expect(await activate(host, workflow.id)).toMatchObject({ status: 'published' });
		expect(typesAt(host)).toEqual(EVENTS);
		await expectDeliveriesToRun();
	});

	test('is updated while the workflow is active: webhooks stay, deliveries are verified, repairs go on', async () => {
		const before = hookIds();
		await registry.publish(host.tarball.path, '1.1.0');
		expect(await host.server.client.installPackage(PACKAGE_NAME, { isUpdate: true })).toMatchObject(
			{ installedVersion: '1.1.0' },
		);
		expect(hookIds()).toEqual(before);
		await expectDeliveriesToRun();
		host.service.removeHook(before[0]!);
		await waitFor(
			'the missing webhook to be created again',
			() => typesAt(host),
			(types) => types.length === EVENTS.length,
			{ timeoutMs: 100_000 },
		);
		await expectDeliveriesToRun();
	});

	test('has exactly its webhooks after a restart, too', async () => {
		await host.server.restart();
		// Not the same ones: n8n does not save which webhook the repair created, so the start replaces it. n8n is ready
		// before it has done so.
		await waitFor(
			'a webhook for each event',
			() => typesAt(host),
			(types) => types.join() === EVENTS.join(),
		);
		await expectDeliveriesToRun();
	});

	test('leaves nothing at the service or in n8n when its workflows are deactivated and it is removed', async () => {
		await deactivate(host, workflow.id);
		expect(hookIds()).toEqual([]);
		await host.server.client.uninstallPackage(PACKAGE_NAME);
		expect(await ourNodes()).toEqual([]);
	});
});

/** `npm run docs:screenshots`: uses the nodes in a real n8n as a user would, and takes every screenshot in the documents. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Argument, Command } from 'commander';
import type { Browser } from 'playwright-core';
import { CleanUp } from '../terminal/cleanUp';
import { captureActions } from './actions';
import { keepPicturesIn, launchBrowser, newPage, signIn, takeScreenshot } from './browser';
import { buildByHand } from './buildByHand';
import { captureCredential } from './credential';
import { captureDemo } from './demoWorkflow';
import { Editor } from './editor';
import { captureErrors } from './errors';
import { checkFieldHelp } from './fieldHelp';
import { captureLocalService } from './localService';
import { captureSearch } from './nodeSearch';
import { captureReport } from './report';
import { captureTrigger } from './trigger';
import { createEnvironment, triggerNode, type Environment } from './environment';

type Scene = (editor: Editor, environment: Environment) => Promise<void>;

/** The scenes in the editor, in order: later ones leave more data behind. */
const SCENES: Readonly<Record<string, Scene>> = {
	search: captureSearch,
	build: buildByHand,
	help: checkFieldHelp,
	trigger: captureTrigger,
	actions: captureActions,
	errors: captureErrors,
	credential: captureCredential,
	report: captureReport,
};

/** Scenes outside the editor of one n8n. */
const OTHERS = ['service', 'demo', 'dark'];
/** Those of a short run: an editor that has changed shows in all scenes alike. */
const SHORT = ['trigger', 'credential'];

const program = new Command('npm run docs:screenshots --')
	.description('Uses the nodes in the editor, and takes the pictures of the documents.')
	.addArgument(
		new Argument('[scenes...]', 'only these').choices([...OTHERS, ...Object.keys(SCENES)]),
	)
	.option('--short', `take only ${SHORT.join(' and ')}, and leave the documents as they are`, false)
	.parse();
const { short } = program.opts<{ short: boolean }>();
const selected = short ? SHORT : program.args;
const isSelected = (name: string): boolean => selected.length === 0 || selected.includes(name);

async function captureEditor(browser: Browser, environment: Environment): Promise<void> {
	const page = await newPage(browser);
	await signIn(page, environment.server.url);
	const editor = new Editor(page, environment.server.url);
	for (const [name, capture] of Object.entries(SCENES)) {
		if (!isSelected(name)) continue;
		try {
			await capture(editor, environment);
		} catch (error) {
			const path = join(tmpdir(), 'outreach-screenshot-failed.png');
			await page.screenshot({ path });
			throw new Error(`The scene '${name}' failed. Screenshot: ${path}`, { cause: error });
		}
	}
	await page.close();
}

/** The trigger in n8n's dark mode. */
async function captureDarkMode(
	browser: Browser,
	{ server, credential }: Environment,
): Promise<void> {
	const page = await newPage(browser, { isDark: true });
	await signIn(page, server.url);
	const editor = new Editor(page, server.url);
	const { id } = await server.client.createWorkflow({
		name: 'Dark mode',
		nodes: [triggerNode(credential, { events: ['emailsReplied', 'emailsBounced'] })],
		connections: {},
	});
	await editor.open(id);
	await editor.openNode('Outreach Service Trigger');
	await takeScreenshot(page, 'trigger-dark');
	await page.close();
}

async function main(): Promise<void> {
	const cleanUp = new CleanUp();
	if (short) {
		const folder = await mkdtemp(join(tmpdir(), 'outreach-pictures-'));
		cleanUp.add('remove the pictures', () => rm(folder, { recursive: true, force: true }));
		keepPicturesIn(folder);
	}
	try {
		const browser = await launchBrowser();
		cleanUp.add('close the browser', () => browser.close());
		if (isSelected('service')) await captureLocalService(browser);
		if (isSelected('demo')) await captureDemo(browser);
		const environment = await createEnvironment(cleanUp);
		await captureEditor(browser, environment);
		if (isSelected('dark')) await captureDarkMode(browser, environment);
	} finally {
		await cleanUp.run();
	}
}

main().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});

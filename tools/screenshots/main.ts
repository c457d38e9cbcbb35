/** `npm run docs:screenshots`: uses the nodes in a real n8n as a person would, and takes every picture of the documents. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { CleanUp } from '../terminal/cleanUp';
import { pictureActions } from './actions';
import { launchBrowser, newPage, signIn, take } from './browser';
import { buildByHand } from './buildByHand';
import { pictureCredential } from './credential';
import { pictureDemo } from './demoWorkflow';
import { Editor } from './editor';
import { pictureErrors } from './errors';
import { readEveryHelp } from './help';
import { pictureLocalService } from './localService';
import { pictureSearch } from './search';
import { pictureTrigger } from './trigger';
import { createWorld, triggerNode, type World } from './world';

type Scene = (editor: Editor, world: World) => Promise<void>;

/** In the editor, one after the other: the first ones leave less behind. */
const SCENES: Readonly<Record<string, Scene>> = {
	search: pictureSearch,
	build: buildByHand,
	help: readEveryHelp,
	trigger: pictureTrigger,
	actions: pictureActions,
	errors: pictureErrors,
	credential: pictureCredential,
};

/** Names of scenes may be given; without any, all pictures are taken. */
const wanted = process.argv.slice(2);
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name);

async function editorPictures(browser: Browser, world: World): Promise<void> {
	const page = await newPage(browser);
	await signIn(page, world.server.url);
	const editor = new Editor(page, world.server.url);
	for (const [name, picture] of Object.entries(SCENES)) {
		if (!isWanted(name)) continue;
		try {
			await picture(editor, world);
		} catch (error) {
			const path = join(tmpdir(), 'outreach-screenshot-failed.png');
			await page.screenshot({ path });
			throw new Error(`The scene '${name}' failed: see ${path}`, { cause: error });
		}
	}
	await page.close();
}

/** The trigger in n8n's dark colours. */
async function darkPicture(browser: Browser, { server, credential }: World): Promise<void> {
	const page = await newPage(browser, { isDark: true });
	await signIn(page, server.url);
	const editor = new Editor(page, server.url);
	const { id } = await server.client.createWorkflow({
		name: 'In the dark',
		nodes: [triggerNode(credential, { events: ['emailsReplied', 'emailsBounced'] })],
		connections: {},
	});
	await editor.open(id);
	await editor.openNode('Outreach Service Trigger');
	await take(page, 'trigger-dark');
	await page.close();
}

async function main(): Promise<void> {
	const cleanUp = new CleanUp();
	try {
		const browser = await launchBrowser();
		cleanUp.add('close the browser', () => browser.close());
		if (isWanted('service')) await pictureLocalService(browser);
		if (isWanted('demo')) await pictureDemo(browser);
		const world = await createWorld(cleanUp);
		await editorPictures(browser, world);
		if (isWanted('dark')) await darkPicture(browser, world);
	} finally {
		await cleanUp.run();
	}
}

main().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});

import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PACKAGE_NAME, repository, waitFor, type N8nNodeType, type N8nServer } from '../host';
import { step } from '../terminal/print';

const NODE = 'nodes/OutreachService/OutreachService.node.ts';
const CODEX = 'nodes/OutreachService/OutreachService.node.json';
const SOURCES = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'nodes', 'credentials'];

/** Milliseconds from saving a file until n8n must serve the change; usually two to three seconds. */
const SERVED_WITHIN_MS = 30_000;

/** Copies the sources, so that a change for trying does not touch the developer's own. */
export async function copySources(folder: string): Promise<string> {
	const copy = join(folder, 'sources');
	await mkdir(copy);
	for (const name of SOURCES) {
		await cp(join(repository, name), join(copy, name), { recursive: true });
	}
	await symlink(join(repository, 'node_modules'), join(copy, 'node_modules'));
	return copy;
}

/**
 * Changes a node's code and its codex file, and waits until the running n8n describes the node accordingly.
 *
 * @throws when n8n does not serve a change
 */
export async function tryChanges(server: N8nServer, sources: string): Promise<void> {
	const { displayName } = await describedNode(server);
	const newName = `${displayName} (changed)`;
	await step('Changing the display name of a node', async () => {
		await replaceInFile(join(sources, NODE), `displayName: '${displayName}'`, (text) =>
			text.replace(displayName, newName),
		);
		await waitUntilServed(server, (node) => node.displayName === newName);
	});
	const alias = 'added while n8n runs';
	await step('Adding a search word to its codex file', async () => {
		await replaceInFile(join(sources, CODEX), '"alias": [', (text) => `${text}"${alias}", `);
		await waitUntilServed(server, ({ codex }) => codex?.alias?.includes(alias) === true);
	});
}

async function replaceInFile(
	path: string,
	text: string,
	replacement: (text: string) => string,
): Promise<void> {
	const before = await readFile(path, 'utf8');
	if (!before.includes(text)) throw new Error(`${path} no longer has the text: ${text}`);
	await writeFile(path, before.replace(text, replacement(text)));
}

async function waitUntilServed(
	server: N8nServer,
	isDone: (node: N8nNodeType) => boolean,
): Promise<void> {
	await waitFor('n8n to serve the change', () => describedNode(server), isDone, {
		timeoutMs: SERVED_WITHIN_MS,
	});
}

async function describedNode({ client }: N8nServer): Promise<N8nNodeType> {
	const name = `${PACKAGE_NAME}.outreachService`;
	const node = (await client.nodeTypes()).find((one) => one.name === name);
	if (node === undefined) throw new Error(`n8n has no node ${name}`);
	return node;
}

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { PACKAGE_NAME, type OutreachHost } from '../host';
import { sideBySide, type Topic } from './figures';
import type { Scale } from './scale';

const run = promisify(execFile);

/** One of n8n's own integrations with a trigger, with as much code. */
const OTHER = 'Lemlist';

const filesOf = (folder: string, name: string) => [
	join(folder, `credentials/${name}Api.credentials.js`),
	join(folder, `nodes/${name}/${name}.node.js`),
	join(folder, `nodes/${name}/${name}Trigger.node.js`),
];

const loadedSchema = z.object({ ms: z.number(), kb: z.number() });

/** What it costs to load both nodes and the credential, in a new process, and the size of what is published. */
export async function packageCost(
	{ installation, server, tarball }: OutreachHost,
	{ rounds }: Scale,
): Promise<Topic[]> {
	const { folder, node } = installation;
	const installed = join(server.userFolder, '.n8n/nodes/node_modules', PACKAGE_NAME, 'dist');
	const load = async (files: string[]) => {
		const script = join(__dirname, 'loadOnce.mjs');
		// As in n8n, whose own modules are on the path of every node package.
		const env = { ...process.env, NODE_PATH: join(folder, 'node_modules') };
		const options = { env, cwd: folder };
		const { stdout } = await run(node, ['--expose-gc', script, folder, ...files], options);
		return loadedSchema.parse(JSON.parse(stdout));
	};
	const base = join(folder, 'node_modules/n8n-nodes-base/dist');
	const variants = [
		['our package', () => load(filesOf(installed, 'OutreachService'))],
		[OTHER, () => load(filesOf(base, OTHER))],
	] as const;
	const samples = await sideBySide(variants, rounds);
	return [
		{
			title: `The package, beside n8n's ${OTHER} nodes`,
			figures: [
				...variants.flatMap(([name]) => [
					{ name: `${name}: time to load`, unit: 'ms', values: samples(name).map(({ ms }) => ms) },
					{ name: `${name}: memory`, unit: 'KB', values: samples(name).map(({ kb }) => kb) },
				]),
				{ name: 'tarball', unit: 'KB', values: [tarball.size / 1024] },
				{ name: 'files', unit: '', values: [tarball.files.length] },
			],
		},
	];
}

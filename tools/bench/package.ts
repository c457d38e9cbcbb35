import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { packageFolder, type OutreachHost } from '../host';
import { figure, sideBySide, type Scale, type Topic } from './figures';

const run = promisify(execFile);

/** Loads node files as n8n does at startup, and prints the time and the memory it took. */
const LOAD = `
// n8n has loaded these long before it loads a node.
for (const name of ['n8n-workflow', 'zod', 'n8n-core', 'lodash', 'luxon', 'moment-timezone']) require(name);
gc();
const heapBefore = process.memoryUsage().heapUsed;
const beganAt = performance.now();
const instances = process.argv.slice(1).map((file) => new (Object.values(require(file))[0])());
const ms = performance.now() - beganAt;
gc();
const kb = (process.memoryUsage().heapUsed - heapBefore) / 1024;
console.log(JSON.stringify({ ms, kb, loaded: instances.length }));
`;

const loadedSchema = z.object({ ms: z.number(), kb: z.number() });

/** What it costs to load both nodes and the credential, in a new process, and the size of what is published. */
export async function packageCost(
	{ installation: { folder, node }, server, tarball }: OutreachHost,
	{ rounds }: Scale,
): Promise<Topic[]> {
	const dist = join(packageFolder(server.userFolder), 'dist');
	const files = [
		join(dist, 'credentials/OutreachServiceApi.credentials.js'),
		join(dist, 'nodes/OutreachService/OutreachService.node.js'),
		join(dist, 'nodes/OutreachService/OutreachServiceTrigger.node.js'),
	];
	// As in n8n, whose own modules are on the path of every node package.
	const options = { env: { ...process.env, NODE_PATH: join(folder, 'node_modules') }, cwd: folder };
	const load = async () => {
		const { stdout } = await run(node, ['--expose-gc', '--eval', LOAD, ...files], options);
		return loadedSchema.parse(JSON.parse(stdout));
	};
	const samples = (await sideBySide([['our package', load]], rounds))('our package');
	const ms = samples.map((sample) => sample.ms);
	const kb = samples.map((sample) => sample.kb);
	const figures = [
		figure('time to load', 'ms', ms),
		figure('memory', 'KB', kb),
		figure('tarball', 'KB', [tarball.size / 1024]),
		figure('files', '', [tarball.files.length]),
	];
	return [{ title: 'The package', figures }];
}

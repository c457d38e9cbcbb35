/**
 * Loads node files as n8n does at startup, and prints the time and the memory it took. Runs with --expose-gc on n8n's
 * Node.js version, in a new process each time.
 *
 * Arguments: the folder of the n8n installation, then the files to load.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [modules, ...files] = process.argv.slice(2);
const load = createRequire(join(modules, 'package.json'));
// n8n has loaded these long before it loads a node.
for (const name of ['n8n-workflow', 'zod', 'n8n-core', 'lodash', 'luxon', 'moment-timezone']) {
	load(name);
}

globalThis.gc();
const heapBefore = process.memoryUsage().heapUsed;
const beganAt = performance.now();
const instances = files.map((file) => {
	const [Class] = Object.values(load(file));
	return new Class();
});
const ms = performance.now() - beganAt;
globalThis.gc();
const kb = (process.memoryUsage().heapUsed - heapBefore) / 1024;
console.log(JSON.stringify({ ms, kb, loaded: instances.length }));

/**
 * Loads node files as n8n does at its start, and prints how long it took and what memory it left taken. Runs on n8n's
 * own Node, in a process of its own for each time, with --expose-gc.
 *
 * Arguments: a folder whose modules n8n brings along, then the files to load.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [modules, ...files] = process.argv.slice(2);
const load = createRequire(join(modules, 'package.json'));
// n8n has these in memory long before it loads a node.
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

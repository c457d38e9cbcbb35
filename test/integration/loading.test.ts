import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { z } from 'zod';

import packageJson from '../../package.json';

const run = promisify(execFile);
const repository = join(__dirname, '../..');

/** Creates the nodes and the credential as n8n does when it starts, and prints what was loaded for that. */
const SCRIPT = `
const { relative, resolve } = require('node:path');
for (const file of process.argv.slice(1)) {
	const [Class] = Object.values(require(resolve(file)));
	new Class();
}
console.log(JSON.stringify(Object.keys(require.cache).map((file) => relative('.', file))));
`;

test('When n8n starts, it loads what describes the nodes, and not what runs them', async () => {
	const { nodes, credentials } = packageJson.n8n;
	const args = ['--eval', SCRIPT, ...nodes, ...credentials];
	const { stdout } = await run(process.execPath, args, { cwd: repository });
	const loaded = z.array(z.string()).parse(JSON.parse(stdout));
	expect(loaded).toEqual(expect.arrayContaining([...nodes, ...credentials]));
	const running = [
		...['api/', 'methods/', 'trigger/delivery/', 'trigger/reconcile/', 'trigger/state/'],
		// With zod's schemas, which cost more than all the rest.
		...['actions/values.js', 'model/schemas.js', 'trigger/parameters.js'],
	].map((path) => `dist/nodes/OutreachService/${path}`);
	expect(loaded.filter((file) => running.some((path) => file.startsWith(path)))).toEqual([]);
});

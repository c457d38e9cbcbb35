/** docs/architecture.md has a line for each file of the nodes and each folder of the tools, and for no others. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { read, repository, sourcesIn } from './everyDocument';

const architecture = read('docs/architecture.md');

/** What stands in code in the first column of the tables, such as a path. */
const listed = [...architecture.matchAll(/^\| (`[^|]+`) +\|/gm)].flatMap(([, cell = '']) =>
	[...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
);

it('Each file of the nodes has a line', () => {
	const folder = 'nodes/OutreachService/';
	const files = sourcesIn('nodes')
		.filter((path) => path.endsWith('.ts'))
		.map((path) => path.slice(folder.length));
	expect(files.length).toBeGreaterThan(90);
	expect(listed.filter((path) => path.endsWith('.ts')).sort()).toEqual(files.sort());
});

it('Each folder of the tools has a line', () => {
	const folders = readdirSync(join(repository, 'tools'), { withFileTypes: true })
		.filter((entry) => entry.isDirectory())
		.map(({ name }) => `tools/${name}`);
	expect(listed.filter((path) => path.startsWith('tools/')).sort()).toEqual(folders.sort());
});

it('Each folder of the nodes is named in the order in which imports go down', () => {
	const folders = [...architecture.matchAll(/^\| \*\*(\w+)\/\*\* \|/gm)].map(([, name]) => name);
	expect(folders).toEqual([
		'actions',
		'methods',
		'trigger',
		'runtime',
		'targets',
		'api',
		'parameters',
		'domain',
		'utils',
	]);
});

it('How a delivery is handled names each function that decides whether an event is one for the workflow', () => {
	const receive = read('nodes/OutreachService/trigger/delivery/receive.ts');
	const [, imported = ''] = /import \{ ([^}]+) \} from '\.\/applySelection'/.exec(receive) ?? [];
	const functions = imported.split(', ');
	expect(functions.length).toBeGreaterThan(1);
	for (const name of functions) expect(architecture).toContain(`\`${name}\``);
});

it('The glossary has at most 25 words, each once', () => {
	const [, glossary = ''] = read('CONTRIBUTING.md').split('### Glossary');
	const [section = ''] = glossary.split('\n## ');
	const words = [...section.matchAll(/^\| (\*\*[^|]+\*\*) +\|/gm)].flatMap(([, cell = '']) =>
		[...cell.matchAll(/\*\*([^*]+)\*\*/g)].map(([, word]) => word),
	);
	expect(words.length).toBeGreaterThan(15);
	expect(words.length).toBeLessThanOrEqual(25);
	expect(new Set(words).size).toBe(words.length);
});

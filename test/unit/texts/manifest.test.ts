/** The nodes and the credentials are in package.json, and in each list that must have all of them. */
import { basename } from 'node:path';

import { z } from 'zod';

import { DESCRIPTIONS } from '../../../tools/docs/descriptions';
import { FILES_WITH_LINKS } from '../../../tools/package/publication';
import { read, sourcesIn } from './everyDocument';

/** What n8n loads, such as `credentials/OutreachServiceApi.credentials.ts`. */
const FILES = [
	...sourcesIn('credentials'),
	...sourcesIn('nodes').filter((file) => file.endsWith('.node.ts')),
];

it('package.json has each file in nodes/ and credentials/ that n8n loads', () => {
	const { n8n } = z
		.object({ n8n: z.object({ credentials: z.string().array(), nodes: z.string().array() }) })
		.parse(JSON.parse(read('package.json')));
	const built = FILES.map((file) => `dist/${file.replace(/\.ts$/, '.js')}`);
	expect([...n8n.credentials, ...n8n.nodes].sort()).toEqual(built.sort());
	expect(FILES.length).toBeGreaterThan(2);
});

it('test/descriptions.txt has each of them, and a release renews the links in it and in the codex of each node', () => {
	const names = FILES.map((file) => basename(file).split('.')[0] ?? '');
	expect(names.filter((name) => !DESCRIPTIONS.includes(`${name} {`))).toEqual([]);
	const linked = FILES.map((file) => file.replace(/\.node\.ts$/, '.node.json'));
	expect(FILES_WITH_LINKS).toEqual(expect.arrayContaining(linked));
});

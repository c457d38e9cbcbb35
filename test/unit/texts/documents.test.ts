/** The links of the documents lead somewhere. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { anchorsOf, documents, read, repository, sourcesIn } from './everyDocument';

it('Every link leads to a file or heading that exists', () => {
	const links = documents.flatMap((file) =>
		[...read(file).matchAll(/(?:\]\(|src="|srcset=")([^)"\s]+)[)"]/g)].map(([, link = '']) => ({
			file,
			link,
		})),
	);
	const broken = links
		.filter(({ link }) => !/^[a-z]+:/.test(link))
		.filter(({ file, link }) => {
			const [path = '', anchor] = link.split('#');
			const target = path === '' ? file : join(dirname(file), path);
			if (!existsSync(join(repository, target))) return true;
			return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
		});
	expect(links.length).toBeGreaterThan(documents.length);
	expect(broken).toEqual([]);
});

it('Every decision that a comment cites is in docs/decisions.md', () => {
	const code = sourcesIn('nodes', 'credentials', 'tools', 'test').map(read);
	const cited = new Set(code.flatMap((text) => text.match(/\bD\d{1,3}\b/g) ?? []));
	const decisions = read('docs/decisions.md');
	expect(cited.size).toBeGreaterThan(20);
	expect([...cited].filter((number) => !decisions.includes(`**${number}**`))).toEqual([]);
});

it('Every test that docs/testing.md names as the proof of a guarantee exists', () => {
	const [, table = ''] = read('docs/testing.md').split('## Where each guarantee is proved');
	const named = table.match(/\b(?:unit|integration|service|e2e)\/[\w/.]*/g) ?? [];
	expect(named.length).toBeGreaterThan(80);
	expect(named.filter((path) => !existsSync(join(repository, 'test', path)))).toEqual([]);
});

it('The README or CONTRIBUTING leads to each document', () => {
	const startingPoints = read('README.md') + read('CONTRIBUTING.md');
	const all = documents.filter((file) => file.startsWith('docs/'));
	expect(all.length).toBeGreaterThan(10);
	expect(all.filter((file) => !startingPoints.includes(`](${file}`))).toEqual([]);
});

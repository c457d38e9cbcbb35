/** The links and the commands of the documents lead somewhere. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { z } from 'zod';

import { anchorsOf, documents, read, repository, sourcesIn } from './everyDocument';

const { scripts, homepage } = z
	.object({ scripts: z.record(z.string()), homepage: z.string() })
	.parse(JSON.parse(read('package.json')));

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

it('The nodes and the credential link to headings of the README, in the repository of package.json', () => {
	const files = [
		'credentials/OutreachServiceApi.credentials.ts',
		'nodes/OutreachService/OutreachService.node.json',
		'nodes/OutreachService/OutreachServiceTrigger.node.json',
	];
	const [page = ''] = homepage.split('#');
	const expected = anchorsOf(read('README.md')).map((anchor) => `${page}#${anchor}`);
	for (const file of files) {
		const links = read(file).match(/https:\/\/github\.com\/[^'"]*/g) ?? [];
		expect(links).not.toEqual([]);
		expect(links.filter((link) => !expected.includes(link))).toEqual([]);
	}
});

it('Every command in a document is a script of package.json', () => {
	const named = documents.flatMap((file) =>
		[...read(file).matchAll(/npm run (?:-s )?([a-z][\w:-]+)/g)].map(([, script = '']) => script),
	);
	expect(named.length).toBeGreaterThan(20);
	expect(named.filter((script) => !(script in scripts))).toEqual([]);
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

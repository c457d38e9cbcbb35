import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';

import { reportSchema, withFigures } from '../../../tools/bench/report/scalingFigures';
import { EVERY_MESSAGE } from './everyText';

const repository = resolve(__dirname, '../../..');
const read = (path: string): string => readFileSync(join(repository, path), 'utf8');

/** The rows of the first table after a heading, as the texts of their first cells. */
function firstColumn(document: string, heading: string): string[] {
	const section = document.split(new RegExp(`^#+ ${heading}$`, 'm'))[1] ?? '';
	const rows = /(?:^\|.*\n)+/m.exec(section)?.[0].trim().split('\n').slice(2) ?? [];
	return rows.map((row) => row.split('|')[1]?.trim() ?? '');
}

const readme = read('README.md');

/** The one row that describes a symptom rather than a message. */
const SYMPTOM = 'The workflow is active, but nothing happens';

it('docs/troubleshooting.md explains every message of the nodes, and no others', () => {
	const explained = firstColumn(read('docs/troubleshooting.md'), 'Messages')
		.filter((cell) => cell !== SYMPTOM)
		.flatMap((cell) => cell.split('·').map((message) => message.trim()));
	expect(explained.sort()).toEqual([...EVERY_MESSAGE].sort());
});

it('The README has at most 1,200 words', () => {
	expect(readme.split(/\s+/).filter((word) => /\w/.test(word)).length).toBeLessThanOrEqual(1200);
});

it('The tables in the documents are those that `npm run docs:tables` writes', () => {
	const main = join(repository, 'tools/docs/main.ts');
	const checked = spawnSync(process.execPath, ['--import', 'tsx', main, '--check'], {
		cwd: repository,
		encoding: 'utf8',
	});
	expect([checked.stdout, checked.status]).toEqual(['', 0]);
});

/** The documents in the root and in docs/, with paths from the root. */
const documents = ['README.md', 'CONTRIBUTING.md']
	.concat(
		readdirSync(join(repository, 'docs'), { recursive: true, encoding: 'utf8' }).map((file) =>
			join('docs', file),
		),
	)
	.filter((file) => file.endsWith('.md'));

it('Every test that docs/reliability.md names exists', () => {
	const named = [...read('docs/reliability.md').matchAll(/`((?:unit|integration|e2e)\/[\w/.]+)`/g)];
	expect(named.length).toBeGreaterThan(10);
	const missing = named.filter(([, file = '']) => !existsSync(join(repository, 'test', file)));
	expect(missing.map(([, file]) => file)).toEqual([]);
});

describe('A command', () => {
	const { scripts } = z
		.object({ scripts: z.record(z.string()) })
		.parse(JSON.parse(read('package.json')));
	const commands = documents.flatMap((file) =>
		[...read(file).matchAll(/npm run ([\w:-]+)/g)].map((match) => [match[1] ?? '', file]),
	);

	it.each(commands)('npm run %s in %s is a script of package.json', (command) => {
		expect(Object.keys(scripts)).toContain(command);
	});

	it.each(Object.keys(scripts))(
		'npm run %s is explained in CONTRIBUTING or in the README',
		(name) => {
			const isExplained = `${readme}${read('CONTRIBUTING.md')}`.includes(
				name === 'test' ? 'npm test' : `npm run ${name}`,
			);
			expect(isExplained).toBe(true);
		},
	);
});

it('docs/scaling.md has the figures of the last full benchmark', () => {
	const report = reportSchema.parse(JSON.parse(read('docs/benchmarks/results.json')));
	const page = read('docs/scaling.md');
	const unaligned = (text: string) => text.replace(/ {2,}/g, ' ').replace(/-{4,}/g, '---');
	// `npm run bench` writes them; `npx tsx tools/bench/report/renew.ts` does so without measuring.
	expect(unaligned(page)).toBe(unaligned(withFigures(page, report)));
});

/** The anchors that code hosts generate for a page's headings. */
const anchorsOf = (document: string): string[] =>
	[...document.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
		heading
			.toLowerCase()
			.replace(/[^\p{L}\p{N} _-]/gu, '')
			.replaceAll(' ', '-'),
	);

it.each(documents)('Every link in %s leads to a file or heading that exists', (file) => {
	const links = [...read(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
	const broken = links
		.filter((link) => !/^[a-z]+:/.test(link))
		.filter((link) => {
			const [path = '', anchor] = link.split('#');
			const target = path === '' ? file : join(dirname(file), path);
			if (!existsSync(join(repository, target))) return true;
			return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
		});
	expect(broken).toEqual([]);
});

it('Every picture in docs/images is shown in a document, and every shown picture exists', () => {
	const shown = documents.flatMap((file) =>
		[...read(file).matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map((match) =>
			join(dirname(file), match[1] ?? ''),
		),
	);
	const pictures = readdirSync(join(repository, 'docs/images')).map((name) =>
		join('docs/images', name),
	);
	const inImages = shown.filter((path) => path.startsWith('docs/images'));
	expect([...new Set(inImages)].sort()).toEqual(pictures.sort());
});

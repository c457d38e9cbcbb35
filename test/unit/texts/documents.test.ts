import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { reportSchema, withFigures } from '../../../tools/bench/report/scalingFigures';
import { documents, read, repository } from './everyDocument';
import { EVERY_MESSAGE, EVERY_WARNING } from './everyText';

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

it("docs/troubleshooting.md explains every warning in n8n's log, and no others", () => {
	const explained = firstColumn(read('docs/troubleshooting.md'), "Warnings in n8n's log");
	expect(explained.sort()).toEqual([...EVERY_WARNING].sort());
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

it('Every link leads to a file or heading that exists', () => {
	const links = documents.flatMap((file) =>
		[...read(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => ({ file, link })),
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

it('Every name in the code that a document links to is in that file', () => {
	const links = documents.flatMap((document) =>
		[...read(document).matchAll(/\[`(\w+)`\]\(([^)#]+\.ts)\)/g)].map(
			([, name = '', path = '']) => [name, join(dirname(document), path)] as const,
		),
	);
	expect(links.length).toBeGreaterThan(5);
	expect(links.filter(([name, path]) => !read(path).includes(name))).toEqual([]);
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

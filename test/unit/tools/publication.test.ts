/** What a release demands of package.json, and what it makes of the files that depend on it. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
	FILES_WITH_LINKS,
	preparePublication,
	publishedDocument,
	repositoryPage,
} from '../../../tools/package/publication';
import { anchorsOf, documents, read, repository } from '../texts/everyDocument';

const FILLED_IN = {
	author: { name: 'Acme', email: 'nodes@acme.com' },
	repository: { type: 'git', url: 'git+https://github.com/acme/outreach-nodes.git' },
	homepage: 'https://github.com/OWNER/n8n-nodes-outreach-service#readme',
	bugs: { url: 'https://github.com/OWNER/n8n-nodes-outreach-service/issues' },
};
const PAGE = 'https://github.com/acme/outreach-nodes';

describe('package.json', () => {
	test.each<[object, string]>([
		[{ author: undefined }, 'author.name must be the person'],
		[{ author: 'Acme <nodes@acme.com>' }, 'author.email must be the email address'],
		[{ author: { ...FILLED_IN.author, name: ' ' } }, 'author.name must be'],
		[{ author: { ...FILLED_IN.author, email: 'nodes@x.invalid' } }, 'author.email must be'],
		[{ repository: 'github:acme/outreach-nodes' }, 'repository.url must be'],
		[{ repository: { url: 'git+https://github.com/OWNER/x.git' } }, 'repository.url must be'],
		[{ repository: { url: 'https://gitlab.com/acme/x.git' } }, 'repository.url must be'],
		[{ homepage: '' }, 'homepage must be'],
		[{ bugs: undefined }, 'bugs.url must be'],
	])('is refused with %j: %s', (fields, message) => {
		expect(() => repositoryPage({ ...FILLED_IN, ...fields })).toThrow(message);
	});
});

describe('The files of a release', () => {
	let folder: string;
	const released = (file: string): string => readFileSync(join(folder, file), 'utf8');

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'outreach-publication-'));
		for (const file of [...FILES_WITH_LINKS, 'LICENSE']) {
			mkdirSync(dirname(join(folder, file)), { recursive: true });
			cpSync(join(repository, file), join(folder, file));
		}
		fillIn({ author: FILLED_IN.author, repository: FILLED_IN.repository });
	});
	afterEach(() => {
		rmSync(folder, { recursive: true });
	});

	function fillIn(fields: object): void {
		const manifest: object = JSON.parse(released('package.json')) as object;
		writeFileSync(
			join(folder, 'package.json'),
			JSON.stringify({ ...manifest, ...fields }, null, 2),
		);
	}

	test('follow the repository when it moves', async () => {
		await preparePublication(folder);
		const manifest = JSON.parse(released('package.json')) as typeof FILLED_IN;
		fillIn({
			repository: { ...manifest.repository, url: 'git+https://github.com/acme2/nodes.git' },
		});
		await preparePublication(folder);
		for (const text of FILES_WITH_LINKS.map(released)) {
			expect(text).toContain('https://github.com/acme2/nodes');
			expect(text).not.toContain(PAGE);
		}
	});

	test('name the author as the holder of the copyright', async () => {
		await preparePublication(folder);
		expect(released('LICENSE')).toMatch(/^Copyright \(c\) \d{4} Acme$/m);
		const license = released('LICENSE');
		await preparePublication(folder);
		expect(released('LICENSE')).toBe(license);
	});

	test('are not written while the license names another holder', async () => {
		writeFileSync(join(folder, 'LICENSE'), 'MIT License\n\nCopyright (c) 2026 Somebody\n');
		const before = FILES_WITH_LINKS.map(released);
		await expect(preparePublication(folder)).rejects.toThrow(
			"LICENSE must have a line 'Copyright (c) YEAR Acme', as author.name in package.json; it names Somebody.",
		);
		expect(FILES_WITH_LINKS.map(released)).toEqual(before);
	});

	test('keep a homepage that is elsewhere', async () => {
		fillIn({ homepage: 'https://nodes.acme.com' });
		await preparePublication(folder);
		expect(released('package.json')).toContain('"homepage": "https://nodes.acme.com"');
		expect(released('README.md')).not.toContain('OWNER');
	});

	test('are not written while a link would still lead to the placeholder', async () => {
		fillIn({ homepage: 'https://github.com/OWNER/another-name#readme' });
		await expect(preparePublication(folder)).rejects.toThrow(
			'package.json would still link to github.com/OWNER/.',
		);
	});

	test('link to headings that the README of the package has', () => {
		const anchors = anchorsOf(publishedDocument('README.md', read('README.md')));
		const linked = FILES_WITH_LINKS.flatMap((file) =>
			[...read(file).matchAll(/github\.com\/[\w-]+\/[\w.-]+#([\w-]+)/g)].map(
				([, anchor]) => anchor,
			),
		).filter((anchor) => anchor !== 'readme');
		expect(linked.length).toBeGreaterThanOrEqual(5);
		expect(linked.filter((anchor) => !anchors.includes(String(anchor)))).toEqual([]);
	});
});

describe('A document', () => {
	test('cannot be released while a sentence outside the marks denies the publication', () => {
		expect(() => publishedDocument('README.md', 'It is not yet published.\n')).toThrow(
			"README.md would still say 'not yet published'",
		);
		expect(() => publishedDocument('CHANGELOG.md', '<!-- before publication -->\n')).toThrow(
			"CHANGELOG.md would still say '<!-- before publication'",
		);
	});

	test('that links to the repository, or differs before and after the publication, is changed by a release', () => {
		const changing = documents.filter((file) =>
			/\/\/github\.com\/OWNER\/|^<!-- (before|after) publication/m.test(read(file)),
		);
		// After a release, no document is left to be changed.
		expect(changing.filter((file) => !FILES_WITH_LINKS.includes(file))).toEqual([]);
	});
});

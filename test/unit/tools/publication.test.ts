/** What a release demands of package.json, and what it makes of the files that depend on it. */
import {
	FILES_WITH_LINKS,
	publishedDocument,
	repositoryPage,
} from '../../../tools/package/publication';
import { anchorsOf, documents, read } from '../texts/everyDocument';

const FILLED_IN = {
	author: { name: 'Acme', email: 'nodes@acme.com' },
	repository: { type: 'git', url: 'git+https://github.com/acme/outreach-nodes.git' },
	homepage: 'https://github.com/OWNER/n8n-nodes-outreach-service#readme',
	bugs: { url: 'https://github.com/OWNER/n8n-nodes-outreach-service/issues' },
};

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

test('The files of a release link to headings that the README of the package has', () => {
	const anchors = anchorsOf(publishedDocument('README.md', read('README.md')));
	const linked = FILES_WITH_LINKS.flatMap((file) =>
		[...read(file).matchAll(/github\.com\/[\w-]+\/[\w.-]+#([\w-]+)/g)].map(([, anchor]) => anchor),
	).filter((anchor) => anchor !== 'readme');
	expect(linked.length).toBeGreaterThanOrEqual(5);
	expect(linked.filter((anchor) => !anchors.includes(String(anchor)))).toEqual([]);
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

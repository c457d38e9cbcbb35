/** What the documents promise is shown by a test that exists. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { documents, read, repository } from './everyDocument';

it('Every promise in SECURITY.md names a test that shows it', () => {
	const [, promises = ''] = read('SECURITY.md').split('## What the package does to protect you');
	const each = (promises.split('\n## ')[0] ?? '')
		.split('\n')
		.filter((line) => line.startsWith('- '));
	expect(each.length).toBeGreaterThanOrEqual(5);
	expect(each.filter((promise) => !promise.includes('(test/'))).toEqual([]);
});

it('Every guarantee in docs/operations.md names a test or a command that shows it', () => {
	const [, section = ''] = read('docs/operations.md').split('## Guarantees');
	const rows = (section.split('\n## ')[0] ?? '')
		.split('\n')
		.filter((line) => line.startsWith('|') && !/^\| (?:Guarantee|---) /.test(line));
	expect(rows.length).toBeGreaterThan(30);
	expect(rows.filter((row) => !/`(?:unit|integration|e2e)\/|`npm run /.test(row))).toEqual([]);
});

it('Every test that a document names exists', () => {
	const named = documents.flatMap((document) =>
		[...read(document).matchAll(/`((?:unit|integration|service|e2e)\/[\w./]+\.ts)`/g)].map(
			([, path = '']) => path,
		),
	);
	expect(named.length).toBeGreaterThan(10);
	expect(named.filter((path) => !existsSync(join(repository, 'test', path)))).toEqual([]);
});

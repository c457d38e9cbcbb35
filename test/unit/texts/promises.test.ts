/** What the documents promise is compared with the code and the tests. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { ASK_TIMEOUT_MS } from '../../../nodes/OutreachService/api/targets';
import { LARGE_EVENT_BYTES, MAX_BATCH_BYTES } from '../../../nodes/OutreachService/runtime/batches';
import { MAX_WAITING, WAIT_MS } from '../../../nodes/OutreachService/runtime/duplicates';
import { CONCURRENCY } from '../../../nodes/OutreachService/utils/mapConcurrently';
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
		.filter((line) => line.startsWith('|'))
		.slice(2);
	expect(rows.length).toBeGreaterThan(10);
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

const KB = 1024;
/** A small number as prose writes it. */
const inWords = (count: number): string => ({ 5: 'five', 10: 'ten' })[count] ?? String(count);
const secondsInWords = (ms: number): string => inWords(ms / 1000);

it.each([
	['docs/trigger.md', `its events have reached ${MAX_BATCH_BYTES / KB / KB} MB`],
	['docs/trigger.md', `more than ${LARGE_EVENT_BYTES / KB} KB starts a run of its own`],
	['docs/operations.md', `waits ${secondsInWords(WAIT_MS)} seconds at most`],
	['docs/operations.md', `At most ${MAX_WAITING} copies wait`],
	['docs/actions.md', `no response within ${secondsInWords(ASK_TIMEOUT_MS)} seconds`],
	[
		'docs/actions.md',
		`${inWords(CONCURRENCY)} at a time, for ${secondsInWords(ASK_TIMEOUT_MS)} seconds each`,
	],
])('A limit in %s is that of the nodes: "%s"', (document, statement) => {
	expect(read(document)).toContain(statement);
});

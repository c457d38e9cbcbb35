/** What the documents promise or list is compared with the code and the tests. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { RESOURCES } from '../../../nodes/OutreachService/actions';
import { ASK_TIMEOUT_MS } from '../../../nodes/OutreachService/api/targets';
import { EVENT_TYPES } from '../../../nodes/OutreachService/model/eventTypes';
import { LARGE_EVENT_BYTES, MAX_BATCH_BYTES } from '../../../nodes/OutreachService/runtime/batches';
import { WAIT_MS } from '../../../nodes/OutreachService/runtime/deduplicator';
import { MAX_RECORDED } from '../../../nodes/OutreachService/runtime/limits';
import { options } from '../../../nodes/OutreachService/trigger/description/options';
import { CONCURRENCY } from '../../../nodes/OutreachService/utils/mapConcurrently';
import { SWITCHES } from '../../../tools/service/switches';
import { read, repository } from './everyDocument';

/** The first cells of the rows of the tables in a text, without code marks. */
const cellsOf = (text: string): Set<string> =>
	new Set(
		text
			.split('\n')
			.filter((line) => line.startsWith('|'))
			.flatMap((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', ''))),
	);

it.each([
	['docs/events.md', 'every event type', [...EVENT_TYPES]],
	['docs/trigger.md', 'every option', options.map(({ displayName }) => displayName)],
	[
		'README.md',
		'every operation',
		RESOURCES.flatMap(({ operations }) => operations.map(({ name }) => name)),
	],
	['docs/local-service.md', 'every switch', SWITCHES.map(({ name }) => name)],
])('The tables in %s list %s', (document, _what, expected) => {
	const cells = cellsOf(read(document));
	expect(expected.filter((one) => !cells.has(one))).toEqual([]);
});

it('Every promise in SECURITY.md names a test that shows it', () => {
	const [, promises = ''] = read('SECURITY.md').split('## What the package does to protect you');
	const each = (promises.split('\n## ')[0] ?? '')
		.split('\n')
		.filter((line) => line.startsWith('- '));
	expect(each.length).toBeGreaterThanOrEqual(5);
	expect(each.filter((promise) => !promise.includes('(test/'))).toEqual([]);
});

it('Every test that docs/reliability.md names exists', () => {
	const named = [
		...read('docs/reliability.md').matchAll(/`((?:unit|integration|service|e2e)\/[\w./]+)`/g),
	].map(([, path = '']) => path);
	expect(named.length).toBeGreaterThan(10);
	expect(named.filter((path) => !existsSync(join(repository, 'test', path)))).toEqual([]);
});

const KB = 1024;
const inSeconds = (ms: number): string => String(ms / 1000);
/** A small number as prose writes it. */
const inWords = (count: number): string => ({ 5: 'five', 10: 'ten' })[count] ?? String(count);
const secondsInWords = (ms: number): string => inWords(ms / 1000);

it.each([
	['docs/trigger.md', `its events have reached ${MAX_BATCH_BYTES / KB / KB} MB`],
	['docs/trigger.md', `more than ${LARGE_EVENT_BYTES / KB} KB starts a run of its own`],
	['docs/trigger.md', `waits up to ${inSeconds(WAIT_MS)} seconds for the outcome`],
	['docs/trigger.md', `the last ${MAX_RECORDED.toLocaleString('en')} activities of the node`],
	['docs/reliability.md', `waits ${secondsInWords(WAIT_MS)} seconds at the most`],
	['docs/actions.md', `no response within ${secondsInWords(ASK_TIMEOUT_MS)} seconds`],
	[
		'docs/actions.md',
		`${inWords(CONCURRENCY)} at a time, for ${secondsInWords(ASK_TIMEOUT_MS)} seconds each`,
	],
])('A limit in %s is that of the nodes: "%s"', (document, statement) => {
	expect(read(document)).toContain(statement);
});

/** The numbers in the documents and in the nodes' texts are those of the code. */
import * as ts from 'typescript';

import { responseError } from '../../../nodes/OutreachService/api/response';
import { REMOVAL_GRACE_MS } from '../../../tools/host/grace';
import { OPEN_MINUTES } from '../../integration/support/openMinutes';
import { SLOW_MS } from '../../integration/support/slowMs';
import { documents, read } from './everyDocument';
import { EVERY_PROPERTY } from './everyProperty';

/** What a document says of n8n, or what was measured: no constant of ours. */
const OTHERS = 'others';

/** How long a removal waits after a deactivation. */
const GRACE = 'trigger/registration/deactivation.ts: GRACE_MS';

/** How long a trigger waits for the response to a create. */
const CREATE = 'trigger/registration/sendCreate.ts: LONGEST_CREATE_MS';

/** How long a create without a response stays open. */
const OPEN = 'runtime/openCreates.ts: LONGEST_OPEN_MS';

/** How long the deliveries of a removed webhook are accepted. */
const LAST = 'runtime/removedWebhooks.ts: LAST_DELIVERIES_MS';

/** How old the webhook of a test run must be, so that no test run listens any more. */
const LISTENS = 'trigger/registration/ownership.ts: LISTENS_MS';

/** A constant below nodes/OutreachService, or a field of one, such as `api/policy.ts: ITEM.timeoutMs`. */
type Row = readonly [text: string, constant: string, value?: number];

const NUMBERS: Readonly<Record<string, readonly Row[]>> = {
	'README.md': [['wait a few seconds, because the trigger', GRACE, 2_000]],
	'docs/trigger.md': [
		['of the first ten events', 'runtime/absentFields.ts: ABSENT_EVENTS', 10],
		['twenty times in a row', 'runtime/recordedActivities.ts: MAX_ROUNDS', 20],
		['campaigns need six webhooks', OTHERS],
		['Two checks in a row', 'trigger/registration/health.ts: TIMES_TO_REPORT', 2],
		['two checks in a row', 'trigger/registration/health.ts: TIMES_TO_REPORT', 2],
		['In two checks in a row', 'trigger/registration/health.ts: TIMES_TO_REPORT', 2],
		['last 50,000', 'runtime/duplicates.ts: MIN_REMEMBERED', 50_000],
		['last 5,000 events', 'runtime/recordedActivities.ts: MIN_RECORDED', 5_000],
		['at most 200 characters', 'trigger/delivery/grouped.ts: LONGEST_SUMMARY', 200],
		['(1 to 1,000;', 'parameters/selection.ts: MAX_BATCH_EVENTS', 1_000],
		['the default is 100)', 'parameters/selection.ts: DEFAULT_BATCH.maxEvents', 100],
		['(0.1 to', 'parameters/selection.ts: MIN_BATCH_SECONDS', 0.1],
		['in the last seven days', OTHERS],
		['to 8;', 'parameters/selection.ts: MAX_BATCH_SECONDS', 8],
		['the default is 2)', 'parameters/selection.ts: DEFAULT_BATCH.maxSeconds', 2],
		['4 MB', 'runtime/batches.ts: MAX_BATCH_BYTES', 4 * 1024 * 1024],
		['has 20 open ones', 'runtime/batches.ts: MAX_OPEN', 20],
		['at most 20 open batches', 'runtime/batches.ts: MAX_OPEN', 20],
		['among the last 10,000', 'runtime/recordedActivities.ts: MAX_PASSED_ON', 10_000],
		['The trigger waits up to two seconds for this', 'runtime/batches.ts: CLOSE_WAIT_MS', 2_000],
		['in the background, two seconds later', GRACE, 2_000],
		['two checks', 'trigger/registration/health.ts: TIMES_TO_REPORT', 2],
		['5,000 new events', 'runtime/recordedActivities.ts: MIN_RECORDED', 5_000],
		['pause of 0.5 to 1 second', 'runtime/recordedActivities.ts: CONFIRM_MS', 500],
		['waits up to two minutes', OTHERS],
		['some four seconds', OTHERS],
		['up to 100 events or 5 seconds', OTHERS],
		['up to 300 KB', 'runtime/recordedActivities.ts: MIN_RECORDED', 5_000],
		// The row also holds the names of a full batch of duplicates.
		['of up to 300 KB', 'parameters/selection.ts: MAX_BATCH_EVENTS', 1_000],
		['11 MB', OTHERS],
	],
	'docs/operations.md': [
		['of the first ten events', 'runtime/absentFields.ts: ABSENT_EVENTS', 10],
		['accepted for another minute', LAST, 60_000],
		['a minute after it has removed the old webhooks', LAST, 60_000],
		['last 50,000', 'runtime/duplicates.ts: MIN_REMEMBERED', 50_000],
		// With its window of two seconds.
		['at most 10 requests a second', 'api/rateLimit.ts: REQUESTS_PER_WINDOW', 20],
		['This must take less than two seconds', GRACE, 2_000],
		['start the trigger in less than two seconds', GRACE, 2_000],
		['takes more than two seconds to stop', GRACE, 2_000],
		['within seconds after you unpublish', GRACE, 2_000],
		['wait a few seconds before you stop n8n', GRACE, 2_000],
		['responds within two minutes', CREATE, 120_000],
		[
			'has taken longer than ten seconds',
			'trigger/registration/checks.ts: FIRST_CHECK_WAIT_MS',
			10_000,
		],
		['took more than two minutes', CREATE, 120_000],
		['shows the webhook within ten minutes', OPEN, 600_000],
		['more than two minutes old', LISTENS, 120_000],
		['refuses the same request for two minutes', 'api/policy.ts: ITEM.budgetMs', 120_000],
		['for up to two minutes', 'api/policy.ts: ITEM.budgetMs', 120_000],
		['About two minutes after n8n has started again', OTHERS],
		['84 seconds', OTHERS],
		['700 webhooks', OTHERS],
		['68 events a second', OTHERS],
		['allows 20 requests in', 'api/rateLimit.ts: REQUESTS_PER_WINDOW', 20],
		['requests in 2 seconds', 'api/rateLimit.ts: WINDOW_MS', 2_000],
		// One of the 20 is left free.
		['at most 19 of them', OTHERS],
		// The 20 less these.
		['at most 15 when', 'api/slotShare.ts: LEFT_TO_OTHERS', 5],
	],
	'docs/actions.md': [
		['five items at a time', 'utils/concurrency.ts: CONCURRENCY', 5],
		['five URLs at a time', 'utils/concurrency.ts: CONCURRENCY', 5],
		['secret of 64 characters', OTHERS],
		['name up to 20 of these items', 'actions/changes.ts: MAX_NAMED', 20],
		['up to 20 webhooks', 'actions/changes.ts: MAX_NAMED', 20],
		['within five seconds', 'targets/targets.ts: ASK.timeoutMs', 5_000],
		['up to five seconds for each', 'targets/targets.ts: ASK.timeoutMs', 5_000],
		['half a minute', 'targets/targets.ts: POST.timeoutMs', 30_000],
		['for two minutes', 'api/policy.ts: ITEM.budgetMs', 120_000],
		['at most 16 MB', 'api/client.ts: MAX_LIST_BYTES', 16 * 1024 * 1024],
		['400,000 values', 'api/acceptance.ts: MAX_VALUES', 400_000],
		['50,000 elements', 'actions/api/request.operation.ts: MAX_ELEMENTS', 50_000],
	],
	'docs/limits.md': [
		['removed it (not with _Webhooks: First Event Only_) | one minute', LAST, 60_000],
		['20 requests in', 'api/rateLimit.ts: REQUESTS_PER_WINDOW', 20],
		['in 2 seconds', 'api/rateLimit.ts: WINDOW_MS', 2_000],
		['last 50,000 events', 'runtime/duplicates.ts: MIN_REMEMBERED', 50_000],
		['last 5,000 events', 'runtime/recordedActivities.ts: MIN_RECORDED', 5_000],
		['up to ten seconds', 'runtime/duplicates.ts: WAIT_MS', 10_000],
		['up to 20 copies', 'runtime/duplicates.ts: MAX_WAITING', 20],
		['_Max Events_: at most 1,000', 'parameters/selection.ts: MAX_BATCH_EVENTS', 1_000],
		['at most 8 seconds', 'parameters/selection.ts: MAX_BATCH_SECONDS', 8],
		['up to one week', 'parameters/selection.ts: MAX_REPAIR_MINUTES', 10_080],
		['or 4 MB', 'runtime/batches.ts: MAX_BATCH_BYTES', 4 * 1024 * 1024],
		['at most 5,000 events or', 'runtime/batches.ts: MAX_HELD', 5_000],
		['or 32 MB', 'runtime/batches.ts: MAX_HELD_BYTES', 32 * 1024 * 1024],
		['at most 20 batches', 'runtime/batches.ts: MAX_OPEN', 20],
		['84 seconds', OTHERS],
		[
			'`event.summary` | at most 200 characters',
			'trigger/delivery/grouped.ts: LONGEST_SUMMARY',
			200,
		],
		['at most 1,000 recipients', 'domain/activity.ts: MAX_RECIPIENTS', 1_000],
		['up to five items', 'utils/concurrency.ts: CONCURRENCY', 5],
		['that are checked at the same time | five', 'utils/concurrency.ts: CONCURRENCY', 5],
		['two minutes, not counting', 'api/policy.ts: ITEM.budgetMs', 120_000],
		['may take | 30 seconds', 'api/policy.ts: ITEM.timeoutMs', 30_000],
		['up to 16 MB', 'api/client.ts: MAX_LIST_BYTES', 16 * 1024 * 1024],
		['400,000 values', 'api/acceptance.ts: MAX_VALUES', 400_000],
		['up to 200 levels', 'api/acceptance.ts: MAX_DEPTH', 200],
		['up to 64 KB', 'api/request.ts: MAX_OTHER_BYTES', 64 * 1024],
		['at most 50,000 elements', 'actions/api/request.operation.ts: MAX_ELEMENTS', 50_000],
		['at most 2,000 characters', 'actions/api/request.operation.ts: LONGEST', 2_000],
		['A URL, a path or a query', 'domain/targetUrl.ts: LONGEST_URL', 2_000],
		['at most 500 characters', OTHERS],
		['it also counts 20 characters', OTHERS],
		['nested up to 100 levels deep', 'actions/peopleSchema/envelopes.ts: MAX_DEPTH', 100],
		[
			'up to 10,000 elements',
			'actions/peopleSchema/get.operation.ts: MAX_DESCRIBED_FIELDS',
			10_000,
		],
		['at most 2,000,000 characters', 'actions/peopleSchema/references.ts: MAX_LENGTH', 2_000_000],
		['to each request | five seconds', 'targets/targets.ts: ASK.timeoutMs', 5_000],
		['to respond | 30 seconds', 'targets/targets.ts: POST.timeoutMs', 30_000],
		['quotes | at most 200 characters', 'api/quote.ts: LONGEST_QUOTE', 200],
		['up to 20 items', 'actions/changes.ts: MAX_NAMED', 20],
		['up to 20 webhooks', 'actions/changes.ts: MAX_NAMED', 20],
	],
	'docs/architecture.md': [
		['two seconds later, unless create()', GRACE, 2_000],
		['the removal waits for two seconds', GRACE, 2_000],
		['within the last minute', LAST, 60_000],
		['has an event or after two minutes', OTHERS],
	],
	'docs/troubleshooting.md': [
		['If the next check fails, too', 'trigger/registration/health.ts: TIMES_TO_REPORT', 2],
		['at most 50,000 elements', 'actions/api/request.operation.ts: MAX_ELEMENTS', 50_000],
		['more than two minutes old', LISTENS, 120_000],
		['some four seconds', OTHERS],
		['at most 100 such webhooks', 'actions/changes.ts: MAX_UNSEEN', 100],
	],
	'docs/testing.md': [
		['restarts n8n ten times', OTHERS],
		['ten events', OTHERS],
		['for ten minutes, or as long as you say', OTHERS],
		['About every ten seconds', OTHERS],
		['in a few minutes', OTHERS],
	],
	'docs/local-service.md': [['waits ten seconds for the response', OTHERS]],
	'docs/publishing.md': [
		['of two or three minutes', OTHERS],
		['publish within [two days]', OTHERS],
	],
	'CONTRIBUTING.md': [
		['Two to three seconds', OTHERS],
		['`ten events`', OTHERS],
	],
	'nodes/OutreachService/trigger/registration/sendCreate.ts': [
		['waits for its outcome for ten minutes', OPEN, 600_000],
	],
	'nodes/OutreachService/trigger/description/options.ts': [
		['5,000 events of this node', 'runtime/recordedActivities.ts: MIN_RECORDED', 5_000],
		['its last 50,000 events', 'runtime/duplicates.ts: MIN_REMEMBERED', 50_000],
	],
	'docs/decisions.md': [
		['of the first ten events', 'runtime/absentFields.ts: ABSENT_EVENTS', 10],
		['after two checks in a row', 'trigger/registration/health.ts: TIMES_TO_REPORT', 2],
		['Two checks in a row', 'trigger/registration/health.ts: TIMES_TO_REPORT', 2],
		['One slot in ten', 'api/rateLimiter.ts: LEAST_URGENT_EVERY', 10],
		['up to five times', OTHERS],
		['makes five attempts', OTHERS],
		['has more time: 30 seconds', 'api/policy.ts: ITEM.timeoutMs', 30_000],
		['from 0.5 to', 'api/rateLimit.ts: SHORTEST_ASKED_WAIT_MS', 500],
		['to 30 seconds', 'api/rateLimit.ts: LONGEST_ASKED_WAIT_MS', 30_000],
		['may take 30 seconds', 'api/policy.ts: ITEM.timeoutMs', 30_000],
		['may take 12 seconds', 'api/policy.ts: USER.timeoutMs', 12_000],
		['may take two minutes', CREATE, 120_000],
		['accepted for another minute', LAST, 60_000],
		['_open_ for ten minutes', OPEN, 600_000],
		['activations would fail for ten minutes', OPEN, 600_000],
		['less than two minutes old', LISTENS, 120_000],
		['for up to ten seconds', 'runtime/duplicates.ts: WAIT_MS', 10_000],
		['about two minutes after its next start', OTHERS],
		['stay for two seconds after its `delete`', GRACE, 2_000],
		['two minutes for all attempts', 'api/policy.ts: ITEM.budgetMs', 120_000],
		['400,000 values', 'api/acceptance.ts: MAX_VALUES', 400_000],
		['200 levels', 'api/acceptance.ts: MAX_DEPTH', 200],
		['later than 12 seconds', 'api/policy.ts: USER.budgetMs', 12_000],
		['within the two seconds after `delete`', GRACE, 2_000],
		['the removal begins two seconds later', GRACE, 2_000],
		['19 of the 20 slots', 'api/rateLimit.ts: REQUESTS_PER_WINDOW', 20],
		['leave five slots', 'api/slotShare.ts: LEFT_TO_OTHERS', 5],
		['For half a minute after such a sign', 'api/slotShare.ts: SHARED_FOR_MS', 30_000],
		['no later than two seconds after `delete`', 'runtime/batches.ts: CLOSE_WAIT_MS', 2_000],
	],
	'SECURITY.md': [
		['up to 200 characters', 'api/quote.ts: LONGEST_QUOTE', 200],
		['at most 200 characters', 'api/quote.ts: LONGEST_QUOTE', 200],
		['for another minute', LAST, 60_000],
	],
};

/** Documents in which each number with a unit must be in the table. */
const COMPLETE = [
	'docs/trigger.md',
	'docs/operations.md',
	'docs/actions.md',
	'docs/limits.md',
	'docs/architecture.md',
	'SECURITY.md',
];

const UNITS =
	'MB|KB|seconds?|minutes?|hours?|days?|weeks?|events|activities|items|characters|batches|copies|webhooks|requests';
const NUMBER = new RegExp(
	String.raw`\b\d[\d,.]* (?:new )?(?:${UNITS})\b|\b(?:last|at most|up to) \d[\d,]*\d`,
	'gi',
);

/** The value of a number, a product of numbers, or an object of these. */
function valueOf(node: ts.Node | undefined): unknown {
	if (node === undefined) return undefined;
	if (ts.isNumericLiteral(node)) return Number(node.text.replaceAll('_', ''));
	if (ts.isBinaryExpression(node)) return Number(valueOf(node.left)) * Number(valueOf(node.right));
	if (!ts.isObjectLiteralExpression(node)) return undefined;
	const fields = node.properties.filter(ts.isPropertyAssignment);
	return Object.fromEntries(
		fields.map(({ name, initializer }) => [name.getText(), valueOf(initializer)]),
	);
}

const parsed = new Map<string, ts.SourceFile>();

/** Parses a source once, because many numbers stand in the same ones. */
function sourceOf(file: string): ts.SourceFile {
	const known = parsed.get(file);
	if (known) return known;
	const text = read(`nodes/OutreachService/${file}`);
	const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
	parsed.set(file, source);
	return source;
}

function constantOf(named: string): unknown {
	const [file = '', path = ''] = named.split(': ');
	const [name, field] = path.split('.');
	const source = sourceOf(file);
	const declared = source.statements
		.filter(ts.isVariableStatement)
		.flatMap(({ declarationList }) => [...declarationList.declarations])
		.find((one) => one.name.getText() === name);
	const value = valueOf(declared?.initializer);
	return field === undefined ? value : (value as Record<string, unknown>)[field];
}

const rows = Object.entries(NUMBERS).flatMap(([document, all]) =>
	all.map(([text, constant, value]) => ({ document, text, constant, value })),
);

it.each(rows)('$document says "$text"', ({ document, text }) => {
	expect(read(document)).toContain(text);
});

it.each(rows.filter(({ constant }) => constant !== OTHERS))(
	'$constant is $value, as $document says: "$text"',
	({ constant, value }) => {
		expect(constantOf(constant)).toBe(value);
	},
);

it.each(COMPLETE)('Every number with a unit in %s is in the table', (document) => {
	const known = (NUMBERS[document] ?? []).map(([text]) => text.toLowerCase());
	const unknown = [...read(document).matchAll(NUMBER)]
		.map(([text]) => text.toLowerCase())
		.filter((text) => !known.some((one) => one.includes(text) || text.includes(one)));
	expect(unknown).toEqual([]);
});

it('docs/limits.md names each field of the nodes that has a maximum', () => {
	const fields = EVERY_PROPERTY.map(({ property }) => property)
		.filter(({ typeOptions }) => typeOptions?.maxValue !== undefined)
		.map(({ displayName }) => displayName);
	expect(fields).toContain('Max Events');
	const limits = read('docs/limits.md');
	expect(fields.filter((name) => !limits.includes(`_${name}_`))).toEqual([]);
});

it('What waits for a removal knows how long the removal itself waits', () => {
	expect(constantOf(GRACE)).toBe(REMOVAL_GRACE_MS);
});

it('A copy waits longer for the outcome of another one than a batch may take', () => {
	const longestBatch = Number(constantOf('parameters/selection.ts: MAX_BATCH_SECONDS')) * 1_000;
	expect(constantOf('runtime/duplicates.ts: WAIT_MS')).toBeGreaterThan(longestBatch);
});

/** The policies, without that of items, which waits as long as it takes. */
const IMPATIENT = sourceOf('api/policy.ts')
	.statements.filter(ts.isVariableStatement)
	.flatMap(({ declarationList }) => [...declarationList.declarations])
	.filter(({ type }) => type?.getText() === 'Policy')
	.map(({ name }) => name.getText())
	.filter((name) => name !== 'ITEM');

it.each(IMPATIENT)('%s does not wait for what tests call a slow service', (policy) => {
	expect(constantOf(`api/policy.ts: ${policy}.timeoutMs`)).toBeLessThan(SLOW_MS);
});

it('Tests of creates without a response know how long these stay open', () => {
	expect(constantOf(OPEN)).toBe(OPEN_MINUTES * 60_000);
});

it.each(documents)(
	'Every time that %s has in words, such as "ten minutes", is in the table',
	(document) => {
		const known = (NUMBERS[document] ?? []).map(([text]) => text);
		const rest = known.reduce((text, one) => text.replaceAll(one, ''), read(document));
		expect(rest).not.toMatch(
			/\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|few) (seconds?|minutes?|hours?|days?|weeks?)/i,
		);
	},
);

it.each(documents)(
	'Every count that %s has in words, such as "twenty times", is in the table',
	(document) => {
		const known = (NUMBERS[document] ?? []).map(([text]) => text);
		const rest = known.reduce((text, one) => text.replaceAll(one, ''), read(document));
		// Smaller numbers are mostly those of an example or of a list.
		const counts = rest.match(
			/\b(five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty) (events?|times|items|checks|slots|URLs|webhooks|requests|attempts|copies|batches)|(two|three|four|five) checks in a row|one slot in \w+/gi,
		);
		expect(counts ?? []).toEqual([]);
	},
);

it('The error of the rate limit has its numbers, in their units', () => {
	const response = { status: 429, text: '', isTruncated: false, headers: {} };
	expect(responseError(response, 'api.test')).toMatchObject({
		description: expect.stringMatching(
			/ It allows 20 requests in 2 seconds for each API key\./,
		) as string,
	});
});

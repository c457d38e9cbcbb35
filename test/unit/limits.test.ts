/**
 * Every number that the nodes are set to. Tests that compare a behaviour with an exported number would follow it wherever
 * it goes, and many a wait or limit could change without anybody noticing. So each is stated here once more, as users,
 * documents or the API know it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import ts from 'typescript';

const NODES = resolve(__dirname, '../../nodes/OutreachService');

type Value = number | Value[] | { [name: string]: Value };

const KB = 1024;
const MB = 1024 * KB;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

const STATED: Record<string, Record<string, Value>> = {
	// What an error or a text names, before it says 'and 3 more'.
	'actions/itemOutcomes.ts': { MAX_NAMED: 20, MAX_IDS: 3 },
	'actions/webhook/deleteMany.operation.ts': { MAX_NAMED: 50 },
	'methods/listSearch.ts': { LONGEST_URL: 26, HOUR_MS: 60 * MINUTE_MS },
	'trigger/delivery/summary.ts': { LONGEST_SUBJECT: 120 },
	'trigger/registration/report.ts': { MAX_NAMES: 5 },
	// n8n refuses longer values of highlighted data.
	'trigger/delivery/highlight.ts': { LONGEST_VALUE: 255 },
	// What is worth parsing of what comes from outside.
	'actions/peopleSchema/jsonSchema.ts': { MAX_NESTING: 50, TOP: { objects: 0, nesting: 0 } },
	'actions/peopleSchema/schemaFields.ts': { MAX_DEPTH: 8, MAX_FIELDS: 5_000 },
	'actions/peopleSchema/shape.ts': { MAX_NESTING: 50 },
	'api/errorBody.ts': { LONGEST_ERROR: 1_000, LONGEST_TEXT: 200 },
	'actions/values.ts': { LONGEST_ID: 100, LONGEST_SECRET: 500, LONGEST_URL: 2_000 },
	'model/campaignId.ts': { LONGEST_ID: 100, LONGEST_URL: 2_000 },
	'model/schemas.ts': { LONGEST_BASE_URL: 2_000 },
	'model/time.ts': { LONGEST_DATE: 100 },
	'trigger/delivery/verify.ts': { LONGEST_SECRET: 1_000 },
	// Requests: the API (§8), and how long its responses and target URLs may take.
	'api/limits.ts': {
		REQUESTS_PER_WINDOW: 20,
		WINDOW_MS: 2 * SECOND_MS,
		REQUEST_TIMEOUT_MS: 30 * SECOND_MS,
	},
	'api/rateLimiter.ts': { LONGEST_TRIP_MS: 2 * SECOND_MS, MAX_LIMITERS: 500 },
	'api/retryPolicy.ts': {
		DEFAULT_POLICY: {
			requestMs: 30 * SECOND_MS,
			totalMs: 2 * MINUTE_MS,
			rateLimitedMs: 2 * MINUTE_MS,
			maxAttempts: 4,
			maxHangingCreates: 3,
		},
		CREDENTIAL_TEST_POLICY: {
			slotMs: 5 * SECOND_MS,
			requestMs: 30 * SECOND_MS,
			totalMs: 5 * SECOND_MS,
			rateLimitedMs: 5 * SECOND_MS,
			maxAttempts: 1,
			maxRateLimited: 2,
			maxHangingCreates: 1,
		},
		EDITOR_POLICY: {
			slotMs: 10 * SECOND_MS,
			requestMs: 15 * SECOND_MS,
			totalMs: 15 * SECOND_MS,
			rateLimitedMs: 15 * SECOND_MS,
			maxAttempts: 2,
			maxRateLimited: 2,
			maxHangingCreates: 1,
		},
		// Together below the 84 seconds after which n8n 2 gives up: see `registrationFailures` and `startup`.
		ACTIVATION_POLICY: {
			requestMs: 12 * SECOND_MS,
			totalMs: 10 * SECOND_MS,
			rateLimitedMs: MINUTE_MS,
			maxAttempts: 4,
			maxHangingCreates: 1,
		},
		START_POLICY: {
			requestMs: 10 * SECOND_MS,
			totalMs: 20 * SECOND_MS,
			rateLimitedMs: 20 * SECOND_MS,
			maxAttempts: 2,
			maxHangingCreates: 1,
		},
	},
	'api/retryTiming.ts': {
		FIRST_BACK_OFF_MS: 500,
		LONGEST_VALUE: 100,
		LONGEST_WAIT_MS: 30 * SECOND_MS,
		SHORTEST_WAIT_MS: 50,
	},
	'api/deadline.ts': { SLICE_MS: 500 },
	'api/delays.ts': { NOTICEABLE_MS: SECOND_MS },
	'api/targets.ts': { ASK_TIMEOUT_MS: 5 * SECOND_MS },
	'utils/mapConcurrently.ts': { CONCURRENCY: 5 },
	'actions/webhook/replaceInPlace.ts': { PAUSE_MS: SECOND_MS },
	// Creates whose response is lost.
	'api/createWebhook.ts': { MAX_CREATES: 3 },
	'api/lostCreate.ts': { CLOCK_SLACK_MS: 2 * SECOND_MS },
	'api/recentCreates.ts': { REMEMBERED_MS: 10 * MINUTE_MS, MAX_REMEMBERED: 6_000 },
	// Deliveries.
	'trigger/delivery/request.ts': { RETRY_AFTER: { busy: 10, unverifiable: 1, unknown: 1 } },
	'runtime/derivedDigests.ts': { DERIVED_MS: MINUTE_MS, FAILED_MS: 200, MAX_NODES: 500 },
	'runtime/runtime.ts': { MAX_HAPPENED: 1_000 },
	'runtime/selections.ts': { MAX_NODES: 500 },
	'runtime/activeNodes.ts': { KEPT_MS: MINUTE_MS, MAX_TEST_RUNS: 500 },
	'runtime/health.ts': { FAILURES_TO_REPORT: 2 },
	'trigger/registration/checks.ts': { DEFAULT_MINUTES: 15, EARLIEST_MS: 500 },
	'trigger/registration/lifecycle.ts': { START_WAIT_MS: 10 * SECOND_MS },
	'trigger/registration/sampleRun.ts': { DELAY_MS: 300 },
	// Deduplication: see docs/trigger.md.
	'runtime/limits.ts': { MAX_REMEMBERED: 50_000, MAX_RECORDED: 5_000 },
	'runtime/rememberedActivities.ts': { REMEMBERED_MS: 24 * 60 * MINUTE_MS },
	'runtime/deduplicator.ts': { MAX_WAITING: 20, WAIT_MS: 10 * SECOND_MS, CHECK_MS: 100 },
	'runtime/recordedActivities.ts': {
		MAX_VALUES: 10_000,
		MAX_DELIVERIES_PER_CALL: 1_000,
		RETRY_WAITS_MS: [50, 250, SECOND_MS, 3 * SECOND_MS],
		CONFIRM_MS: 500,
		SLOW_CALLS: 4,
		PAUSE_MS: { min: 40, max: 120 },
		MAX_ROUNDS: 20,
	},
	// Batches.
	'model/batchLimits.ts': {
		DEFAULT_BATCH: { maxEvents: 100, maxSeconds: 2 },
		MAX_BATCH_EVENTS: 1_000,
		MIN_BATCH_SECONDS: 0.1,
		MAX_BATCH_SECONDS: 8,
	},
	'runtime/batches.ts': {
		MAX_BATCH_BYTES: 4 * MB,
		LARGE_EVENT_BYTES: 256 * KB,
		MAX_HELD: 5_000,
		MAX_HELD_BYTES: 32 * MB,
		NEXT_WAIT_MS: 500,
		SHUTDOWN_MS: 60 * SECOND_MS,
		SHUTDOWN_WAIT_MS: 5 * SECOND_MS,
	},
};

/** Data rather than settings. */
const SAMPLES = 'model/sampleData.ts';

type Numbers = Record<string, Value>;

const IS_CONSTANT = /^[A-Z][A-Z_]+$/;

const OPERATORS: ReadonlyMap<ts.SyntaxKind, (left: number, right: number) => number> = new Map([
	[ts.SyntaxKind.AsteriskToken, (left: number, right: number) => left * right],
	[ts.SyntaxKind.PlusToken, (left: number, right: number) => left + right],
]);

/** What an expression of numbers comes to; undefined for any other. Of an object, only the numbers. */
function valueOf(node: ts.Expression, known: Readonly<Numbers>): Value | undefined {
	if (ts.isNumericLiteral(node)) return Number(node.text);
	if (ts.isIdentifier(node)) return known[node.text];
	if (ts.isAsExpression(node)) return valueOf(node.expression, known);
	if (ts.isBinaryExpression(node)) {
		const [left, right] = [valueOf(node.left, known), valueOf(node.right, known)];
		if (typeof left !== 'number' || typeof right !== 'number') return undefined;
		return OPERATORS.get(node.operatorToken.kind)?.(left, right);
	}
	if (ts.isArrayLiteralExpression(node)) {
		const values = node.elements.flatMap((element) => valueOf(element, known) ?? []);
		return values.length > 0 ? values : undefined;
	}
	if (ts.isObjectLiteralExpression(node)) {
		const entries = node.properties.flatMap((property) => {
			const value = ts.isPropertyAssignment(property) && valueOf(property.initializer, known);
			return typeof value === 'number' ? [[property.name?.getText() ?? '', value] as const] : [];
		});
		return entries.length > 0 ? Object.fromEntries(entries) : undefined;
	}
	return undefined;
}

/** The numbers that a module declares at its top level, private ones included. */
function numbersIn(file: string, imported: Readonly<Numbers>): Numbers {
	const text = readFileSync(join(NODES, file), 'utf8');
	const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
	const numbers: Numbers = {};
	for (const statement of source.statements) {
		if (!ts.isVariableStatement(statement)) continue;
		for (const { name, initializer } of statement.declarationList.declarations) {
			const value = initializer && valueOf(initializer, { ...imported, ...numbers });
			if (value !== undefined && IS_CONSTANT.test(name.getText())) numbers[name.getText()] = value;
		}
	}
	return numbers;
}

it('Every number that the nodes are set to is what it is stated to be', () => {
	const files = readdirSync(NODES, { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.ts') && file !== SAMPLES)
		.toSorted();
	const imported = Object.fromEntries(files.flatMap((file) => Object.entries(numbersIn(file, {}))));
	const numbers = files
		.map((file) => [file, numbersIn(file, imported)] as const)
		.filter(([, found]) => Object.keys(found).length > 0);
	expect(Object.fromEntries(numbers)).toEqual(STATED);
});

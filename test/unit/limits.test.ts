/**
 * Every number that the nodes export. Tests that compare a behaviour with an exported number would follow it wherever it
 * goes, so each is stated here once more, as users, documents or the API know it.
 */
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { z } from 'zod';

const NODES = resolve(__dirname, '../../nodes/OutreachService');

const KB = 1024;
const MB = 1024 * KB;
const DAY_MS = 86_400_000;

const STATED: Record<string, number> = {
	// The API (§8.1), and how long its responses and target URLs may take.
	REQUESTS_PER_WINDOW: 20,
	WINDOW_MS: 2_000,
	REQUEST_TIMEOUT_MS: 30_000,
	ASK_TIMEOUT_MS: 5_000,
	LONGEST_WAIT_MS: 30_000,
	CONCURRENCY: 5,
	// Deduplication: see docs/trigger.md.
	MAX_REMEMBERED: 50_000,
	REMEMBERED_MS: DAY_MS,
	MAX_RECORDED: 5_000,
	MAX_VALUES: 10_000,
	CONFIRM_MS: 500,
	MAX_WAITING: 20,
	WAIT_MS: 10_000,
	CHECK_MS: 100,
	// Batches.
	MAX_BATCH_BYTES: 4 * MB,
	LARGE_EVENT_BYTES: 256 * KB,
	MAX_HELD: 5_000,
	MAX_HELD_BYTES: 32 * MB,
	MAX_BATCH_EVENTS: 1_000,
	MIN_BATCH_SECONDS: 0.1,
	MAX_BATCH_SECONDS: 8,
	// The people schema.
	MAX_DEPTH: 8,
	MAX_FIELDS: 5_000,
};

const exportsOf = async (file: string): Promise<Record<string, unknown>> => {
	const exported: unknown = await import(join(NODES, file));
	return z.record(z.unknown()).parse(exported);
};

it('Every number that the nodes export is what it is stated to be', async () => {
	const files = readdirSync(NODES, { recursive: true, encoding: 'utf8' });
	const modules = await Promise.all(files.filter((file) => file.endsWith('.ts')).map(exportsOf));
	const numbers = modules
		.flatMap((exported) => Object.entries(exported))
		.filter(([, value]) => typeof value === 'number');
	expect(Object.fromEntries(numbers)).toEqual(STATED);
});

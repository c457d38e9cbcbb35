/**
 * n8n-core reads its settings from the environment when it is loaded, and keeps a key in its user folder.
 * Tests and benchmarks get folders of their own, one for each jest worker, so that they neither need nor change an n8n
 * of the person who runs them. To be imported before n8n-core.
 */
import 'reflect-metadata';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

process.env.N8N_USER_FOLDER ??= join(
	tmpdir(),
	`outreach-test-n8n-${process.env.JEST_WORKER_ID ?? '1'}`,
);
mkdirSync(process.env.N8N_USER_FOLDER, { recursive: true });
process.env.N8N_ENCRYPTION_KEY ??= 'only-for-tests';
// n8n's logger writes to the console; tests that are about a note in the log look at the logger itself.
process.env.N8N_LOG_LEVEL ??= 'silent';

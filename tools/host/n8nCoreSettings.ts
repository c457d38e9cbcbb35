/**
 * Import this before n8n-core, which reads its settings from the environment when it loads, and keeps a key in its user
 * folder. Each jest worker gets a user folder of its own, so that tests and benchmarks never touch the developer's n8n.
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
// n8n's logger writes to the console. Tests of log messages check the logger itself.
process.env.N8N_LOG_LEVEL ??= 'silent';

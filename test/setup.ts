/**
 * n8n-core reads its settings from the environment when it is loaded, and keeps a key in its user folder.
 * Tests get a folder of their own, so that they neither need nor change an n8n of the person who runs them.
 */
import 'reflect-metadata';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

process.env.N8N_USER_FOLDER ??= mkdtempSync(join(tmpdir(), 'outreach-test-n8n-'));
process.env.N8N_ENCRYPTION_KEY ??= 'only-for-tests';
// n8n's logger writes to the console; tests that are about a note in the log look at the logger itself.
process.env.N8N_LOG_LEVEL ??= 'silent';

/**
 * Fills the values that n8n's deduplication helper keeps for a node, as after many executions. Runs on n8n's Node.js
 * version, which includes SQLite.
 *
 * Arguments: the database, the workflow's ID, the node's ID, the number of values.
 */
import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';

const [database, workflowId, nodeId, count] = process.argv.slice(2);
const db = new DatabaseSync(database, { timeout: 10_000 });
const data = Array.from({ length: Number(count) }, () => randomBytes(16).toString('base64'));
db.prepare(
	'INSERT OR REPLACE INTO processed_data (workflowId, context, value) VALUES (?, ?, ?)',
).run(workflowId, `n:${nodeId}`, JSON.stringify({ mode: 'entries', data }));
db.close();

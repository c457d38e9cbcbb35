/**
 * Reads the outcome of a workflow's executions from n8n's database, because reading them through n8n's API would take
 * longer than running them. Runs on n8n's Node.js version, which includes SQLite.
 *
 * Arguments: the database, the workflow's ID, a prefix of activity IDs, the name of the workflow's last node.
 * Prints JSON.
 */
import { DatabaseSync } from 'node:sqlite';
import { parse } from 'flatted';

const [database, workflowId, prefix, lastNode] = process.argv.slice(2);
const db = new DatabaseSync(database, { readOnly: true });
const executions = db
	.prepare(
		`SELECT e.status, e.stoppedAt, d.data FROM execution_entity e
		 LEFT JOIN execution_data d ON d.executionId = e.id
		 WHERE e.workflowId = ? AND d.data LIKE ?`,
	)
	// One at a time: the executions of a long run do not fit into memory.
	.iterate(workflowId, `%${prefix}%`);

const ran = new Set();
let items = 0;
const statuses = {};
let lastStoppedAt = '';
let count = 0;
for (const { status, stoppedAt, data } of executions) {
	count += 1;
	statuses[status] = (statuses[status] ?? 0) + 1;
	if ((stoppedAt ?? '') > lastStoppedAt) lastStoppedAt = stoppedAt;
	const runs = parse(data).resultData?.runData?.[lastNode];
	if (status !== 'success' || runs === undefined) continue;
	for (const { data: output } of runs) {
		for (const { json } of output?.main?.[0] ?? []) {
			// n8n's Webhook node puts the activity under `body`.
			const id = (json.body ?? json)._id;
			if (typeof id !== 'string' || !id.startsWith(prefix)) continue;
			ran.add(id);
			items += 1;
		}
	}
}
db.close();

console.log(
	JSON.stringify({
		ran: ran.size,
		ids: [...ran],
		items,
		succeeded: statuses.success ?? 0,
		failed: count - (statuses.success ?? 0),
		// n8n stores UTC without a time zone in SQLite.
		lastStoppedAt: Date.parse(`${lastStoppedAt.replace(' ', 'T')}Z`),
	}),
);

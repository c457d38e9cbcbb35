import type { Client } from 'pg';
import { waitFor, type N8nClient } from '../host';
import type { LoggedRequest, RunningService } from '../service';
import {
	endings,
	failedInNode,
	lostWithWorker,
	runsOf,
	takenForCrashed,
	unfinished,
} from './executions';

interface Stream {
	database: Client;
	client: N8nClient;
	service: RunningService;
	/** The workflow that the events start. */
	trigger: { id: string };
	/** The workflow that uses the action node. */
	actions: { id: string };
	sent: ReadonlyArray<{ _id: string }>;
	summary: { failed: number };
	/** How many times the actions were called. */
	called: number;
}

/** Waits for what is under way, and then tells the outcome of the events, the webhooks and the actions. */
export async function judge(
	stream: Stream,
	check: (what: string, holds: boolean) => void,
	print: (line: string) => void,
): Promise<void> {
	const { database, client, service, trigger, actions, sent, summary, called } = stream;
	const atOnce = await settled(stream);
	print(`Executions: ${JSON.stringify(await endings(database, trigger.id))}`);
	const crashed = await takenForCrashed(database, trigger.id, atOnce.runs);
	for (const id of crashed) await client.executions.retry(id);
	const { runs, ran } = await settled(stream);
	const missing = new Set(sent.map(({ _id }) => _id).filter((id) => !runs.has(id)));
	const lost = (await lostWithWorker(database, trigger.id)).filter(
		(activity) => activity === null || missing.has(activity),
	);

	check(`every event was taken (${summary.failed} were not)`, summary.failed === 0);
	check(
		`every event ran (${atOnce.ran} of ${sent.length}; when retried, ${ran - atOnce.ran} of ${crashed.length} that n8n had taken for crashed; n8n lost ${missing.size} with a worker)`,
		missing.size <= lost.length,
	);
	const doubled = [...runs.values()].filter((count) => count > 1).length;
	print(`  ran more than once: ${doubled} (${((doubled / sent.length) * 100).toFixed(2)} %)`);
	check(`one webhook is registered (${service.hooks().length})`, service.hooks().length === 1);
	const posts = service.requests.filter(({ method }) => method === 'POST').length;
	check(`it was registered once (${posts} times)`, posts === 1);

	const failed = await failedInNode(database, actions.id);
	const lostActions = await lostWithWorker(database, actions.id);
	check(
		`no action failed (of ${called}; n8n lost ${lostActions.length} with a worker)`,
		failed === 0,
	);
	const refused = longestRefusal(service.requests);
	check(
		`the limit was never exceeded for longer than a window (${Math.round(refused)} ms)`,
		refused <= 2_000,
	);
}

/** How often each activity ran, and how many of them did, once no execution is open any more. */
async function settled({ database, trigger, actions, sent }: Stream) {
	await waitFor(
		'all executions to end',
		async () => (await unfinished(database, trigger.id)) + (await unfinished(database, actions.id)),
		(open) => open === 0,
		{ timeoutMs: 300_000, everyMs: 1_000 },
	);
	const runs = await runsOf(database, trigger.id);
	return { runs, ran: sent.filter(({ _id }) => runs.has(_id)).length };
}

/** The longest time in which one refusal followed the other, in ms: how long the limit stayed exceeded. */
function longestRefusal(requests: readonly LoggedRequest[]): number {
	let longest = 0;
	let began: number | undefined;
	for (const { at, status } of requests) {
		if (status === 429) {
			began ??= at;
			longest = Math.max(longest, at - began);
		} else began = undefined;
	}
	return longest;
}

import type { Client } from 'pg';
import { setTimeout as pause } from 'node:timers/promises';
import type { LoggedRequest } from '../service';
import type { Cluster, Member } from './cluster';

/**
 * Ends one process after the other for as long as `until` is pending, each down for a moment, and says which.
 * The main and the webhook processes are killed. A worker is shut down as at an update, unless `killWorkers`: what a
 * killed worker was running ends as failed, whatever node started it, and n8n keeps no data to repeat it with.
 */
export async function disturb(
	{ workers, webhooks, main }: Cluster,
	until: Promise<unknown>,
	{ killWorkers, report }: { killWorkers: boolean; report: (line: string) => void },
): Promise<number> {
	const isOver = watch(until);
	const order = [webhooks[0], workers[0], webhooks[1], main, workers[1]].filter(
		(member): member is Member => member !== undefined,
	);
	let kills = 0;
	for (let turn = 0; ; turn++) {
		await Promise.race([pause(10_000), until]);
		if (isOver()) return kills;
		const member = order[turn % order.length];
		if (!member) return kills;
		const isGentle = workers.includes(member) && !killWorkers;
		await (isGentle ? member.stop() : member.kill());
		kills += 1;
		report(`${isGentle ? 'shut down' : 'killed'} ${member.name}`);
		await pause(1_000);
		await member.start();
		report(`${member.name} is back`);
	}
}

/** Tells whether a promise is settled by now. */
export function watch(promise: Promise<unknown>): () => boolean {
	let isSettled = false;
	void promise.finally(() => {
		isSettled = true;
	});
	return () => isSettled;
}

/** How many executions ended otherwise than well: those whose worker died, and those that failed in a node. */
export async function failures(
	database: Client,
	workflowId: string,
): Promise<{ died: number; failed: number }> {
	const { rows } = await database.query<{ died: boolean; count: string }>(
		`select d.data like '%failed to be processed too many times%' as died, count(*)
		   from execution_entity e join execution_data d on d."executionId" = e.id
		  where e."workflowId" = $1 and e.status in ('error', 'crashed')
		  group by 1`,
		[workflowId],
	);
	const count = (died: boolean) => Number(rows.find((row) => row.died === died)?.count ?? 0);
	return { died: count(true), failed: count(false) };
}

/** How often each activity ran to its end, read from n8n's own database. */
export async function runsOf(database: Client, workflowId: string): Promise<Map<string, number>> {
	const { rows } = await database.query<{ activity: string; runs: string }>(
		`select substring(d.data from 'act_[A-Za-z0-9]+') as activity, count(*) as runs
		   from execution_entity e join execution_data d on d."executionId" = e.id
		  where e."workflowId" = $1 and e.status = 'success'
		  group by 1`,
		[workflowId],
	);
	return new Map(rows.map(({ activity, runs }) => [activity, Number(runs)]));
}

/** Executions that have not ended yet. */
export async function unfinished(database: Client, workflowId: string): Promise<number> {
	const { rows } = await database.query<{ count: string }>(
		`select count(*) from execution_entity where "workflowId" = $1 and status in ('new', 'running', 'waiting')`,
		[workflowId],
	);
	return Number(rows[0]?.count ?? 0);
}

/** How executions ended, by status. */
export async function endings(
	database: Client,
	workflowId: string,
): Promise<Record<string, number>> {
	const { rows } = await database.query<{ status: string; count: string }>(
		`select status, count(*) from execution_entity where "workflowId" = $1 group by 1`,
		[workflowId],
	);
	return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
}

/** The longest time in which one refusal followed the other, in ms: how long the limit stayed exceeded. */
export function longestRefusal(requests: readonly LoggedRequest[]): number {
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

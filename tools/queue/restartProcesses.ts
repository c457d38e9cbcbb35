import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster, Member } from './cluster';

export const PROCESS_KINDS = ['webhook', 'worker', 'main'] as const;

interface RestartOptions {
	/** The kinds of processes to restart. */
	kinds: readonly string[];
	killWorkers: boolean;
	report: (line: string) => void;
}

/**
 * Restarts one process after the other while `until` is pending, and reports each. Kills the main and webhook processes.
 * Shuts workers down gracefully, unless `killWorkers` is set: the execution of a killed worker fails, whichever node
 * started it, and n8n keeps no data to retry it.
 */
export async function restartProcesses(
	{ workers, webhooks, main }: Cluster,
	until: Promise<unknown>,
	{ kinds, killWorkers, report }: RestartOptions,
): Promise<number> {
	const isDone = trackSettled(until);
	const order = [webhooks[0], workers[0], webhooks[1], main, workers[1]].filter(
		(member): member is Member =>
			member !== undefined && kinds.some((kind) => member.name.startsWith(kind)),
	);
	let restarts = 0;
	for (let turn = 0; ; turn++) {
		await Promise.race([pause(10_000), until]);
		if (isDone()) return restarts;
		const member = order[turn % order.length];
		if (!member) return restarts;
		const isGraceful = workers.includes(member) && !killWorkers;
		await (isGraceful ? member.stop() : member.kill());
		restarts += 1;
		report(`${isGraceful ? 'shut down' : 'killed'} ${member.name}`);
		await pause(1_000);
		await member.start();
		report(`${member.name} restarted`);
	}
}

/** @returns a function that says whether the promise has settled */
export function trackSettled(promise: Promise<unknown>): () => boolean {
	let isSettled = false;
	void promise.finally(() => {
		isSettled = true;
	});
	return () => isSettled;
}

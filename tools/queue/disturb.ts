import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster, Member } from './cluster';

export const KINDS = ['webhook', 'worker', 'main'] as const;

interface Disturbance {
	/** Which processes are ended. */
	kinds: readonly string[];
	killWorkers: boolean;
	report: (line: string) => void;
}

/**
 * Ends one process after the other for as long as `until` is pending, each down for a moment, and says which.
 * The main and the webhook processes are killed. A worker is shut down as at an update, unless `killWorkers`: what a
 * killed worker was running ends as failed, whatever node started it, and n8n keeps no data to repeat it with.
 */
export async function disturb(
	{ workers, webhooks, main }: Cluster,
	until: Promise<unknown>,
	{ kinds, killWorkers, report }: Disturbance,
): Promise<number> {
	const isOver = watch(until);
	const order = [webhooks[0], workers[0], webhooks[1], main, workers[1]].filter(
		(member): member is Member =>
			member !== undefined && kinds.some((kind) => member.name.startsWith(kind)),
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

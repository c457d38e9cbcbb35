/** What must be true after each step of a history, and at a rest. Each check returns a line for each problem. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import {
	judge,
	overlaps,
	type Loss,
	type Period,
	type Run,
	type Selected,
	type Verdict,
} from '../load/judge';
import { readExecutions, type Execution } from '../load/runs';
import type { Attempt } from '../load/send';
import type { LedgerEntry } from '../service';
import {
	ACTIVITY_TYPES,
	lineOf,
	MAX_IN_BATCH,
	selects,
	subscriptionFor,
	type Settings,
} from './settings';
import { expectedWebhooks, type Trigger } from './workflows';
import type { World } from './world';

/** No webhook was removed that should not have been. */
export async function checkAfterStep(world: World): Promise<string[]> {
	await world.noteReports();
	const { everForeign, mayBeDeleted } = world;
	const foreign = world.requests
		.filter(({ method }) => method === 'DELETE')
		.map(({ path }) => path.replace('/hooks/', ''))
		.filter((id) => everForeign.has(id) && !mayBeDeleted.has(id));
	return [
		...world.coverage.losses,
		...foreign.map((id) => `foreign webhook was sent a DELETE: ${id}`),
	];
}

/** Multiset difference: the texts in `these` that are not in `those`. */
function without(these: string[], those: string[]): string[] {
	const rest = [...those];
	return these.filter((one) => {
		const index = rest.indexOf(one);
		if (index >= 0) rest.splice(index, 1);
		return index < 0;
	});
}

/** The service has exactly the desired webhooks. */
export function differences(world: World): string[] {
	const own = world.ownWebhooks.map(lineOf);
	const expected = expectedWebhooks(world.workflows);
	const changed = world.foreign.filter(
		(webhook) => !world.webhooks.some((other) => isDeepStrictEqual(webhook, other)),
	);
	return [
		...without(expected, own).map((webhook) => `missing: ${webhook}`),
		...without(own, expected).map((webhook) => `unexpected: ${webhook}`),
		...changed.map(({ targetUrl }) => `changed, although foreign: ${targetUrl}`),
	];
}

/** n8n accepts a delivery to each of our webhooks. */
export async function rejectedDeliveries(world: World): Promise<string[]> {
	const responses = new Map<string, Array<string | number>>();
	for (const type of ACTIVITY_TYPES) {
		for (const { hookId, status, error } of await world.send(type)) {
			responses.set(hookId, [...(responses.get(hookId) ?? []), status ?? error ?? 'no response']);
		}
	}
	return world.ownWebhooks.flatMap((webhook) => {
		const own = responses.get(webhook._id) ?? ['no delivery'];
		if (own.every((response) => response === 200)) return [];
		return [`not accepted (${own.join(', ')}): ${lineOf(webhook)}`];
	});
}

/** IDs of activities that n8n has not accepted although their webhook still exists. */
export function undelivered(world: World): string[] {
	const pending = new Map<string, string>();
	const existing = new Set(world.ownWebhooks.map(({ targetUrl }) => targetUrl));
	for (const { activityId = '', type, targetUrl, status } of world.attempts) {
		const key = [activityId, type, targetUrl].join(' ');
		if (status === 200) pending.delete(key);
		else if (existing.has(targetUrl)) pending.set(key, activityId);
	}
	return [...new Set(pending.values())];
}

/** Where an event came from: one activity of one type for one subscription of a trigger runs once. */
interface Source {
	/** The trigger's production URL, without the event. */
	webhookUrl: string;
	/** The selected event; `*` for all events. */
	subscription: string;
	type: string;
	id: string;
}

const eventOf = ({ webhookUrl, subscription, type, id }: Source) =>
	`${type} ${id} at ${webhookUrl} for ${subscription}`;

type ChaosAttempt = Attempt & Source;

/** Each accepted event has run once, over the whole history so far. */
export async function checkConservation(world: World): Promise<Verdict> {
	const runs: Run[] = [];
	const losses: Array<Loss<ChaosAttempt>> = [];
	for await (const execution of executionsOf(world)) {
		if (execution.mode === 'manual' || execution.mode === 'trigger') continue;
		const triggers = world.workflows.find(({ id }) => id === execution.workflowId)?.triggers ?? [];
		const found = runsIn(execution, triggers);
		runs.push(...found);
		const hasEnded = triggers.some(({ name }) => execution.outputs.has(name));
		if (found.length === 0 && !hasEnded) losses.push(lossOf(execution, triggers));
	}
	const ran = new Set(runs.map(({ event }) => event));
	const attempts = world.attempts.flatMap((entry) => attemptOf(entry, ran, world));
	return judge(attempts, runs, {
		downTimes: world.downTimes,
		losses,
		mayBeRefused: true,
		selected: (attempt) => selectionFor(world, attempt),
		memories: (tries) =>
			tries.length > 0 && isRecorded(world, tries) ? ['process', 'database'] : ['process'],
	});
}

const executionsOf = (world: World) =>
	readExecutions(
		world.query,
		world.workflows.map(({ id }) => id),
	);

/** An item of the trigger with _Data Format: Grouped_. */
const itemSchema = z.object({
	event: z.object({ id: z.string(), type: z.string(), subscription: z.string() }),
});

/** The events for which n8n has started an execution, or has queued one. */
function runsIn({ id, storedAt, outputs, waiting }: Execution, triggers: Trigger[]): Run[] {
	return triggers.flatMap(({ name, webhookUrl }) =>
		(outputs.get(name) ?? waiting.get(name) ?? []).flatMap((item): Run[] => {
			const event = itemSchema.safeParse(item).data?.event;
			if (event === undefined) return [];
			const isPassedOn = outputs.has(name);
			return [
				{ event: eventOf({ ...event, webhookUrl }), execution: id, at: storedAt, isPassedOn },
			];
		}),
	);
}

/** How long after a delivery its execution may have been stored, by two clocks. */
const CLOCKS_MS = 50;

/** An execution whose events cannot be read, because n8n was killed while it ran: it holds one batch at most. */
const lossOf = ({ storedAt }: Execution, triggers: Trigger[]): Loss<ChaosAttempt> => ({
	room: MAX_IN_BATCH,
	holds: ({ webhookUrl, from, until }) =>
		triggers.some((trigger) => trigger.webhookUrl === webhookUrl) &&
		overlaps(
			{ from: storedAt, until: storedAt },
			{ from: from - CLOCKS_MS, until: until + CLOCKS_MS },
		),
});

/** @returns nothing for a delivery to somebody else */
function attemptOf(
	{ activityId: id, targetUrl, type, status, at, ms, hookId }: LedgerEntry,
	ran: ReadonlySet<string>,
	world: World,
): ChaosAttempt[] {
	const { webhookUrl } = world.triggerAt(targetUrl)?.trigger ?? {};
	if (webhookUrl === undefined || id === undefined) return [];
	const from = Date.parse(at);
	const period = { from, until: from + Math.ceil(ms) };
	const eventInUrl = new URL(targetUrl).searchParams.get('event') ?? '';
	const settings = settingsDuring(world, webhookUrl, period);
	const sources = settings.map((one) => ({
		webhookUrl,
		type,
		id,
		subscription: subscriptionFor(one, eventInUrl, type),
	}));
	// While the settings were changing, it counts for what ran.
	const source = sources.find((one) => ran.has(eventOf(one))) ?? sources[0];
	if (source === undefined) return [];
	// Another client's webhook has no secret: that is a forgery wherever the secret is verified.
	const isVerified = settings.every(({ verifySecret }) => verifySecret);
	const isForged = world.everForeign.has(hookId) ? isVerified || undefined : false;
	return [{ event: eventOf(source), ...source, ...period, status, isForged }];
}

/** The settings that the trigger at this URL may have used in a period. */
function settingsDuring(world: World, webhookUrl: string, period: Period): Settings[] {
	const { periods = [] } = world.triggerAt(webhookUrl)?.trigger ?? {};
	return periods.filter((one) => overlaps(one, period)).map(({ settings }) => settings);
}

function selectionFor(world: World, attempt: ChaosAttempt): Selected {
	const selections = settingsDuring(world, attempt.webhookUrl, attempt).map((settings) =>
		selects(settings, attempt),
	);
	if (selections.every(Boolean)) return 'yes';
	return selections.some(Boolean) ? 'maybe' : 'no';
}

/** Whether a trigger kept its duplicates in the database from the start of the first attempt to the end of the last. */
function isRecorded(world: World, tries: readonly ChaosAttempt[]): boolean {
	const span = {
		from: Math.min(...tries.map(({ from }) => from)),
		until: Math.max(...tries.map(({ until }) => until)),
	};
	return settingsDuring(world, tries[0]?.webhookUrl ?? '', span).every(
		({ duplicateMemory }) => duplicateMemory === 'database',
	);
}

/** Each workflow has reported a loss of events in the list of executions, and nothing else. */
export async function checkReports(world: World): Promise<string[]> {
	const reports: Execution[] = [];
	for await (const execution of executionsOf(world)) {
		if (execution.mode === 'trigger') reports.push(execution);
	}
	return world.workflows.flatMap(({ id: workflowId, mustReportSince, triggers }, index) => {
		const own = reports.filter((report) => report.workflowId === workflowId);
		const isOff = triggers.every(({ periods }) =>
			periods.every(({ settings }) => !settings.reportProblems),
		);
		const ids = own.map(({ id }) => id).join(', ');
		if (own.length > 0 && !world.everDisturbed) {
			return [`workflow ${index} reported a problem, but there was none: ${ids}`];
		}
		if (own.length > 0 && isOff) return [`workflow ${index} must not report: ${ids}`];
		const isReported = own.some(
			({ storedAt }) => mustReportSince === undefined || storedAt >= mustReportSince,
		);
		if (mustReportSince === undefined || isReported) return [];
		return [`workflow ${index} has not reported that a webhook was missing`];
	});
}

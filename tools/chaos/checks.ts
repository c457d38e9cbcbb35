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
import type { ChaosWorkflow } from './chaosWorkflow';
import { markPublished, ownOf, type Model } from './model';
import { MAX_IN_BATCH, selects, subscriptionFor, type Settings } from './triggerSettings';
import type { World } from './world';

/** The checks after each step of a history. @returns a line for each problem */
export async function checkAfterStep(model: Model, world: World): Promise<string[]> {
	await noteReports(model, world);
	return [...world.coverage.losses, ...foreignDeletes(model, world)];
}

/** Updates the model with the workflows that n8n has reported as published since their last change. */
export async function noteReports(model: Model, world: World): Promise<void> {
	for (const [index, workflow] of model.workflows.entries()) {
		if (!workflow.active || workflow.published) continue;
		const publication = await world.publicationOf(index);
		if (publication?.status !== 'published') continue;
		if (publication.triggers.some(({ errorMessage }) => errorMessage !== null)) continue;
		markPublished(workflow);
		world.coverage.observe();
	}
}

/** DELETE requests for foreign webhooks that no user asked for, from the service's log. */
function foreignDeletes({ everForeign, mayBeDeleted }: Model, { requests }: World): string[] {
	return requests.flatMap(({ method, path }) => {
		const id = path.replace('/hooks/', '');
		const isAllowed = method !== 'DELETE' || !everForeign.has(id) || mayBeDeleted.has(id);
		return isAllowed ? [] : [`foreign webhook was sent a DELETE: ${id}`];
	});
}

/** Where an event came from: one activity of one type at one webhook URL runs once. */
interface Source {
	/** The trigger's production URL, without the event. */
	webhookUrl: string;
	/** The event of the webhook; `*` for all events. */
	subscription: string;
	type: string;
	id: string;
}

const eventOf = ({ webhookUrl, subscription, type, id }: Source) =>
	`${type} ${id} at ${webhookUrl}?event=${subscription}`;

type ChaosAttempt = Attempt & Source;

/** Compares the accepted events with the executions, over the whole history so far. */
export async function checkConservation(model: Model, world: World): Promise<Verdict> {
	const runs: Run[] = [];
	const losses: Array<Loss<ChaosAttempt>> = [];
	for await (const execution of executionsOf(world)) {
		if (execution.mode === 'manual' || execution.mode === 'trigger') continue;
		const { triggers = [] } =
			world.workflows.find(({ id }) => id === execution.workflowId) ??
			({} as Partial<ChaosWorkflow>);
		const found = runsIn(execution, triggers);
		runs.push(...found);
		const hasEnded = triggers.some(({ name }) => execution.outputs.has(name));
		if (found.length === 0 && !hasEnded) losses.push(lossOf(execution, triggers));
	}
	const ran = new Set(runs.map(({ event }) => event));
	const attempts = world.deliveries.attempts.flatMap((entry) =>
		attemptOf(entry, ran, model, world),
	);
	return judge(attempts, runs, {
		downTimes: world.downTimes,
		losses,
		mayBeRefused: true,
		selected: (attempt) => selectionFor(model, world, attempt),
		memories: (tries) =>
			tries.length > 0 && isRecorded(model, world, tries) ? ['process', 'database'] : ['process'],
	});
}

const executionsOf = (world: World) =>
	readExecutions(
		world.query,
		world.workflows.map(({ id }) => id),
	);

/** An item of the trigger with the option Output: Grouped. */
const itemSchema = z.object({
	event: z.object({ id: z.string(), type: z.string(), subscription: z.string().nullable() }),
});

/** The events for which n8n has started an execution, or has queued one. */
function runsIn(
	{ id, storedAt, outputs, waiting }: Execution,
	triggers: ChaosWorkflow['triggers'],
): Run[] {
	return triggers.flatMap(({ name, webhookUrl }) =>
		(outputs.get(name) ?? waiting.get(name) ?? []).flatMap((item): Run[] => {
			const event = itemSchema.safeParse(item).data?.event;
			if (event === undefined) return [];
			const source = { ...event, webhookUrl, subscription: event.subscription ?? '*' };
			const isPassedOn = outputs.has(name);
			return [{ event: eventOf(source), execution: id, at: storedAt, isPassedOn }];
		}),
	);
}

/** How long after a delivery its execution may have been stored, by two clocks. */
const CLOCKS_MS = 50;

/** An execution whose events cannot be read, because n8n was killed while it ran: it holds one batch at most. */
const lossOf = (
	{ storedAt }: Execution,
	triggers: ChaosWorkflow['triggers'],
): Loss<ChaosAttempt> => ({
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
	model: Model,
	world: World,
): ChaosAttempt[] {
	const trigger = world.triggerAt(targetUrl);
	if (trigger === undefined || id === undefined) return [];
	const { webhookUrl } = trigger;
	const from = Date.parse(at);
	const period = { from, until: from + Math.ceil(ms) };
	const eventInUrl = new URL(targetUrl).searchParams.get('event') ?? '';
	const settings = settingsDuring(model, world, webhookUrl, period);
	const sources = settings.map((one) => ({
		...{ webhookUrl, type, id },
		subscription: subscriptionFor(one, eventInUrl, type),
	}));
	// While the settings were changing, it counts for what ran.
	const source = sources.find((one) => ran.has(eventOf(one))) ?? sources[0];
	if (source === undefined) return [];
	// Another client's webhook has no secret: that is a forgery wherever the secret is verified.
	const isVerified = settings.every(({ verifySecret }) => verifySecret);
	const isForged = model.everForeign.has(hookId) ? isVerified || undefined : false;
	return [{ event: eventOf(source), ...source, ...period, status, isForged }];
}

/** The settings that the trigger at this URL may have used in a period. */
function settingsDuring(
	model: Model,
	world: World,
	webhookUrl: string,
	period: Period,
): Settings[] {
	const { workflow, node } = world.triggerAt(webhookUrl) ?? {};
	if (workflow === undefined || node === undefined) return [];
	const periods = model.workflows[workflow]?.settingsPeriods[node] ?? [];
	return periods.filter((one) => overlaps(one, period)).map(({ settings }) => settings);
}

function selectionFor(model: Model, world: World, attempt: ChaosAttempt): Selected {
	const selections = settingsDuring(model, world, attempt.webhookUrl, attempt).map((settings) =>
		selects(settings, attempt),
	);
	if (selections.every(Boolean)) return 'yes';
	return selections.some(Boolean) ? 'maybe' : 'no';
}

/** Whether a trigger kept its duplicates in the database from the start of the first attempt to the end of the last. */
function isRecorded(model: Model, world: World, tries: readonly ChaosAttempt[]): boolean {
	const span = {
		from: Math.min(...tries.map(({ from }) => from)),
		until: Math.max(...tries.map(({ until }) => until)),
	};
	return settingsDuring(model, world, tries[0]?.webhookUrl ?? '', span).every(
		({ duplicateMemory }) => duplicateMemory === 'database',
	);
}

/**
 * Compares the reports in the list of executions with what has gone wrong.
 *
 * @returns a line for each workflow that has not reported a loss of events, or has reported something without a cause
 */
export async function checkReports(model: Model, world: World): Promise<string[]> {
	const reports: Execution[] = [];
	for await (const execution of executionsOf(world)) {
		if (execution.mode === 'trigger') reports.push(execution);
	}
	return model.workflows.flatMap((workflow, index) => {
		const { id: workflowId } = world.workflow(index);
		const own = reports.filter((report) => report.workflowId === workflowId);
		const { mustReportSince } = workflow;
		const isOff = workflow.settingsPeriods.every((periods) =>
			periods.every(({ settings }) => !settings.reportProblems),
		);
		const ids = own.map(({ id }) => id).join(', ');
		if (own.length > 0 && !model.everDisturbed) {
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

/** IDs of activities that n8n has not accepted although their webhook still exists. They are resent at the next rest. */
export function undelivered(model: Model, world: World): string[] {
	const pending = new Map<string, string>();
	const existing = new Set(ownOf(model, world.webhooks).map(({ targetUrl }) => targetUrl));
	for (const { activityId = '', type, targetUrl, status } of world.deliveries.attempts) {
		const key = [activityId, type, targetUrl].join(' ');
		if (status === 200) pending.delete(key);
		else if (existing.has(targetUrl)) pending.set(key, activityId);
	}
	return [...new Set(pending.values())];
}

import {
	conservation,
	keyOf,
	overlaps,
	type Attempt,
	type Conservation,
	type Selected,
} from './conservation';
import { ownOf, markPublished, type Model } from './model';
import { readReports, readRuns } from './runs';
import { selects, subscriptionFor, type Settings } from './triggerSettings';
import type { World } from './world';

/** The checks after each step of a history. @returns a line for each problem */
export async function checkAfterStep(model: Model, world: World): Promise<string[]> {
	await noteReports(model, world);
	return [
		...world.coverage.losses,
		...foreignDeletes(model, world),
		...falselyRejected(model, world),
	];
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

/** Authentic deliveries that got a 401. After a manual rotation, this is allowed until the next check. */
function falselyRejected(model: Model, world: World): string[] {
	const attempts = world.deliveries.unchecked.splice(0);
	if (model.rotatedOwn) return [];
	return attempts
		.filter(({ hookId, status }) => status === 401 && !model.everForeign.has(hookId))
		.filter(({ targetUrl }) => world.triggerAt(targetUrl) !== undefined)
		.map(
			({ type, activityId, targetUrl }) =>
				`rejected as forged: ${type} ${activityId} at ${targetUrl}`,
		);
}

/** Compares the accepted events with the executions, over the whole history so far. */
export async function checkConservation(model: Model, world: World): Promise<Conservation> {
	const found = await readRuns(world);
	const ran = new Set(found.runs.map(keyOf));
	const attempts = world.deliveries.attempts.flatMap((entry): Attempt[] => {
		const { activityId: id, targetUrl, type, status, at, ms } = entry;
		const trigger = world.triggerAt(targetUrl);
		if (trigger === undefined || id === undefined) return [];
		const { webhookUrl } = trigger;
		const from = Date.parse(at);
		const period = { from, until: from + Math.ceil(ms) };
		const eventInUrl = new URL(targetUrl).searchParams.get('event') ?? '';
		const events = settingsDuring(model, world, webhookUrl, period).map((settings) => ({
			...{ webhookUrl, type, id },
			subscription: subscriptionFor(settings, eventInUrl, type),
		}));
		// While the settings were changing, it counts for what ran.
		const event = events.find((one) => ran.has(keyOf(one))) ?? events[0];
		return event === undefined ? [] : [{ ...event, ...period, status }];
	});
	const { problems, reasons } = conservation(attempts, found, world.downTimes, {
		selected: (attempt) => selectionFor(model, world, attempt),
		isRecorded: (webhookUrl, period) =>
			settingsDuring(model, world, webhookUrl, period).every(
				({ duplicateMemory }) => duplicateMemory === 'database',
			),
	});
	return { problems: [...problems, ...acceptedForgeries(model, world)], reasons };
}

/** The settings that the trigger at this URL may have used in a period, in milliseconds since 1970. */
function settingsDuring(
	model: Model,
	world: World,
	webhookUrl: string,
	{ from, until }: { from: number; until: number },
): Settings[] {
	const { workflow, node } = world.triggerAt(webhookUrl) ?? {};
	if (workflow === undefined || node === undefined) return [];
	const periods = model.workflows[workflow]?.settingsPeriods[node] ?? [];
	return periods
		.filter((period) => period.from <= until && from <= period.until)
		.map(({ settings }) => settings);
}

function selectionFor(model: Model, world: World, attempt: Attempt): Selected {
	const selections = settingsDuring(model, world, attempt.webhookUrl, attempt).map((settings) =>
		selects(settings, attempt),
	);
	if (selections.every(Boolean)) return 'yes';
	return selections.some(Boolean) ? 'maybe' : 'no';
}

/** Deliveries of another client's webhook, which have no secret, that a trigger accepted although it verifies them. */
function acceptedForgeries(model: Model, world: World): string[] {
	return world.deliveries.attempts.flatMap(({ hookId, status = 0, at, ms, ...entry }) => {
		const { type, activityId, targetUrl } = entry;
		const from = Date.parse(at);
		const period = { from, until: from + Math.ceil(ms) };
		const settings = settingsDuring(model, world, targetUrl, period);
		const isForged =
			model.everForeign.has(hookId) &&
			settings.length > 0 &&
			settings.every(({ verifySecret }) => verifySecret);
		const isAccepted =
			status >= 200 && status <= 299 && world.downTimes.every((down) => !overlaps(down, period));
		return isForged && isAccepted
			? [`accepted although forged: ${type} ${activityId} at ${targetUrl}`]
			: [];
	});
}

/**
 * Compares the reports in the list of executions with what has gone wrong.
 *
 * @returns a line for each workflow that has not reported a loss of events, or has reported something without a cause
 */
export async function checkReports(model: Model, world: World): Promise<string[]> {
	const reports = await readReports(world);
	return model.workflows.flatMap((workflow, index) => {
		const { id } = world.workflow(index);
		const own = reports.filter(({ workflowId }) => workflowId === id);
		const { mustReportSince } = workflow;
		const isOff = workflow.settingsPeriods.every((periods) =>
			periods.every(({ settings }) => !settings.reportProblems),
		);
		const executions = own.map(({ execution }) => execution).join(', ');
		if (own.length > 0 && !model.everDisturbed) {
			return [`workflow ${index} reported a problem, but there was none: ${executions}`];
		}
		if (own.length > 0 && isOff) return [`workflow ${index} must not report: ${executions}`];
		const isReported = own.some(({ at }) => mustReportSince === undefined || at >= mustReportSince);
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

import { conservation, type Attempt, type Conservation, type Selected } from './conservation';
import { EVENT_OF_ANOTHER_CLIENT } from './foreignEvent';
import { ownOf, markPublished, type Model } from './model';
import { readRuns } from './runs';
import { selects } from './triggerSettings';
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
		const { status, triggers } = await world.publicationOf(index);
		if (status !== 'published' || triggers.some(({ errorMessage }) => errorMessage !== null))
			continue;
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
	const attempts = world.deliveries.attempts.flatMap((entry): Attempt[] => {
		const { activityId: id, targetUrl, type, status, at, ms } = entry;
		const trigger = world.triggerAt(targetUrl);
		if (trigger === undefined || id === undefined) return [];
		const from = Date.parse(at);
		const event = new URL(targetUrl).searchParams.get('event') ?? '*';
		// A trigger that does not verify secrets takes another client's webhook for one of all events.
		const subscription = event === EVENT_OF_ANOTHER_CLIENT ? '*' : event;
		return [
			{
				webhookUrl: trigger.webhookUrl,
				subscription,
				type,
				id,
				status,
				from,
				until: from + Math.ceil(ms),
			},
		];
	});
	return conservation(attempts, await readRuns(world), world.downTimes, (attempt) =>
		selectionFor(model, world, attempt),
	);
}

function selectionFor(model: Model, world: World, attempt: Attempt): Selected {
	const trigger = world.triggerAt(attempt.webhookUrl);
	const settingsPeriods =
		trigger && model.workflows[trigger.workflow]?.settingsPeriods[trigger.node];
	const selections = (settingsPeriods ?? [])
		.filter(({ from, until }) => from <= attempt.until && attempt.from <= until)
		.map(({ settings }) => selects(settings, attempt.subscription, attempt.type));
	if (selections.every(Boolean)) return 'yes';
	return selections.some(Boolean) ? 'maybe' : 'no';
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

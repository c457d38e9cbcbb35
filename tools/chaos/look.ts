import { conservation, type Attempt, type Conservation, type Selected } from './conservation';
import { ownOf, settle, type Model } from './model';
import { readRuns } from './runs';
import { selects } from './settings';
import type { World } from './world';

/** Looks during a history, after each step. @returns a line for everything that is wrong */
export async function look(model: Model, world: World): Promise<string[]> {
	await noteReports(model, world);
	return [...world.coverage.losses, ...touchedInBetween(model, world), ...forged(model, world)];
}

/** Notes which workflows n8n has reported as published since somebody changed them. */
export async function noteReports(model: Model, world: World): Promise<void> {
	for (const [place, workflow] of model.workflows.entries()) {
		if (!workflow.active || workflow.steady) continue;
		const { status, triggers } = await world.publicationOf(place);
		if (status !== 'published' || triggers.some(({ errorMessage }) => errorMessage !== null))
			continue;
		settle(workflow);
		world.coverage.observe();
	}
}

/** From the service's log: whether n8n has tried to delete what is somebody else's, and what nobody asked it to. */
function touchedInBetween({ everForeign, mayBeDeleted }: Model, { requests }: World): string[] {
	return requests.flatMap(({ method, path }) => {
		const id = path.replace('/hooks/', '');
		const isMeant = method !== 'DELETE' || !everForeign.has(id) || mayBeDeleted.has(id);
		return isMeant ? [] : [`somebody else's webhook was sent a DELETE: ${id}`];
	});
}

/** Genuine deliveries that were taken for forged. After a rotation by hand this may be so until the next check. */
function forged(model: Model, world: World): string[] {
	const attempts = world.deliveries.unjudged.splice(0);
	if (model.rotatedOwn) return [];
	return attempts
		.filter(({ hookId, status }) => status === 401 && !model.everForeign.has(hookId))
		.filter(({ targetUrl }) => world.triggerAt(targetUrl) !== undefined)
		.map(
			({ type, activityId, targetUrl }) =>
				`taken for forged: ${type} ${activityId} at ${targetUrl}`,
		);
}

/** Compares what n8n said it took with what it ran, over the whole history so far. */
export async function conserved(model: Model, world: World): Promise<Conservation> {
	const attempts = world.deliveries.attempts.flatMap((entry): Attempt[] => {
		const { activityId: id, targetUrl, type, status, at, ms } = entry;
		const trigger = world.triggerAt(targetUrl);
		if (trigger === undefined || id === undefined) return [];
		const from = Date.parse(at);
		const subscription = new URL(targetUrl).searchParams.get('event') ?? '*';
		return [
			{
				address: trigger.address,
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
		selectedBy(model, world, attempt),
	);
}

function selectedBy(model: Model, world: World, attempt: Attempt): Selected {
	const trigger = world.triggerAt(attempt.address);
	const reigns = trigger && model.workflows[trigger.workflow]?.reigns[trigger.node];
	const opinions = (reigns ?? [])
		.filter(({ from, until }) => from <= attempt.until && attempt.from <= until)
		.map(({ settings }) => selects(settings, attempt.subscription, attempt.type));
	if (opinions.every(Boolean)) return 'yes';
	return opinions.some(Boolean) ? 'maybe' : 'no';
}

/** Activities that were not taken though their webhook is still there: they are sent again in quiet times. */
export function untaken(model: Model, world: World): string[] {
	const open = new Map<string, string>();
	const there = new Set(ownOf(model, world.hooks).map(({ targetUrl }) => targetUrl));
	for (const { activityId = '', type, targetUrl, status } of world.deliveries.attempts) {
		const key = [activityId, type, targetUrl].join(' ');
		if (status === 200) open.delete(key);
		else if (there.has(targetUrl)) open.set(key, activityId);
	}
	return [...new Set(open.values())];
}

import fc, { type AsyncCommand } from 'fast-check';
import type { Reasons } from '../load/judge';
import { checkAfterStep, checkConservation, noteReports } from './checks';
import { differences } from './desiredWebhooks';
import { markPending, newModel, type Model } from './model';
import { comeToRest } from './steps/rest';
import { stepArbitrary } from './steps/stepArbitrary';
import { World, type Environment } from './world';

/** The maximum number of steps in a history: short enough to shrink a failing one in a few minutes. */
const MAX_STEPS = 25;

export interface SearchOptions {
	seed: number;
	/** The maximum time for shrinking a failing history, in milliseconds. */
	shrinkMs: number;
	/** From an earlier failure: runs only that history again. */
	path?: string | undefined;
	replayPath?: string | undefined;
}

/**
 * Generates a random history and runs it. If it fails, finds a shorter one that fails, too.
 *
 * @param run throws if a check fails
 * @returns fast-check's report of the shortest failing history, with the command that repeats it; undefined if the history
 *   passed
 */
export async function searchHistory(
	run: (history: Iterable<AsyncCommand<Model, World>>) => Promise<void>,
	{ seed, shrinkMs, path, replayPath }: SearchOptions,
): Promise<string | undefined> {
	let shrinkUntil = Number.POSITIVE_INFINITY;
	const anyHistory = fc.commands([stepArbitrary], {
		maxCommands: MAX_STEPS,
		size: 'max',
		...(replayPath !== undefined && { replayPath }),
	});
	const property = fc.asyncProperty(anyHistory, async (history) => {
		// When the time for shrinking is up, fast-check counts skipped histories as not failing.
		fc.pre(Date.now() < shrinkUntil);
		try {
			await run(history);
		} catch (error) {
			shrinkUntil = Math.min(shrinkUntil, Date.now() + shrinkMs);
			throw error;
		}
	});
	const details = await fc.check(property, {
		seed,
		numRuns: 1,
		endOnFailure: shrinkMs === 0,
		...(path !== undefined && { path }),
	});
	const report = fc.defaultReportMessage(details);
	if (report === undefined) return undefined;
	const replay = /replayPath="([^"]*)"/.exec(report)?.[1] ?? '';
	return `${report}\nTo reproduce: npm run test:chaos -- --seed ${seed} --path '${details.counterexamplePath ?? ''}' --replay-path '${replay}'`;
}

/**
 * Runs a history from the start, with its own workflows and its own team at the service.
 *
 * @returns how many deliveries got a 2xx, by reason
 * @throws if a check fails after a step, at a rest, or at the end
 */
export async function runHistory(
	environment: Environment,
	history: Iterable<AsyncCommand<Model, World>>,
): Promise<Reasons> {
	const { host, proxy } = environment;
	const model = newModel();
	const world = await World.create(environment, model);
	try {
		for (const { id } of world.workflows) await host.server.client.activateWorkflow(id);
		await world.settled();
		await noteReports(model, world);
		await fc.asyncModelRun(() => ({ model, real: world }), history);
		await comeToRest(model, world, 'restart');
		return await end(model, world);
	} finally {
		host.service.clearFaults();
		host.service.setSwitches({ maxHooks: 0 });
		await proxy.whenUp();
		world.slot.free();
		if (host.server.process().hasExited()) await host.server.restart();
		await world.clear();
	}
}

/** Without faults, every deactivation must remove all webhooks of its workflow, and no others. */
async function end(model: Model, world: World): Promise<Reasons> {
	for (const [index, workflow] of model.workflows.entries()) {
		if (!workflow.active) continue;
		workflow.active = false;
		markPending(workflow);
		await world.host.server.client.deactivateWorkflow(world.workflow(index).id);
	}
	await world.settled();
	const { problems: unbalanced, reasons } = await checkConservation(model, world);
	const problems = [
		...differences(model, world),
		...(await checkAfterStep(model, world)),
		...unbalanced,
	];
	if (problems.length > 0) throw new Error(`At the end:\n  ${problems.join('\n  ')}`);
	return reasons;
}

import fc from 'fast-check';
import { differences } from './desiredWebhooks';
import { checkAfterStep, checkConservation, noteReports } from './checks';
import { newModel, markPending, type Model } from './model';
import type { Reasons } from './conservation';
import { comeToRest } from './steps/rest';
import type { History } from './steps/step';
import { World, type Environment } from './world';

/**
 * Runs a history from the start, with its own workflows and its own team at the service.
 *
 * @returns how many deliveries got a 2xx, by reason
 * @throws if a check fails after a step, at a rest, or at the end
 */
export async function runHistory(environment: Environment, history: History): Promise<Reasons> {
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

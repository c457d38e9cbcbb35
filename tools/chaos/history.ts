import fc from 'fast-check';
import { differences } from './judge';
import { conserved, look, noteReports } from './look';
import { newModel, unsettle, type Model } from './model';
import type { Reasons } from './conservation';
import { comeToRest } from './steps/rest';
import type { History } from './steps/step';
import { World, type Surroundings } from './world';

/**
 * Carries out a history from its beginning, in workflows and a team of its own.
 *
 * @returns how many deliveries got a 2xx, by reason
 * @throws what is wrong during the history, at a rest, or at the end
 */
export async function carryOut(surroundings: Surroundings, history: History): Promise<Reasons> {
	const { host, door } = surroundings;
	const model = newModel();
	const world = await World.create(surroundings, model);
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
		await door.opened();
		world.slot.free();
		if (host.server.process().hasExited()) await host.server.restart();
		await world.clear();
	}
}

/** In peace every deactivation takes all webhooks of its workflow along, and nobody else's. */
async function end(model: Model, world: World): Promise<Reasons> {
	for (const [place, workflow] of model.workflows.entries()) {
		if (!workflow.active) continue;
		workflow.active = false;
		unsettle(workflow);
		await world.host.server.client.deactivateWorkflow(world.workflow(place).id);
	}
	await world.settled();
	const { wrong: unbalanced, reasons } = await conserved(model, world);
	const wrong = [...differences(model, world), ...(await look(model, world)), ...unbalanced];
	if (wrong.length > 0) throw new Error(`At the end:\n  ${wrong.join('\n  ')}`);
	return reasons;
}

import fc from 'fast-check';
import type { OutreachHost } from '../host';
import { differences } from './judge';
import type { Door } from './door';
import { newModel, type Model } from './model';
import { comeToRest } from './steps/rest';
import type { History } from './steps/step';
import { World } from './world';

/**
 * Carries out a history from its beginning, in workflows and a team of its own.
 *
 * @throws what is wrong at a rest, or at the end
 */
export async function carryOut(host: OutreachHost, door: Door, history: History): Promise<void> {
	const model = newModel();
	const world = await World.create(host, door, model.workflows);
	try {
		for (const { id } of world.workflows) await host.server.client.activateWorkflow(id);
		await world.settled();
		await fc.asyncModelRun(() => ({ model, real: world }), history);
		await comeToRest(model, world, 'restart');
		await end(model, world);
	} finally {
		host.service.clearFaults();
		await door.opened();
		if (host.server.process().hasExited()) await host.server.restart();
		await world.clear();
	}
}

/** In peace every deactivation takes all webhooks of its workflow along, and nobody else's. */
async function end(model: Model, world: World): Promise<void> {
	for (const [place, workflow] of model.workflows.entries()) {
		if (!workflow.active) continue;
		workflow.active = false;
		await world.host.server.client.deactivateWorkflow(world.workflow(place).id);
	}
	await world.settled();
	const wrong = differences(model, world);
	if (wrong.length > 0) throw new Error(`At the end:\n  ${wrong.join('\n  ')}`);
}

import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { waitFor } from '../../host';
import { differences, unbelieved } from '../judge';
import type { Model } from '../model';
import type { World } from '../world';
import { LONGEST_DELAY_MS } from './service';
import { Step } from './step';
import { removeTestRuns } from './testRun';

/** What brings back what was lost: the node's clock, a start of n8n, or a user who deactivates and activates. */
export type Remedy = 'clock' | 'restart' | 'user';

/** How long each may take, in milliseconds: the clock comes every minute, and n8n looks every 10 s what it should run. */
const REMEDY_MS: Record<Remedy, number> = { clock: 75_000, restart: 25_000, user: 5_000 };
const PATIENCE_MS = 3_000;

/**
 * Quiet time: nothing goes wrong any more. Then the service's webhooks have to be those of the model, and each has to
 * be believed.
 */
export class Rest extends Step {
	readonly kind = 'rest';

	constructor(private readonly remedy: Remedy) {
		super();
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		await comeToRest(model, world, this.remedy);
	}

	toString(): string {
		return `rest; what is lost comes back by the ${this.remedy}`;
	}
}

/** @throws what is wrong, if anything is once everything had its time */
export async function comeToRest(model: Model, world: World, remedy: Remedy): Promise<void> {
	await endTroubles(model, world);
	await world.settled();
	await repeatWhatFailed(model, world);
	await removeTestRuns(model, world);

	let wrong = await lookPatiently(model, world, PATIENCE_MS);
	// Whatever n8n has said went well in peace must need nobody's help.
	if (wrong.length > 0 && model.disturbed) wrong = await remedied(model, world, remedy);
	if (wrong.length === 0) wrong = await unbelieved(model, world);
	if (wrong.length > 0) throw new Error(`At rest:\n  ${wrong.join('\n  ')}`);
	model.disturbed = false;
}

async function endTroubles(model: Model, { host, door }: World): Promise<void> {
	host.service.clearFaults();
	await door.opened();
	if (model.slow) await pause(LONGEST_DELAY_MS);
	model.slow = false;
}

const reportSchema = z.object({ workflowId: z.string(), status: z.string(), error: z.unknown() });

/** A user does again what n8n said had failed. What it said went well must have gone well. */
async function repeatWhatFailed(model: Model, world: World): Promise<void> {
	const reports = await world.query(
		reportSchema,
		`SELECT workflowId, status, errorMessage AS error FROM workflow_publication_outbox
		 WHERE id IN (SELECT MAX(id) FROM workflow_publication_outbox GROUP BY workflowId)`,
	);
	for (const [place, { active }] of model.workflows.entries()) {
		const { id } = world.workflow(place);
		const report = reports.find(({ workflowId }) => workflowId === id);
		if (report === undefined || (report.status !== 'failed' && report.error === null)) continue;
		const { client } = world.host.server;
		await client.activateWorkflow(id);
		await world.settled();
		if (active) continue;
		await client.deactivateWorkflow(id);
		await world.settled();
	}
}

async function remedied(model: Model, world: World, remedy: Remedy): Promise<string[]> {
	if (remedy === 'restart') await world.restart('kill');
	if (remedy === 'user') {
		const { client } = world.host.server;
		for (const [place, { active }] of model.workflows.entries()) {
			if (!active) continue;
			await client.deactivateWorkflow(world.workflow(place).id);
			await world.settled();
			await client.activateWorkflow(world.workflow(place).id);
		}
		await world.settled();
	}
	return lookPatiently(model, world, REMEDY_MS[remedy]);
}

/** Looks until all is well, or the time is up. @returns what was wrong at the last look */
async function lookPatiently(model: Model, world: World, timeoutMs: number): Promise<string[]> {
	let wrong: string[] = [];
	await waitFor(
		'the webhooks to be those of the model',
		() => (wrong = differences(model, world)),
		({ length }) => length === 0,
		{ timeoutMs },
	).catch(() => undefined);
	return wrong;
}

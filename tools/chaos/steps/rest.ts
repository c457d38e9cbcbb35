import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { waitFor } from '../../host';
import { differences, expectedHooks, isAsExpected, refused } from '../judge';
import { conserved, noteReports, untaken } from '../look';
import { ownOf, unsettle, type Model } from '../model';
import type { World } from '../world';
import { LONGEST_DELAY_MS } from './service';
import { Step } from './step';
import { removeTestRuns } from './testRun';

/** What brings back what was lost: the node's clock, a start of n8n, or a user who deactivates and activates. */
export type Remedy = 'clock' | 'restart' | 'user';

/** How long each may take, in milliseconds: the clock comes every minute, and n8n looks every 10 s what it should run. */
const REMEDY_MS: Record<Remedy, number> = { clock: 75_000, restart: 25_000, user: 5_000 };
const PATIENCE_MS = 3_000;

/** How long the service waits for a response in quiet times, in milliseconds. */
const PATIENT_SENDER_MS = 10_000;
/** How long to wait before it is tried again whether deliveries are taken. */
const DELIVERIES_APART_MS = 2_000;
/** How many of the activities that were not taken are sent again. */
const MOST_SENT_AGAIN = 12;

/**
 * Quiet time: nothing goes wrong any more. Then the service's webhooks have to be those of the model, a delivery to
 * each has to be taken, also of activities that were not taken before, and what was taken must have run once.
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
	await noteReports(model, world);
	await repeatWhatFailed(model, world);
	await removeTestRuns(model, world);
	await noteReports(model, world);

	let wrong = await observePatiently(() => differences(model, world), PATIENCE_MS);
	// Whatever n8n has said went well in peace must need nobody's help.
	if ((wrong.length > 0 || model.rotatedOwn) && model.disturbed) {
		wrong = await remedied(model, world, remedy);
	}
	if (wrong.length === 0) wrong = await refused(model, world);
	if (wrong.length === 0) wrong = await refusedAgain(model, world);
	if (wrong.length === 0) ({ wrong } = await conserved(model, world));
	if (wrong.length > 0) throw new Error(`At rest:\n  ${wrong.join('\n  ')}`);
	// Until now a delivery may have been taken for forged.
	if (model.rotatedOwn) world.deliveries.unjudged.length = 0;
	model.disturbed = false;
	model.refusing = false;
	model.forgotten = false;
	model.rotatedOwn = false;
	world.host.service.setSwitches({ maxHooks: 0 });
}

async function endTroubles(model: Model, world: World): Promise<void> {
	const { service } = world.host;
	service.clearFaults();
	if (!staysLimited(model, world)) service.setSwitches({ maxHooks: 0 });
	await world.door.opened();
	if (model.slow) await pause(LONGEST_DELAY_MS);
	model.slow = false;
	await world.slot.freeInTime();
	model.busy = false;
	await world.deliveries.ended();
	service.setSwitches({ deliveryTimeoutMs: PATIENT_SENDER_MS, redeliveries: 0 });
	for (const workflow of model.workflows) {
		workflow.testRunDisturbed ||= workflow.listening && model.disturbed;
	}
}

/**
 * Whether the limit on the team's webhooks leaves room for all that must be there: the triggers have nothing else, and
 * n8n remembers what they have.
 */
function staysLimited(model: Model, world: World): boolean {
	const { maxHooks } = world.host.service.switches;
	const expected = expectedHooks(model, world);
	const own = ownOf(model, world.hooks);
	return (
		!model.forgotten &&
		!model.rotatedOwn &&
		model.workflows.every(({ active, steady }) => steady || !active) &&
		expected.length + model.foreign.length <= maxHooks &&
		own.length <= expected.length &&
		own.every((hook) => expected.some((one) => isAsExpected({ ...hook, disabled: false }, one)))
	);
}

const reportSchema = z.object({ workflowId: z.string(), status: z.string(), error: z.unknown() });

/**
 * A user does again what n8n said had failed. What it said went well must have gone well; what fails when n8n starts
 * again during an outage needs no user.
 */
async function repeatWhatFailed(model: Model, world: World): Promise<void> {
	const reports = await world.query(
		reportSchema,
		`SELECT workflowId, status, errorMessage AS error FROM workflow_publication_outbox
		 WHERE id IN (SELECT MAX(id) FROM workflow_publication_outbox GROUP BY workflowId)`,
	);
	for (const [place, workflow] of model.workflows.entries()) {
		const { active, steady } = workflow;
		if (active && steady && !model.refusing && !model.forgotten) continue;
		const { id } = world.workflow(place);
		const report = reports.find(({ workflowId }) => workflowId === id);
		if (report === undefined || (report.status !== 'failed' && report.error === null)) continue;
		const { client } = world.host.server;
		unsettle(workflow);
		await client.activateWorkflow(id);
		await world.settled();
		await noteReports(model, world);
		if (active) continue;
		await client.deactivateWorkflow(id);
		await world.settled();
	}
}

async function remedied(model: Model, world: World, remedy: Remedy): Promise<string[]> {
	if (remedy === 'restart') await world.restart('kill');
	if (remedy === 'user') {
		const { client } = world.host.server;
		for (const [place, workflow] of model.workflows.entries()) {
			if (!workflow.active) continue;
			unsettle(workflow);
			await client.deactivateWorkflow(world.workflow(place).id);
			await world.settled();
			await client.activateWorkflow(world.workflow(place).id);
		}
		await world.settled();
		await noteReports(model, world);
	}
	return observePatiently(async () => {
		const wrong = differences(model, world);
		if (wrong.length > 0 || !model.rotatedOwn) return wrong;
		await pause(DELIVERIES_APART_MS);
		return refused(model, world);
	}, REMEDY_MS[remedy]);
}

/** Sends again what was not taken before: by now n8n must decide about it in time. */
async function refusedAgain(model: Model, world: World): Promise<string[]> {
	const { deliveries } = world;
	const again = untaken(model, world).slice(-MOST_SENT_AGAIN);
	for (const id of again) {
		for (const type of deliveries.sent.get(id) ?? []) await deliveries.send(type, { id });
	}
	const still = new Set(untaken(model, world));
	return again.filter((id) => still.has(id)).map((id) => `not taken when sent again: ${id}`);
}

/** Observes until all is well, or the time is up. @returns what was wrong in the end */
async function observePatiently(
	observe: () => Promise<string[]> | string[],
	timeoutMs: number,
): Promise<string[]> {
	let wrong: string[] = [];
	await waitFor(
		'the webhooks to be those of the model',
		async () => (wrong = await observe()),
		({ length }) => length === 0,
		{ timeoutMs, everyMs: 200 },
	).catch(() => undefined);
	return wrong;
}

import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { waitFor, WaitTimeoutError } from '../../host';
import {
	differences,
	expectedWebhooks,
	isAsExpected,
	rejectedDeliveries,
} from '../desiredWebhooks';
import { checkConservation, checkReports, noteReports, undelivered } from '../checks';
import { ownOf, markPending, type Model } from '../model';
import type { World } from '../world';
import { MAX_DELAY_MS } from './service';
import { step, type Step } from './step';
import { removeTestRuns } from './testRun';

/** What restores lost webhooks: the node's timer, a restart of n8n, or a user who deactivates and activates. */
export type Remedy = 'timer' | 'restart' | 'user';

/** The maximum time of each, in milliseconds: the timer runs every minute, and n8n checks every 10 s what to activate. */
const REMEDY_MS: Record<Remedy, number> = { timer: 75_000, restart: 25_000, user: 5_000 };
/** How long to wait for the desired webhooks without a remedy, in milliseconds. */
const UNAIDED_MS = 3_000;

/** The service's delivery timeout at a rest, in milliseconds. */
const CALM_DELIVERY_TIMEOUT_MS = 10_000;
/** The maximum number of unaccepted activities to resend. */
const MAX_RESENT = 12;

/**
 * A period without faults. The service's webhooks must become those of the model, n8n must accept a delivery to each,
 * including activities that it did not accept before, and every accepted event must have run once.
 */
export const rest = (remedy: Remedy): Step =>
	step({
		kind: 'rest',
		text: `rest; remedy: ${remedy}`,
		run: (model, world) => comeToRest(model, world, remedy),
	});

/** @throws if a check still fails after the time that recovery may take */
export async function comeToRest(model: Model, world: World, remedy: Remedy): Promise<void> {
	await endFaults(model, world);
	await world.settled();
	await noteReports(model, world);
	const activated = await retryFailedPublications(model, world);
	await removeTestRuns(model, world);
	await noteReports(model, world);

	let problems = await pollProblems(() => differences(model, world), UNAIDED_MS);
	const unregistered = problems.filter(
		(problem) => problem.startsWith('missing: ') && activated.some((url) => problem.includes(url)),
	);
	if (unregistered.length > 0) {
		throw new Error(
			`n8n says that it has activated triggers that it could not activate before:\n  ${unregistered.join('\n  ')}`,
		);
	}
	// Without faults, n8n must reach the desired state without a remedy.
	if (problems.length > 0 && model.disturbed) {
		problems = await problemsAfter(model, world, remedy);
	}
	if (problems.length === 0) problems = await rejectedDeliveries(model, world);
	if (problems.length === 0) problems = await rejectedWhenResent(model, world);
	if (problems.length === 0) ({ problems } = await checkConservation(model, world));
	if (problems.length === 0) {
		// After a start, the trigger reports with the next check.
		problems = await pollProblems(() => checkReports(model, world), REMEDY_MS.timer);
	}
	if (problems.length > 0) throw new Error(`At rest:\n  ${problems.join('\n  ')}`);
	model.disturbed = false;
	model.refusing = false;
	model.staticDataLost = false;
	for (const workflow of model.workflows) workflow.mustReportSince = undefined;
	world.host.service.setSwitches({ maxHooks: 0 });
}

async function endFaults(model: Model, world: World): Promise<void> {
	const { service } = world.host;
	service.clearFaults();
	if (!canKeepWebhookLimit(model, world)) service.setSwitches({ maxHooks: 0 });
	await world.proxy.whenUp();
	if (model.slow) await pause(MAX_DELAY_MS);
	model.slow = false;
	await world.slot.freeWhenDue();
	model.busy = false;
	await world.deliveries.finished();
	service.setSwitches({ deliveryTimeoutMs: CALM_DELIVERY_TIMEOUT_MS, redeliveries: 0 });
	for (const workflow of model.workflows) {
		workflow.testRunDisturbed ||= workflow.listening && model.disturbed;
	}
}

/**
 * Whether the team's webhook limit can stay: all desired webhooks fit, the triggers have no others, and n8n's static
 * data is intact.
 */
function canKeepWebhookLimit(model: Model, world: World): boolean {
	const { maxHooks } = world.host.service.switches;
	const expected = expectedWebhooks(model, world);
	const own = ownOf(model, world.webhooks);
	return (
		!model.staticDataLost &&
		model.workflows.every(({ active, published }) => published || !active) &&
		expected.length + model.foreign.length <= maxHooks &&
		own.length <= expected.length &&
		own.every((webhook) =>
			expected.some((one) => isAsExpected({ ...webhook, disabled: false }, one)),
		)
	);
}

const reportSchema = z.object({ workflowId: z.string(), status: z.string(), error: z.unknown() });

/**
 * Retries, as a user would, the activations and deactivations that n8n has reported as failed. If n8n reported success,
 * or fails to activate a workflow when it restarts during an outage, it must recover without the user.
 *
 * @returns the production URLs of the triggers that could not be activated at first, and now are, as n8n says
 */
async function retryFailedPublications(model: Model, world: World): Promise<string[]> {
	const activated: string[] = [];
	const reports = await world.query(
		reportSchema,
		`SELECT workflowId, status, errorMessage AS error FROM workflow_publication_outbox
		 WHERE id IN (SELECT MAX(id) FROM workflow_publication_outbox GROUP BY workflowId)`,
		[],
	);
	for (const [index, workflow] of model.workflows.entries()) {
		const { active, published } = workflow;
		if (active && published && !model.refusing && !model.staticDataLost) continue;
		const { id } = world.workflow(index);
		const report = reports.find(({ workflowId }) => workflowId === id);
		if (report === undefined || (report.status !== 'failed' && report.error === null)) continue;
		const { client } = world.host.server;
		markPending(workflow);
		const failed = await failedTriggers(world, index);
		await client.activateWorkflow(id);
		await world.settled();
		await noteReports(model, world);
		if (active) {
			const { status } = await client.publicationOf(id);
			if (status === 'published') activated.push(...failed);
			continue;
		}
		await client.deactivateWorkflow(id);
		await world.settled();
	}
	return activated;
}

/** The production URLs of the triggers that n8n could not activate. */
async function failedTriggers(world: World, index: number): Promise<string[]> {
	const { id, triggers } = world.workflow(index);
	const publication = await world.host.server.client.publicationOf(id);
	const failed = publication.triggers.filter(({ errorMessage }) => errorMessage !== null);
	return triggers
		.filter((trigger) => failed.some(({ nodeId }) => nodeId === trigger.id))
		.map(({ webhookUrl }) => webhookUrl);
}

async function problemsAfter(model: Model, world: World, remedy: Remedy): Promise<string[]> {
	if (remedy === 'restart') await world.restart('kill');
	if (remedy === 'user') {
		const { client } = world.host.server;
		for (const [index, workflow] of model.workflows.entries()) {
			if (!workflow.active) continue;
			markPending(workflow);
			await client.deactivateWorkflow(world.workflow(index).id);
			await world.settled();
			await client.activateWorkflow(world.workflow(index).id);
		}
		await world.settled();
		await noteReports(model, world);
	}
	return pollProblems(() => differences(model, world), REMEDY_MS[remedy]);
}

/** Resends activities that n8n has not accepted: at a rest it must accept them in time. */
async function rejectedWhenResent(model: Model, world: World): Promise<string[]> {
	const { deliveries } = world;
	const resent = undelivered(model, world).slice(-MAX_RESENT);
	for (const id of resent) {
		for (const type of deliveries.sent.get(id) ?? []) await deliveries.send(type, { id });
	}
	const remaining = new Set(undelivered(model, world));
	return resent.filter((id) => remaining.has(id)).map((id) => `not accepted when resent: ${id}`);
}

/**
 * Repeats a check until it finds no problems or times out.
 *
 * @returns the remaining problems
 * @throws if the check itself failed the last time
 */
async function pollProblems(
	check: () => Promise<string[]> | string[],
	timeoutMs: number,
): Promise<string[]> {
	let problems: string[] = [];
	try {
		await waitFor(
			'a check without problems',
			async () => (problems = await check()),
			({ length }) => length === 0,
			{ timeoutMs, everyMs: 200 },
		);
	} catch (error) {
		const foundProblems = error instanceof WaitTimeoutError && error.cause === undefined;
		if (!foundProblems) throw error;
	}
	return problems;
}

import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { N8nRequestError, waitFor } from '../host';
import { REMOVAL_GRACE_MS } from '../host/grace';
import {
	checkConservation,
	checkReports,
	differences,
	rejectedDeliveries,
	undelivered,
} from './checks';
import { lineOf } from './settings';
import { expectedWebhooks, markPending, type ChaosWorkflow } from './workflows';
import type { World } from './world';

/** What restores lost webhooks: the node's timer, a restart of n8n, or a user who deactivates and activates. */
export type Remedy = 'timer' | 'restart' | 'user';

/** The maximum time of each, in milliseconds: the timer runs every minute, and n8n checks every 10 s what to activate. */
const REMEDY_MS: Record<Remedy, number> = {
	timer: 75_000,
	restart: 25_000,
	user: REMOVAL_GRACE_MS + 3_000,
};
/**
 * How long to wait for the desired webhooks without a remedy, in milliseconds: a deactivation removes its webhooks in the
 * background.
 */
export const UNAIDED_MS = REMOVAL_GRACE_MS + 8_000;
/** The maximum delay of a request, in milliseconds: less than half the time n8n takes to start. */
export const MAX_DELAY_MS = 2_000;
/** The maximum time n8n takes to end a test run. */
const TEST_RUN_END_MS = 3_000;
/** The service's delivery timeout at a rest, in milliseconds. */
const CALM_DELIVERY_TIMEOUT_MS = 10_000;
/** The maximum number of unaccepted activities to resend. */
const MAX_RESENT = 12;

/**
 * A period without faults. The service's webhooks must become the desired ones, n8n must accept a delivery to each,
 * including activities that it did not accept before, and every accepted event must have run once.
 *
 * @throws if a check still fails after the time that recovery may take
 */
export async function comeToRest(world: World, remedy: Remedy): Promise<void> {
	await endFaults(world);
	await world.settled();
	const activated = await retryFailedPublications(world);
	for (const workflow of world.workflows) await removeTestRun(world, workflow);

	let problems = await pollProblems(() => differences(world), UNAIDED_MS);
	const unregistered = problems.filter(
		(problem) => problem.startsWith('missing: ') && activated.some((url) => problem.includes(url)),
	);
	if (unregistered.length > 0) {
		throw new Error(
			`n8n says that it has activated triggers that it could not activate before:\n  ${unregistered.join('\n  ')}`,
		);
	}
	// Without faults, n8n must reach the desired state without a remedy.
	if (problems.length > 0 && world.disturbed) problems = await problemsAfter(world, remedy);
	if (problems.length > 0 && world.disturbed) problems = await removeLeftBehind(world, problems);
	if (problems.length === 0) problems = await rejectedDeliveries(world);
	if (problems.length === 0) problems = await rejectedWhenResent(world);
	if (problems.length === 0) ({ problems } = await checkConservation(world));
	if (problems.length === 0) {
		// After a start, the trigger reports with the next check.
		problems = await pollProblems(() => checkReports(world), REMEDY_MS.timer);
	}
	if (problems.length > 0) throw new Error(`At rest:\n  ${problems.join('\n  ')}`);
	world.disturbed = false;
	world.refusing = false;
	world.staticDataLost = false;
	for (const workflow of world.workflows) workflow.mustReportSince = undefined;
	world.host.service.setSwitches({ maxHooks: 0 });
}

async function endFaults(world: World): Promise<void> {
	const { service } = world.host;
	service.clearFaults();
	if (!canKeepWebhookLimit(world)) service.setSwitches({ maxHooks: 0 });
	await world.environment.proxy.whenUp();
	if (world.slow) await pause(MAX_DELAY_MS);
	world.slow = false;
	await world.freeWhenDue();
	await world.delivered();
	service.setSwitches({ deliveryTimeoutMs: CALM_DELIVERY_TIMEOUT_MS, redeliveries: 0 });
	for (const workflow of world.workflows) {
		workflow.testRunDisturbed ||= workflow.listening && world.disturbed;
	}
}

/**
 * Whether the team's webhook limit can stay: all desired webhooks fit, the triggers have no others, and n8n's static
 * data is intact.
 */
function canKeepWebhookLimit(world: World): boolean {
	const { maxHooks } = world.host.service.switches;
	const expected = expectedWebhooks(world.workflows);
	const own = world.ownWebhooks;
	return (
		!world.staticDataLost &&
		world.workflows.every(({ active, published }) => published || !active) &&
		expected.length + world.foreign.length <= maxHooks &&
		own.length <= expected.length &&
		own.every((webhook) => expected.includes(lineOf({ ...webhook, disabled: false })))
	);
}

const reportSchema = z.object({ workflowId: z.string(), status: z.string(), error: z.unknown() });

/**
 * Retries, as a user would, the activations and deactivations that n8n has reported as failed. If n8n reported success,
 * or fails to activate a workflow when it restarts during an outage, it must recover without the user.
 *
 * @returns the production URLs of the triggers that could not be activated at first, and now are, as n8n says
 */
async function retryFailedPublications(world: World): Promise<string[]> {
	const { client } = world.host.server;
	const activated: string[] = [];
	const reports = await world.query(
		reportSchema,
		`SELECT workflowId, status, errorMessage AS error FROM workflow_publication_outbox
		 WHERE id IN (SELECT MAX(id) FROM workflow_publication_outbox GROUP BY workflowId)`,
		[],
	);
	for (const workflow of world.workflows) {
		const { id, active, published, triggers } = workflow;
		if (active && published && !world.refusing && !world.staticDataLost) continue;
		const report = reports.find(({ workflowId }) => workflowId === id);
		if (report === undefined || (report.status !== 'failed' && report.error === null)) continue;
		const before = await client.publicationOf(id);
		markPending(workflow);
		await client.activateWorkflow(id);
		await world.settled();
		if (!active) {
			await client.deactivateWorkflow(id);
			await world.settled();
			continue;
		}
		const hadFailed = (trigger: { id: string }) =>
			before.triggers.some(
				({ nodeId, errorMessage }) => nodeId === trigger.id && errorMessage !== null,
			);
		const { status } = await client.publicationOf(id);
		if (status !== 'published') continue;
		activated.push(...triggers.filter(hadFailed).map(({ webhookUrl }) => webhookUrl));
	}
	return activated;
}

/** @returns whether n8n is listening; false if n8n reports an error because the service rejected a request */
export async function listen(world: World, { id, triggers }: ChaosWorkflow): Promise<boolean> {
	try {
		const run = await world.host.server.client.runWorkflow(id, triggers[0]!.name);
		return run.waitingForWebhook === true;
	} catch (error) {
		if (error instanceof N8nRequestError) return false;
		throw error;
	}
}

/** Ends a test run. One that was interrupted is restarted and ended without faults. */
async function removeTestRun(world: World, workflow: ChaosWorkflow): Promise<void> {
	const { client } = world.host.server;
	if (workflow.listening) await client.stopListening(workflow.id);
	const hasWebhook = () =>
		world.webhooks.some(({ targetUrl }) =>
			workflow.triggers.some(({ testUrl }) => targetUrl.startsWith(`${testUrl}?`)),
		);
	await waitFor('the end of the test run', hasWebhook, (has) => !has, {
		timeoutMs: TEST_RUN_END_MS,
	}).catch(() => undefined);
	if (hasWebhook() && workflow.testRunDisturbed) {
		await listen(world, workflow);
		await client.stopListening(workflow.id);
	}
	workflow.listening = false;
	workflow.testRunDisturbed = false;
}

async function problemsAfter(world: World, remedy: Remedy): Promise<string[]> {
	if (remedy === 'restart') await world.restart('kill');
	if (remedy === 'user') {
		for (const workflow of world.workflows.filter(({ active }) => active)) {
			await world.setActive(workflow, false);
			await world.settled();
			await world.setActive(workflow, true);
		}
		await world.settled();
	}
	// A start removes no webhook to make room for another. The check a minute later does (D7).
	const isLimited = world.host.service.switches.maxHooks > 0;
	const waitsForCheck = remedy === 'restart' && isLimited;
	return pollProblems(() => differences(world), REMEDY_MS[waitsForCheck ? 'timer' : remedy]);
}

/**
 * Activates and deactivates the inactive workflows whose webhooks are left, as the documents say: n8n was killed, or the
 * service was out of reach, while a deactivation removed them in the background.
 * @returns the remaining problems
 */
async function removeLeftBehind(world: World, problems: string[]): Promise<string[]> {
	const left = world.workflows.filter(
		({ active, triggers }) =>
			!active &&
			triggers.some(({ webhookUrl }) =>
				world.ownWebhooks.some(({ targetUrl }) => targetUrl.startsWith(`${webhookUrl}?`)),
			),
	);
	if (left.length === 0) return problems;
	for (const workflow of left) {
		await world.setActive(workflow, true);
		await world.settled();
		await world.setActive(workflow, false);
		await world.settled();
	}
	return pollProblems(() => differences(world), UNAIDED_MS);
}

/** Resends activities that n8n has not accepted: at a rest it must accept them in time. */
async function rejectedWhenResent(world: World): Promise<string[]> {
	const resent = undelivered(world).slice(-MAX_RESENT);
	for (const id of resent) {
		for (const type of world.sent.get(id) ?? []) await world.send(type, id);
	}
	const remaining = new Set(undelivered(world));
	return resent.filter((id) => remaining.has(id)).map((id) => `not accepted when resent: ${id}`);
}

/** Repeats a check until it finds no problems or the time is up. @returns the remaining problems */
export async function pollProblems(
	check: () => Promise<string[]> | string[],
	timeoutMs: number,
): Promise<string[]> {
	const until = Date.now() + timeoutMs;
	let problems = await check();
	while (problems.length > 0 && Date.now() < until) {
		await pause(200);
		problems = await check();
	}
	return problems;
}

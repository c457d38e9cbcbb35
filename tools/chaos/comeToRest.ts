import { setTimeout as pause } from 'node:timers/promises';
import { waitFor } from '../host';
import { REMOVAL_GRACE_MS } from '../host/grace';
import { baseOf } from '../histories/events';
import type { Oracle } from '../histories/oracle';
import type { N8nWorld } from './n8nWorld';

/** What restores lost webhooks: the node's timer, or a restart of n8n. */
export type Remedy = 'timer' | 'restart';

/** The maximum time of each, in milliseconds: the timer runs every minute, and n8n checks every 10 s what to activate. */
const REMEDY_MS: Record<Remedy, number> = { timer: 75_000, restart: 25_000 };
/** The same without a remedy: a deactivation removes its webhooks in the background. */
const UNAIDED_MS = REMOVAL_GRACE_MS + 8_000;
/** The maximum delay of a request, in milliseconds: less than half the time n8n takes to start. */
export const MAX_DELAY_MS = 2_000;
/** The maximum time n8n takes to end a test run. */
const TEST_RUN_END_MS = 3_000;
/** The service's delivery timeout at a rest, in milliseconds. */
const CALM_DELIVERY_TIMEOUT_MS = 10_000;

/**
 * A period without faults. The service's webhooks must become the desired ones, n8n must accept a delivery to each, and
 * every accepted event must have run once.
 *
 * @throws if a check still fails after the time that recovery may take
 */
export async function comeToRest(oracle: Oracle, world: N8nWorld, remedy: Remedy): Promise<void> {
	await endFaults(oracle, world);
	await world.settled();
	await world.retryFailed();
	await removeTestRuns(world);
	const differences = () => oracle.differences();
	let problems = await pollProblems(differences, UNAIDED_MS);
	// Without faults, n8n must reach the desired state without a remedy.
	const isTroubled = oracle.troubles.size > 0;
	if (problems.length > 0 && isTroubled) {
		if (remedy === 'restart') {
			for (const workflow of world.workflows) oracle.beforeRestart(workflow);
			await world.restart(world.workflows[0]!, 'kill');
		}
		problems = await pollProblems(differences, REMEDY_MS.timer + REMEDY_MS[remedy]);
	}
	if (problems.length > 0 && isTroubled) problems = await removeLeftBehind(oracle, world);
	if (problems.length === 0) problems = await oracle.notAccepted();
	// After a start, the trigger reports with the next check.
	if (problems.length === 0) {
		problems = await pollProblems(() => oracle.executionProblems(), REMEDY_MS.timer);
	}
	if (problems.length > 0) throw new Error(`At rest:\n  ${problems.join('\n  ')}`);
	oracle.beginAgain();
}

/** Without faults, every deactivation must remove all webhooks of its workflow, and no others. @returns the problems */
export async function unpublishAll(oracle: Oracle, world: N8nWorld): Promise<string[]> {
	for (const workflow of world.workflows) {
		if (workflow.active) await world.unpublish(workflow, false);
	}
	await world.settled();
	return [
		...(await pollProblems(() => oracle.differences(), UNAIDED_MS)),
		...oracle.afterStep(),
		...(await oracle.executionProblems()),
	];
}

async function endFaults({ events, troubles }: Oracle, world: N8nWorld): Promise<void> {
	const { service } = world;
	service.clearFaults();
	service.setSwitches({ maxHooks: 0 });
	if (troubles.has('delay')) await pause(MAX_DELAY_MS);
	await events.delivered();
	service.setSwitches({ deliveryTimeoutMs: CALM_DELIVERY_TIMEOUT_MS, redeliveries: 0 });
}

/** Ends the test runs. One that was interrupted is restarted and ended without faults: the next one removes what it left. */
async function removeTestRuns(world: N8nWorld): Promise<void> {
	for (const workflow of world.workflows) {
		if (workflow.listening) await world.stopListening(workflow);
		const left = () => world.ofTestRuns(workflow).length;
		await waitFor('the end of the test run', left, (count) => count === 0, {
			timeoutMs: TEST_RUN_END_MS,
		}).catch(() => undefined);
		if (left() === 0) continue;
		await world.listen(workflow);
		await world.stopListening(workflow);
	}
}

/**
 * Activates and deactivates the inactive workflows whose webhooks are left, as the documents say: n8n was killed, or the
 * service was out of reach, while a deactivation removed them in the background.
 * @returns the remaining problems
 */
async function removeLeftBehind(oracle: Oracle, world: N8nWorld): Promise<string[]> {
	const bases = new Set(oracle.ownWebhooks.map(({ targetUrl }) => baseOf(targetUrl)));
	for (const workflow of world.workflows) {
		const isLeft = workflow.triggers.some(({ webhookUrl }) => bases.has(webhookUrl));
		if (workflow.active || !isLeft) continue;
		await world.publish(workflow, true);
		await world.unpublish(workflow, true);
	}
	return await pollProblems(() => oracle.differences(), UNAIDED_MS);
}

/** Repeats a check until it finds no problems or the time is up. @returns the remaining problems */
async function pollProblems(
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

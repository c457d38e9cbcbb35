import type { ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { createHash } from 'crypto';

import { createClient, type Client } from '../../api/createClient';
import type { RegisteredWebhook } from '../../model/registration';
import { digestOf } from '../../model/secret';
import type { Selection } from '../../model/selection';
import type { ActiveNode } from '../../runtime/activeNodes';
import { afterCheck, type Checked } from '../../runtime/health';
import { nodeKey } from '../../runtime/nodeKey';
import type { Runtime } from '../../runtime/runtime';
import { settle } from '../../utils/settle';
import { readSelection } from '../parameters';
import { applyPlan, type Applied } from '../reconcile/apply';
import { leftoversOf, lostEvents, reasonsIn, restOf } from '../reconcile/outcome';
import { planRegistration } from '../reconcile/plan';
import { reportProblem } from './report';

/** A number that is always the same for a node, and different for others: it spreads the checks in time. */
export function spread(id: string, range: number): number {
	return createHash('sha256').update(id).digest().readUInt32BE(0) % range;
}

/** The second of each minute in which a node's cron job runs. */
const secondOf = (id: string): number => spread(id, 60);

/** A timer may also be early, by a few milliseconds. */
const EARLIEST_MS = 500;

/**
 * Whether a node's check is due when its cron job runs. What counts is the minute for which the job was meant: in a busy
 * process it may run up to a minute late, in the next one.
 * @param now when it runs, in milliseconds since 1970
 */
export function isDue(id: string, everyMinutes: number, now: number): boolean {
	const minute = Math.floor((now + EARLIEST_MS - secondOf(id) * 1000) / 60_000);
	return everyMinutes >= 1 && (minute + spread(id, everyMinutes)) % everyMinutes === 0;
}

/**
 * Checks every few minutes whether the node's webhooks still exist, and restores them (D18); every minute while an
 * earlier change has left something to do, also when the repair interval is 0. n8n runs this in the one process that
 * leads. The start of n8n needs no check of its own: n8n calls `checkExists` then.
 */
export async function watch(ctx: ITriggerFunctions, runtime: Runtime): Promise<ITriggerResponse> {
	const selection = readSelection(ctx);
	if (ctx.getMode() === 'manual') return {};
	const { activeNodes } = runtime;
	const id = nodeKey(ctx);
	const every = Math.ceil(selection.repairMinutes);
	const unwatch = activeNodes.watch(ctx);
	let active = true;
	// Every minute at a second of its own; a cron expression could not say 'every 7 minutes, beginning at the third'.
	ctx.helpers.registerCron({ expression: `${secondOf(id)} * * * * *` }, () => {
		if (!active) return;
		if (activeNodes.get(ctx)?.incomplete === true || isDue(id, every, Date.now())) {
			void repair(ctx, runtime, selection);
		}
	});
	return {
		closeFunction: async () => {
			active = false;
			activeNodes.cancelRepair(ctx);
			unwatch();
			// n8n shuts down, or the workflow is deactivated: nothing must wait for more events.
			await runtime.batches.close(id, activeNodes.untilDeleted(ctx));
		},
	};
}

/**
 * Which webhooks' deliveries this process can still verify after a restart. Those that only a repair created are verified
 * by the secret that the current key gives: after a change of the key they are replaced, and work until then.
 */
async function byVerification(
	client: Client,
	{ webhooks, unsaved }: ActiveNode,
): Promise<{ verified: RegisteredWebhook[]; outdated: RegisteredWebhook[] }> {
	const outdated = new Set<RegisteredWebhook>();
	for (const webhook of webhooks) {
		const { id, digest, targetUrl, secretSetByUser } = webhook;
		if (secretSetByUser === true || !unsaved.has(id)) continue;
		if (digest !== digestOf(await client.secretFor(targetUrl))) outdated.add(webhook);
	}
	return {
		verified: webhooks.filter((webhook) => !outdated.has(webhook)),
		outdated: [...outdated],
	};
}

/**
 * One check: one GET when all is well. A failure removes nothing; the next check tries again. Only webhooks that were
 * registered in this process are checked, so a workflow whose activation failed, or that was just deactivated, stays as
 * it is.
 */
async function repair(
	ctx: ITriggerFunctions,
	runtime: Runtime,
	{ reportProblems }: Pick<Selection, 'reportProblems'>,
): Promise<void> {
	const { activeNodes } = runtime;
	const base = activeNodes.get(ctx)?.base;
	if (base === undefined) return;
	const begun = activeNodes.beginRepair(ctx);
	if (!begun) return;
	const { signal, end } = begun;
	const result = await settle(
		activeNodes.exclusively(ctx, base, async () => {
			const before = activeNodes.get(ctx);
			if (!before) return;
			const checked = await settle(check(ctx, runtime, before, signal));
			// Deactivated meanwhile: it must not become active again, and nobody needs to know.
			const node = activeNodes.get(ctx);
			if (signal.aborted || !node) return;
			const found = checked.ok ? checked.value : { failure: checked.error, restored: [] };
			if (found.failure) warnOfFailure(ctx, node, found.failure);
			const now = Date.now();
			const { health, report } = afterCheck(node.health, found, now);
			activeNodes.set(ctx, { ...node, health });
			if (report) reportProblem(ctx, node, report, { asExecution: reportProblems, now });
		}),
	);
	end();
	if (!result.ok) ctx.logger.error(result.error.message, { workflowId: ctx.getWorkflow().id });
}

/** The first of a row; the second is reported, and from then on the log need not repeat it every few minutes. */
function warnOfFailure(ctx: ITriggerFunctions, { health }: ActiveNode, failure: Error): void {
	if (health.failures > 0) return;
	ctx.logger.warn(
		`The webhooks of "${ctx.getNode().name}" could not be checked or restored: ${failure.message}. The next check tries again.`,
		{ workflowId: ctx.getWorkflow().id },
	);
}

/** @param signal aborted when the workflow is deactivated: no further request is sent then */
async function check(
	ctx: ITriggerFunctions,
	runtime: Runtime,
	node: ActiveNode,
	signal: AbortSignal,
): Promise<Checked> {
	const { activeNodes } = runtime;
	const client = createClient(ctx, runtime, { signal });
	const listed = await client.listWebhooks();
	const { verified, outdated } = await byVerification(client, node);
	const registered = [...verified, ...node.leftovers];
	const others = activeNodes.webhooksOfOthers(ctx);
	const plan = planRegistration({ ...node, listed, registered, others });
	if (plan.create.length > 0) runtime.derivedDigests.forget(nodeKey(ctx));
	const applied = await applyPlan(client, plan, listed, { others, mode: 'bestEffort' });
	if (signal.aborted) {
		// The removal that follows must know them: the service may not list them yet.
		const current = activeNodes.get(ctx);
		if (current) current.leftovers = [...current.leftovers, ...applied.created];
	}
	signal.throwIfAborted();
	const { created, failure, remaining } = applied;
	const leftovers = leftoversOf(applied, registered);
	const incomplete = failure !== undefined || remaining.length > 0 || applied.mayHaveDuplicates;
	const remainingIds = new Set(remaining.map(({ _id }) => _id));
	const unreplaced = outdated.filter(({ id }) => remainingIds.has(id));
	activeNodes.set(ctx, {
		...node,
		...restOf(applied, node.desired),
		webhooks: [...applied.webhooks, ...unreplaced],
		leftovers,
		unsaved: new Set([...node.unsaved, ...created.map(({ id }) => id)]),
		incomplete,
		atStart: failure ? node.atStart : undefined,
	});
	warnOfRefused(ctx, node, applied);
	// After a change of the API key, webhooks are replaced that worked until now.
	const before = new Set(node.webhooks.map(({ id }) => id));
	const worked = node.atStart ? listed : listed.filter(({ _id }) => before.has(_id));
	const restored = lostEvents(created, worked, node.atStart);
	return { failure, restored };
}

/** Webhooks that the service refuses to remove cost nobody an event, so the log is enough, and once is enough. */
function warnOfRefused(
	ctx: ITriggerFunctions,
	{ failedRemovals = new Set() }: ActiveNode,
	applied: Applied,
): void {
	const { remaining, removalFailures } = applied;
	if (removalFailures.length === 0 || remaining.every(({ _id }) => failedRemovals.has(_id))) return;
	ctx.logger.warn(
		`Not all webhooks of "${ctx.getNode().name}" could be removed: ${reasonsIn(applied)}. Each minute's check tries again.`,
		{ workflowId: ctx.getWorkflow().id },
	);
}

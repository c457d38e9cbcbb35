import type { IHookFunctions, ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { createHash } from 'crypto';

import { createClient, type Client } from '../../api/createClient';
import { START_POLICY } from '../../api/retryPolicy';
import { digestOf } from '../../model/secret';
import type { ActiveNode } from '../../runtime/activeNodes';
import { afterCheck, initialHealth } from '../../runtime/health';
import { nodeKey } from '../../runtime/nodeKey';
import type { Runtime } from '../../runtime/runtime';
import { settle } from '../../utils/settle';
import { reachFor, unreachableError } from './reach';
import { PENDING, reconcile, type Reconciled } from './reconcile';
import { reportProblem } from './report';

/** How often is checked while the parameters cannot be read, in minutes: the default of *Repair Interval*. */
const DEFAULT_MINUTES = 15;

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
 * earlier change has left something to do or the API key has changed, also when the repair interval is 0. n8n runs this in
 * the one process that leads.
 */
export async function watch(ctx: ITriggerFunctions, runtime: Runtime): Promise<ITriggerResponse> {
	if (ctx.getMode() === 'manual') return {};
	const { activeNodes } = runtime;
	const id = nodeKey(ctx);
	const unwatch = activeNodes.watch(ctx);
	let active = true;
	const tick = async (): Promise<void> => {
		const node = activeNodes.get(ctx);
		if (!active || !node) return;
		const every = Math.ceil(node.selection?.repairMinutes ?? DEFAULT_MINUTES);
		const isNow = node.retrySoon || isDue(id, every, Date.now());
		if (isNow || (await hasKeyChanged(ctx, runtime, node))) await check(ctx, runtime);
	};
	// Every minute at a second of its own; a cron expression could not say 'every 7 minutes, beginning at the third'.
	ctx.helpers.registerCron({ expression: `${secondOf(id)} * * * * *` }, () => void tick());
	return {
		closeFunction: async () => {
			active = false;
			unwatch();
			// n8n shuts down, or the workflow is deactivated: nothing must wait for more events.
			await runtime.batches.close(id, activeNodes.untilDeleted(ctx));
		},
	};
}

/** Whether the credential derives other secrets than when the webhooks were registered; asks the service nothing. */
async function hasKeyChanged(
	ctx: ITriggerFunctions,
	runtime: Runtime,
	{ webhooks }: ActiveNode,
): Promise<boolean> {
	const registered = webhooks.find(({ id }) => id !== PENDING);
	if (!registered) return false;
	const secret = await settle(createClient(ctx, runtime).secretFor(registered.targetUrl));
	// A credential that cannot be read now is the next check's concern.
	return secret.ok && digestOf(secret.value) !== registered.digest;
}

/**
 * One check: one GET when all is well. A failure removes nothing; the next check tries again. Only nodes that are active
 * in this process are checked, so a workflow whose activation failed, or that was just deactivated, stays as it is.
 * Never throws.
 * @param ctx of a start, which cannot report: the check after it does
 */
export async function check(
	ctx: ITriggerFunctions | IHookFunctions,
	runtime: Runtime,
): Promise<void> {
	const { activeNodes } = runtime;
	const base = activeNodes.get(ctx)?.base;
	const begun = activeNodes.beginCheck(ctx);
	if (base === undefined || !begun) return;
	const { signal, end } = begun;
	const result = await settle(
		activeNodes.exclusively(ctx, base, async () => {
			const before = activeNodes.get(ctx);
			if (!before) return;
			const client = createClient(ctx, runtime, { signal, policy: START_POLICY });
			const done = await settle(reconcileNode(ctx, runtime, client, before));
			// The removal that may follow must know what was created: the service may not list it yet.
			activeNodes.update(
				ctx,
				done.ok
					? { webhooks: done.value.webhooks, missing: done.value.missing }
					: { webhooks: before.webhooks },
			);
			// Deactivated meanwhile: nobody needs to know.
			if (signal.aborted || !activeNodes.get(ctx)) return;
			conclude(ctx, runtime, before, done.ok ? done.value : { failure: done.error });
		}),
	);
	end();
	if (!result.ok) ctx.logger.error(result.error.message, { workflowId: ctx.getWorkflow().id });
}

async function reconcileNode(
	ctx: ITriggerFunctions | IHookFunctions,
	runtime: Runtime,
	client: Client,
	{ base, desired, webhooks: known, health, unusable }: ActiveNode,
): Promise<Reconciled> {
	return await reconcile(
		{ ctx, runtime, client },
		{ base, desired, known, wasComplete: health.goodAt !== undefined },
		{
			removesNothing: unusable !== undefined,
			beforeChanges: async () => {
				const error = unreachableError(
					ctx.getNode(),
					{ base, known },
					await reachFor(client, base),
				);
				if (error) throw error;
			},
			expect: (webhooks) => runtime.activeNodes.update(ctx, { webhooks }),
		},
	);
}

/** What follows from a check, for the next one and for the user. */
function conclude(
	ctx: ITriggerFunctions | IHookFunctions,
	runtime: Runtime,
	{ health, selection, unusable }: ActiveNode,
	{ failure = unusable, lost = [], refused = new Map() }: Partial<Reconciled>,
): void {
	if (failure) warnOfFailure(ctx, health.failures, failure);
	warnOfRefused(ctx, runtime, refused);
	const now = Date.now();
	const checked = { failure, restored: lost };
	const retrySoon = failure !== undefined || refused.size > 0;
	if (!('emit' in ctx)) {
		const isToReport = retrySoon || lost.length > 0;
		runtime.activeNodes.update(ctx, { health: initialHealth(checked, now), retrySoon: isToReport });
		return;
	}
	const { health: after, report } = afterCheck(health, checked, now);
	runtime.activeNodes.update(ctx, { health: after, retrySoon });
	const node = runtime.activeNodes.get(ctx);
	const asExecution = selection?.reportProblems ?? true;
	if (report && node) reportProblem(ctx, node, report, { asExecution, now });
}

/** The first of a row; the second is reported, and from then on the log need not repeat it every few minutes. */
function warnOfFailure(
	ctx: ITriggerFunctions | IHookFunctions,
	failures: number,
	failure: Error,
): void {
	if (failures > 0) return;
	ctx.logger.warn(
		`The webhooks of "${ctx.getNode().name}" could not be checked or restored: ${failure.message}. The next check tries again.`,
		{ workflowId: ctx.getWorkflow().id },
	);
}

/** Webhooks that the service refuses to remove cost nobody an event, so the log is enough, and once is enough. */
export function warnOfRefused(
	ctx: ITriggerFunctions | IHookFunctions,
	runtime: Runtime,
	refused: ReadonlyMap<string, Error>,
): void {
	const unsaid = [...refused].filter(([id]) => runtime.once(`not removed ${id}`));
	if (unsaid.length === 0) return;
	const reasons = new Set(unsaid.map(([, { message }]) => message));
	ctx.logger.warn(
		`Not all webhooks of "${ctx.getNode().name}" could be removed: ${[...reasons].join('; ')}. Each minute's check tries again.`,
		{ workflowId: ctx.getWorkflow().id },
	);
}

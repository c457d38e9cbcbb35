import { NodeApiError, type IHookFunctions, type ITriggerFunctions } from 'n8n-workflow';

import { ALL_EVENTS } from '../../model/eventTypes';
import type { DesiredWebhook, RegisteredWebhook } from '../../model/registration';
import { settingsOf, type Hook } from '../../model/schemas';
import { mapConcurrently } from '../../utils/mapConcurrently';
import { settle } from '../../utils/settle';
import { deleteWebhook } from '../../api/webhooks';
import { createDesired } from './createDesired';
import type { Plan } from './plan';

/** How many requests of one node are under way at a time; the limiter decides when each may start. */
export const CONCURRENCY = 5;

export type RegistrationContext = IHookFunctions | ITriggerFunctions;

/** What came of a plan. */
export type Applied = {
	/** In force now: kept or created. */
	hooks: RegisteredWebhook[];
	created: RegisteredWebhook[];
	removed: Hook[];
	/** What the plan removes and is still there. */
	remaining: Hook[];
	/** Why a desired webhook could not be created; the first of several. */
	failure: Error | undefined;
	/** Why a webhook could not be removed. That never undoes what was created. */
	removalFailures: Error[];
};

export type ApplyOptions = {
	/** IDs of webhooks that belong to other nodes, whatever URL they have. */
	others: ReadonlySet<string>;
	/**
	 * `complete`: a user activates the workflow, who gets everything or an error. `bestEffort`: the node is active
	 * already, and every webhook that can be had counts.
	 */
	mode: 'complete' | 'bestEffort';
	/** Aborted when the workflow is deactivated: nothing further is started then. */
	signal?: AbortSignal | undefined;
};

/** Whether the service was out of reach, rather than refusing a request. */
const isOutage = (error: unknown): boolean =>
	error instanceof NodeApiError && (error.httpCode === null || /^(429|5..)$/.test(error.httpCode));

/**
 * Carries out a plan: creates first, so that no event falls into a gap, then removals. A service that refuses a create
 * may limit the number of webhooks: then what serves no event any more is removed first, and the create sent again.
 * While a desired webhook is missing, nothing that still serves an event is removed.
 */
export async function applyPlan(
	ctx: RegistrationContext,
	plan: Plan,
	listed: readonly Hook[],
	options: ApplyOptions,
): Promise<Applied> {
	const creates = new Creates(ctx, listed, options);
	await creates.send(plan.create);
	const removed: Hook[] = [];
	const removalFailures: Error[] = [];
	const removeAll = async (hooks: Hook[]): Promise<void> => {
		await mapConcurrently(hooks, CONCURRENCY, async (hook) => {
			options.signal?.throwIfAborted();
			// 'Not found' is fine here: gone is what it should be.
			const result = await settle(deleteWebhook(ctx, hook._id, { signal: options.signal }));
			if (result.ok) removed.push(hook);
			else removalFailures.push(result.error);
		});
	};

	if (creates.refused.length > 0) {
		await removeAll(plan.remove.filter((hook) => isInTheWay(hook, creates.missing, options)));
		if (removed.length > 0) await creates.send(creates.refused);
	}
	const remaining = () => plan.remove.filter((hook) => !removed.includes(hook));
	if (creates.missing.length === 0) await removeAll(remaining());
	return {
		hooks: [...plan.keep, ...creates.created],
		created: creates.created,
		removed,
		remaining: remaining(),
		failure: creates.failure,
		removalFailures,
	};
}

/** Whether a webhook can go before its successor is there: it does not work, or nothing that is missing relies on it. */
function isInTheWay(
	hook: Hook,
	missing: readonly DesiredWebhook[],
	{ mode }: ApplyOptions,
): boolean {
	const { type = ALL_EVENTS, disabled } = settingsOf(hook);
	// A user is there to see whether it works out, and no workflow relies on it yet.
	if (mode === 'complete' || disabled === true) return true;
	return type !== ALL_EVENTS && missing.every(({ event }) => ![type, ALL_EVENTS].includes(event));
}

/** The creates of a plan, and what came of each. */
class Creates {
	readonly created: RegisteredWebhook[] = [];

	private readonly failures = new Map<DesiredWebhook, Error>();

	constructor(
		private readonly ctx: RegistrationContext,
		private readonly listed: readonly Hook[],
		private readonly options: ApplyOptions,
	) {}

	get missing(): DesiredWebhook[] {
		return [...this.failures.keys()];
	}

	/** Those that the service refused, and that it may accept once there is room. */
	get refused(): DesiredWebhook[] {
		return [...this.failures].flatMap(([desired, error]) => (isOutage(error) ? [] : [desired]));
	}

	get failure(): Error | undefined {
		return [...this.failures.values()][0];
	}

	/** Creates what it can. After an outage, or a refusal that fails an activation, nothing further is started. */
	async send(desired: readonly DesiredWebhook[]): Promise<void> {
		const known = new Set(this.listed.map(({ _id }) => _id));
		let stop: Error | undefined;
		for (const one of desired) this.failures.delete(one);
		await mapConcurrently(desired, CONCURRENCY, async (one) => {
			this.options.signal?.throwIfAborted();
			if (stop) {
				this.failures.set(one, stop);
				return;
			}
			const result = await settle(createDesired(this.ctx, one, { known, ...this.options }));
			if (result.ok) {
				this.created.push(result.value);
				return;
			}
			this.failures.set(one, result.error);
			if (isOutage(result.error) || this.options.mode === 'complete') stop = result.error;
		});
	}
}

/**
 * Takes back what an activation that fails has created; what cannot be taken back is logged, and found by its URL the
 * next time.
 */
export async function undo(ctx: RegistrationContext, created: RegisteredWebhook[]): Promise<void> {
	await mapConcurrently(created, CONCURRENCY, async ({ id, event }) => {
		const result = await settle(deleteWebhook(ctx, id));
		if (result.ok) return;
		ctx.logger.warn(
			`Webhook ${id} (${event}) could not be removed after an activation that failed: ${result.error.message}. The next activation of the workflow removes it.`,
		);
	});
}

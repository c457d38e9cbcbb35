import type { Logger } from 'n8n-workflow';

import type { Client } from '../../api/createClient';
import { isOutage } from '../../api/errors';
import { ALL_EVENTS } from '../../model/eventTypes';
import type { DesiredWebhook, RegisteredWebhook } from '../../model/registration';
import { settingsOf, type Webhook } from '../../model/schemas';
import { mapConcurrently } from '../../utils/mapConcurrently';
import { settle } from '../../utils/settle';
import { createDesired, type CreateDesiredOptions } from './createDesired';
import type { Plan } from './plan';

/** The result of a plan. */
export type Applied = {
	/** In force now: kept or created. */
	webhooks: RegisteredWebhook[];
	created: RegisteredWebhook[];
	removed: Webhook[];
	/** Removals of the plan that are still there. */
	remaining: Webhook[];
	/** Why a desired webhook could not be created; the first of several. */
	failure: Error | undefined;
	/** Why a webhook could not be removed. That never undoes what was created. */
	removalFailures: Error[];
	/** Whether a create was sent again, because no response came: there may be two webhooks, of which a check removes one. */
	mayHaveDuplicates: boolean;
};

export type ApplyOptions = Pick<CreateDesiredOptions, 'others'> & {
	/**
	 * `complete`: a user activates the workflow, who gets everything or an error. `bestEffort`: the node is active
	 * already, and every webhook that can be created counts.
	 */
	mode: 'complete' | 'bestEffort';
	/** On the clock of `performance.now()`: after that, nothing further is begun. */
	until?: number | undefined;
};

/** Why a request was not begun. */
const OUT_OF_TIME = "n8n's start did not leave enough time to change all webhooks";

const isOver = ({ until }: ApplyOptions): boolean =>
	until !== undefined && performance.now() > until;

/**
 * Carries out a plan: creates first, so that no event falls into a gap, then removals. A service that refuses a create
 * may limit the number of webhooks: then what serves no event any more is removed first, and the create sent again.
 * While a desired webhook is missing, nothing that still serves an event is removed.
 */
export async function applyPlan(
	client: Client,
	plan: Plan,
	listed: readonly Webhook[],
	options: ApplyOptions,
): Promise<Applied> {
	const creates = new Creates(client, listed, options);
	await creates.send(plan.create);
	const removed: Webhook[] = [];
	const removalFailures: Error[] = [];
	const removeAll = async (webhooks: Webhook[]): Promise<void> => {
		await mapConcurrently(webhooks, async (webhook) => {
			if (isOver(options)) {
				removalFailures.push(new Error(OUT_OF_TIME));
				return;
			}
			const result = await settle(client.deleteWebhook(webhook._id));
			if (result.ok) removed.push(webhook);
			else removalFailures.push(result.error);
		});
	};

	if (creates.rejected.length > 0) {
		await removeAll(plan.remove.filter((webhook) => isInTheWay(webhook, creates.missing, options)));
		if (removed.length > 0) await creates.send(creates.rejected);
	}
	const remaining = () => plan.remove.filter((webhook) => !removed.includes(webhook));
	if (creates.missing.length === 0) await removeAll(remaining());
	return {
		webhooks: [...plan.keep, ...creates.created],
		created: creates.created,
		removed,
		remaining: remaining(),
		failure: creates.failure,
		removalFailures,
		mayHaveDuplicates: creates.mayHaveDuplicates,
	};
}

/** Whether a webhook can go before its successor is there: it does not work, or nothing that is missing relies on it. */
function isInTheWay(
	webhook: Webhook,
	missing: readonly DesiredWebhook[],
	{ mode }: ApplyOptions,
): boolean {
	const { type = ALL_EVENTS, disabled } = settingsOf(webhook);
	// A user is there to see whether it works out, and no workflow relies on it yet.
	if (mode === 'complete' || disabled === true) return true;
	return type !== ALL_EVENTS && missing.every(({ event }) => ![type, ALL_EVENTS].includes(event));
}

/** The creates of a plan, and the outcome of each. */
class Creates {
	readonly created: RegisteredWebhook[] = [];

	mayHaveDuplicates = false;

	private readonly failures = new Map<DesiredWebhook, Error>();

	constructor(
		private readonly client: Client,
		private readonly listed: readonly Webhook[],
		private readonly options: ApplyOptions,
	) {}

	get missing(): DesiredWebhook[] {
		return [...this.failures.keys()];
	}

	/** Those that the service rejected, and that it may accept once there is room. */
	get rejected(): DesiredWebhook[] {
		return [...this.failures].flatMap(([desired, error]) => (isOutage(error) ? [] : [desired]));
	}

	get failure(): Error | undefined {
		return [...this.failures.values()][0];
	}

	/** Creates what it can. After an outage, or a rejection that fails an activation, nothing further is started. */
	async send(desired: readonly DesiredWebhook[]): Promise<void> {
		const known = new Set(this.listed.map(({ _id }) => _id));
		let stop: Error | undefined;
		for (const one of desired) this.failures.delete(one);
		await mapConcurrently(desired, async (one) => {
			if (isOver(this.options)) stop ??= new Error(OUT_OF_TIME);
			if (stop) {
				this.failures.set(one, stop);
				return;
			}
			const onPossibleDuplicate = () => {
				this.mayHaveDuplicates = true;
			};
			const result = await settle(
				createDesired(this.client, one, { known, onPossibleDuplicate, ...this.options }),
			);
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
 * Removes what a failing activation has created. What cannot be removed is logged; the next activation finds it by its
 * target URL.
 */
export async function undo(
	client: Client,
	created: readonly RegisteredWebhook[],
	logger: Logger,
): Promise<void> {
	await mapConcurrently(created, async ({ id, event }) => {
		const result = await settle(client.deleteWebhook(id));
		if (result.ok) return;
		logger.warn(
			`Webhook ${id} (${event}) could not be removed after an activation that failed: ${result.error.message}. The next activation of the workflow removes it.`,
		);
	});
}

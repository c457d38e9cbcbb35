/** The creates of a change, and the outcome of each. */
import type { Client } from '../../api/client';
import {
	isCancelled,
	isConflict,
	isCutOff,
	isOutage,
	mayBeDone,
	RequestError,
} from '../../api/errors';
import {
	asHidden,
	isSameAtService,
	type DesiredWebhook,
	type RegisteredWebhook,
} from '../../domain/registration';
import { isSameUrl } from '../../domain/targetUrl';
import type { WebhookBase } from '../../domain/triggerUrl';
import type { Webhook } from '../../domain/webhook';
import type { OpenCreate } from '../../runtime/openCreates';
import type { Runtime } from '../../runtime/runtime';
import { mapConcurrently } from '../../utils/concurrency';
import { settle } from '../../utils/settle';
import type { Context } from './context';
import { idsRegisteredBy, mayBeResultOf, registeredAs, resultIn } from './createResults';
import { handleLateOutcome } from './lateOutcome';
import type { Occasion } from './occasions';
import type { Decision } from './plan';
import type { Removals } from './removals';
import { sendCreate, waitForEnd } from './sendCreate';
import type { Situation } from './situation';

/** What the creates need to know of their change. */
type Change = {
	ctx: Context;
	runtime: Runtime;
	base: WebhookBase;
	client: Client;
	occasion: Occasion;
	situation: Situation;
	removals: Removals;
};

/**
 * Why no webhook is known for a decision, and what that says of other creates:
 *
 * - `refused`: the service has refused the create, or another one after which this one was not sent. It may accept both once
 *   other webhooks are out of the way.
 * - `leftToList`: the service does not say clearly whether there is a webhook. The create stays open, and the next change's list
 *   tells. Or this create was not sent after such a one, because the change fails anyway.
 * - `concernsAll`: no other create would fare better, for example during an outage, or after the change was cancelled.
 * - `waits`: nothing was sent, because a create of an earlier change is still open (D81).
 */
export type NotMade = {
	error: Error;
	kind: 'refused' | 'leftToList' | 'concernsAll' | 'waits';
};

/** A webhook that exists now, or why none is known. */
type CreateOutcome = { webhook: RegisteredWebhook } | NotMade;

/** How a change waits for the outcome of a create. */
type CreateWait = {
	open: OpenCreate;
	/** What it says of the other creates if it stays open, because the service may still carry it out or it may be sent again. */
	ifStillOpen: 'waits' | 'concernsAll';
	/** Whether it is sent once more if its connection is cut off, and the list shows no webhook. */
	mayBeSentAgain: boolean;
};

/** The creates of a change (§4.2), and the outcome of each. */
export class Creates {
	/**
	 * The webhooks that exist now: created, or there already, as the service says, although the list hides them. Each stands with
	 * its decision, as the plan has it.
	 */
	readonly made = new Map<Decision, RegisteredWebhook>();

	/** Why no webhook is known for the other decisions. */
	readonly notMade = new Map<Decision, NotMade>();

	constructor(private readonly change: Change) {}

	/**
	 * Creates webhooks, as many as it can. After an error that concerns all creates, or that fails an activation or a test
	 * run, no further create is sent. Never throws.
	 */
	async createAll(decisions: readonly Decision[]): Promise<void> {
		let stoppedBy: NotMade | undefined;
		await mapConcurrently(decisions, async (decision) => {
			// Creates that are no longer sent have the outcome of the one that has stopped them.
			const outcome = stoppedBy ?? (await this.createOne(decision));
			if ('webhook' in outcome) {
				this.made.set(decision, outcome.webhook);
				// If room was made, an earlier attempt was refused.
				this.notMade.delete(decision);
				return;
			}
			this.notMade.set(decision, outcome);
			if (this.stopsOthers(outcome)) stoppedBy = outcome;
		});
	}

	/** Whether no further create is sent after an outcome. */
	private stopsOthers({ kind }: NotMade): boolean {
		if (kind === 'waits') return false;
		if (kind === 'concernsAll') return true;
		// An activation or a test run fails if this one cannot be created, perhaps after room was made for it. Until then, further
		// webhooks would only have to be removed again.
		return this.change.occasion.onRefusal === 'removeOthers';
	}

	/** Creates a webhook, or waits for the create that is already open for it. */
	private async createOne(decision: Decision): Promise<CreateOutcome> {
		const { desired } = decision;
		const earlier = this.openCreateOf(desired);
		return await this.outcomeOf(decision, {
			open: earlier ?? (await this.send(desired)),
			// That the create of an earlier change takes long says nothing of the others of this one.
			ifStillOpen: earlier ? 'waits' : 'concernsAll',
			mayBeSentAgain: true,
		});
	}

	/** Creates a webhook once more: a connection is often cut off before the service has read the request. */
	private async createAgain(decision: Decision): Promise<CreateOutcome> {
		const open = await this.send(decision.desired);
		return await this.outcomeOf(decision, {
			open,
			ifStillOpen: 'concernsAll',
			mayBeSentAgain: false,
		});
	}

	/**
	 * The create that is open for a desired webhook: mostly of an earlier change. It is of this one if it was cut off and sent once
	 * more, that second create was refused, and room was made: then the first one is still open.
	 */
	private openCreateOf(desired: DesiredWebhook): OpenCreate | undefined {
		const { ctx, runtime, base } = this.change;
		// One that was sent with another API key, or to another service, does not count: nobody desires its webhook any more, which
		// is removed once the outcome is known.
		return runtime.openCreates.of(ctx, base).find((open) => isSameAtService(open.desired, desired));
	}

	private async send(desired: DesiredWebhook): Promise<OpenCreate> {
		const { ctx, runtime, base, client, situation } = this.change;
		return await sendCreate(client, desired, {
			listed: situation.listed,
			onSent: (open) => runtime.openCreates.add(ctx, base, open),
		});
	}

	/**
	 * The outcome of an open create, for whose end this waits as long as the occasion allows. The create is closed if there is a
	 * webhook, or certainly none. Otherwise it stays open: the next change's list tells, or its late end.
	 */
	private async outcomeOf(decision: Decision, waiting: CreateWait): Promise<CreateOutcome> {
		const { open, ifStillOpen } = waiting;
		const { ctx, runtime, base, client, occasion } = this.change;
		const { openCreates } = runtime;
		const waited = await waitForEnd(open, client, occasion.policy.timeoutMs);
		// This change no longer waits. The create goes on without it, and stays open, so that nobody sends a second one.
		if (!waited.hasEnded) {
			void handleLateOutcome(ctx, runtime, { base, client: client.uncancellable(), open });
			const { error } = waited;
			return { error, kind: isCancelled(error) ? 'concernsAll' : ifStillOpen };
		}
		const { end } = waited;
		if (end.ok) {
			openCreates.close(open);
			return this.outcomeOfReturned(decision, open, end.value);
		}
		const { error } = end;
		// The service may still make the webhook, so the create stays open, too.
		if (!open.isDoneWithout) return { error, kind: ifStillOpen };
		if (mayBeDone(error)) return await this.outcomeOfUnclear(decision, waiting, error);
		openCreates.close(open);
		if (isConflict(error)) return this.outcomeOfTakenUrl(decision);
		return this.withoutWebhook(error, 'refused');
	}

	/** The outcome of a create whose error does not say whether there is a webhook: the list may tell. */
	private async outcomeOfUnclear(
		decision: Decision,
		{ open, mayBeSentAgain }: CreateWait,
		error: Error,
	): Promise<CreateOutcome> {
		const result = await settle(this.resultInNewList(open));
		if (result.ok && result.value) {
			this.change.runtime.openCreates.close(open);
			return this.outcomeOfReturned(decision, open, result.value);
		}
		// The list may be late, or could not be read: the create stays open, and the next change looks for its webhook.
		if (mayBeSentAgain && isCutOff(error) && result.ok) return await this.createAgain(decision);
		return this.withoutWebhook(error, 'leftToList');
	}

	/** The webhook that an open create has made, in a fresh list; undefined when the list shows none. */
	private async resultInNewList(open: OpenCreate): Promise<Webhook | undefined> {
		return resultIn(await this.change.client.listAgain(), open, this.takenIds(open));
	}

	/** The outcome of a create for which the service has returned a webhook, which may be an earlier one, or its list shows one. */
	private outcomeOfReturned(decision: Decision, open: OpenCreate, webhook: Webhook): CreateOutcome {
		const { situation } = this.change;
		const registeredBefore = situation.registered.find(({ id }) => id === webhook._id);
		const wasListed = open.listedBefore.has(webhook._id);
		// A service that updates the webhook of a target URL in place may return a webhook that its list does not show (D82).
		const isOwnUnlisted = registeredBefore?.digest === open.desired.digest && !wasListed;
		if (isOwnUnlisted) return { webhook: asHidden(registeredAs(open, webhook)) };
		if (mayBeResultOf(open, webhook, this.takenIds(open)))
			return { webhook: registeredAs(open, webhook) };
		// The service has returned an existing webhook in place of a new one, because the target URL is taken (D7). That one has
		// another secret, or has just become the webhook of another desired one.
		return this.outcomeOfTakenUrl(decision);
	}

	/** The IDs of webhooks that are registered, or that this change has made already: none is the result of the create in question. */
	private takenIds({ desired: { serviceId } }: OpenCreate): ReadonlySet<string> {
		const { ctx, runtime, situation } = this.change;
		const own = [...situation.registered, ...this.made.values()];
		return idsRegisteredBy(ctx, runtime, own, serviceId);
	}

	/** The outcome of a create whose target URL is taken: perhaps by the node's own webhook, which then stays. */
	private outcomeOfTakenUrl({ desired, predecessor }: Decision): CreateOutcome {
		const { situation, removals } = this.change;
		const isListed = situation.listed.some(({ targetUrl }) =>
			isSameUrl(targetUrl, desired.targetUrl),
		);
		// The registered webhook has the URL although the list does not show it, and the service has refused to replace it
		// (D82). It stays, and is not replaced again.
		if (!isListed && predecessor && !removals.done.has(predecessor.id)) {
			return { webhook: asHidden(predecessor) };
		}
		return { error: URL_TAKEN, kind: 'refused' };
	}

	/**
	 * The outcome of a create after which no webhook is known.
	 * @param kind the kind of the outcome, unless the error concerns all creates
	 */
	private withoutWebhook(error: Error, kind: 'refused' | 'leftToList'): NotMade {
		// An error of n8n's own, an outage, and a cancellation in the meantime concern all creates.
		const concernsAll =
			!(error instanceof RequestError) ||
			isOutage(error) ||
			isCancelled(error) ||
			this.change.client.signal?.aborted === true;
		return { error, kind: concernsAll ? 'concernsAll' : kind };
	}
}

/**
 * The error for a target URL that is taken. A service may allow each target URL only once, and compare them without their
 * query, in which the webhooks of a node differ.
 */
const URL_TAKEN = new RequestError(
	'conflict',
	{
		message: 'The service refuses the target URL of this workflow: another webhook already has it',
		description:
			"Find the other webhook with the operation 'Get Many', and delete it if nobody needs it. If it belongs to this workflow, set the option 'Webhooks: Subscription' to 'One Webhook for Everything', and select no lead state. If it is not listed, another team may have it: add a new trigger node to this workflow, which gets a different target URL.",
	},
	{ status: 409 },
);

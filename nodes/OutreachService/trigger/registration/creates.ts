/** The creates of a change, and the outcome of each. */
import type { Client } from '../../api/client';
import { isCancelled, isOutage, RequestError, settleRequest } from '../../api/errors';
import type { DesiredWebhook, RegisteredWebhook } from '../../domain/registration';
import { isSameUrl } from '../../domain/targetUrl';
import type { Webhook } from '../../domain/webhook';
import type { CreateEnd, OpenCreate, OpenCreates } from '../../runtime/openCreates';
import { mapConcurrently } from '../../utils/concurrency';
import { settle } from '../../utils/settle';
import { registeredAs, resultIn } from './createResults';
import type { Occasion } from './occasions';
import type { Decision, Situation } from './plan';
import type { Removals } from './removals';
import { sendCreate, waitForEnd } from './sendCreate';

/** What the creates need to know of their change. */
type Change = {
	client: Client;
	openCreates: OpenCreates;
	/** Identifies the node's webhooks, see `registrationKey`. */
	key: string;
	occasion: Occasion;
	situation: Situation;
	removals: Removals;
	/** Called when a create ends for which this change no longer waits; another one may. */
	onLateOutcome: (open: OpenCreate, end: CreateEnd) => void;
};

/**
 * What came of a create:
 *
 * - `exists`: there is a webhook, created now, or there already, as the service says, although the list hides it.
 * - `refused`: the service said no. It may say yes once other webhooks are out of the way.
 * - `unclear`: the service has responded, and does not say clearly whether there is a webhook.
 * - `cutOff`: the connection was cut off, and the list does not show a webhook.
 * - `noResponse`: it is not known yet. The service would not respond to another create either.
 * - `waiting`: nothing was sent, because a create of an earlier change is still open (D81).
 * - `failed`: anything else, such as an outage or a cancelled change. No other create would fare better.
 */
type CreateOutcome =
	| { kind: 'exists'; webhook: RegisteredWebhook }
	| {
			kind: 'refused' | 'unclear' | 'cutOff' | 'noResponse' | 'waiting' | 'failed';
			error: Error;
	  };

/** The creates of a change (§4.2), and the outcome of each. */
export class Creates {
	/** The latest outcome for each desired webhook. */
	private readonly outcomes = new Map<Decision, CreateOutcome>();

	constructor(private readonly change: Change) {}

	/** The webhooks that exist now, by the decisions that asked for them. */
	get existing(): Map<Decision, RegisteredWebhook> {
		const existing = new Map<Decision, RegisteredWebhook>();
		for (const [decision, outcome] of this.outcomes) {
			if (outcome.kind === 'exists') existing.set(decision, outcome.webhook);
		}
		return existing;
	}

	/** Why there is no webhook for the other decisions. */
	get errors(): Map<Decision, Error> {
		const errors = new Map<Decision, Error>();
		for (const [decision, outcome] of this.outcomes) {
			if (outcome.kind !== 'exists') errors.set(decision, outcome.error);
		}
		return errors;
	}

	/** The decisions that only wait for the create of an earlier change. */
	get waiting(): Decision[] {
		return this.decisionsOf('waiting');
	}

	/** The decisions whose creates the service refused. */
	get refused(): Decision[] {
		return this.decisionsOf('refused');
	}

	private decisionsOf(kind: CreateOutcome['kind']): Decision[] {
		return [...this.outcomes]
			.filter(([, outcome]) => outcome.kind === kind)
			.map(([decision]) => decision);
	}

	/**
	 * Creates webhooks, as many as it can. After an outage, or a refusal that fails an activation, no further create is sent.
	 * Never throws.
	 */
	async createAll(decisions: readonly Decision[]): Promise<void> {
		let last: CreateOutcome | undefined;
		await mapConcurrently(decisions, async (decision) => {
			const outcome = last ?? (await this.createOne(decision));
			this.outcomes.set(decision, outcome);
			if (this.isLast(outcome)) last = outcome;
		});
	}

	/** Whether no further create is sent after an outcome. */
	private isLast({ kind }: CreateOutcome): boolean {
		switch (kind) {
			case 'exists':
			case 'waiting':
				return false;
			case 'failed':
			case 'noResponse':
				return true;
			case 'refused':
			case 'unclear':
			case 'cutOff':
				return this.change.occasion.onRefusal === 'removeAll';
		}
	}

	/** Creates a webhook, or waits for a create of an earlier change that is still open. */
	private async createOne(decision: Decision): Promise<CreateOutcome> {
		const earlier = this.earlierCreateOf(decision.desired);
		const create = earlier ?? (await this.send(decision.desired));
		const outcome = await this.outcomeOf(decision, create);
		// That the create of an earlier change takes long says nothing of the others of this one.
		if (outcome.kind === 'noResponse' && earlier) return { ...outcome, kind: 'waiting' };
		if (outcome.kind !== 'cutOff') return outcome;
		// A connection is often cut off before the service has read the request, so the create is sent once more. The first one
		// stays open, in case the list was late.
		const again = await this.outcomeOf(decision, await this.send(decision.desired));
		return again.kind === 'cutOff' ? this.withoutWebhook('unclear', again.error) : again;
	}

	/** The create of an earlier change that is still open for a desired webhook. */
	private earlierCreateOf(desired: DesiredWebhook): OpenCreate | undefined {
		const { openCreates, key } = this.change;
		// One that was sent with another API key does not count. Its webhook will have another secret: its deliveries are
		// refused, and a later change removes it.
		return openCreates
			.of(key)
			.find(
				(open) =>
					open.desired.targetUrl === desired.targetUrl && open.desired.digest === desired.digest,
			);
	}

	private async send(desired: DesiredWebhook): Promise<OpenCreate> {
		const { client, openCreates, key, situation } = this.change;
		return await sendCreate(client, openCreates, desired, { key, listed: situation.listed });
	}

	/** Waits for the end of an open create, for as long as the occasion allows, and closes it if its outcome is known. */
	private async outcomeOf(decision: Decision, open: OpenCreate): Promise<CreateOutcome> {
		const { client, openCreates, key, occasion, onLateOutcome } = this.change;
		const waited = await settleRequest(waitForEnd(open, client, occasion.policy.timeoutMs));
		if (!waited.ok) {
			// The create goes on without this change, and stays open, so that nobody sends a second one.
			const handleEnd = async (): Promise<void> => onLateOutcome(open, await open.end);
			void handleEnd();
			const error = waited.error.asMaybeDone();
			return { kind: isCancelled(error) ? 'failed' : 'noResponse', error };
		}
		const end = waited.value;
		switch (end.kind) {
			case 'made':
				openCreates.close(key, open);
				return this.outcomeOfMade(decision, open, end.webhook);

			case 'urlTaken':
				openCreates.close(key, open);
				return this.outcomeOfTaken(decision);

			// The create may succeed once other webhooks are out of the way.
			case 'notMade':
				openCreates.close(key, open);
				return this.withoutWebhook('refused', end.error);

			// The service is done, so its list may tell what the response did not.
			case 'unclear':
			case 'cutOff': {
				const result = await settle(this.resultInNewList(open));
				if (result.ok && result.value) {
					openCreates.close(key, open);
					return this.outcomeOfMade(decision, open, result.value);
				}
				// The list may be late, or could not be read: the create stays open, and the next change looks for its webhook.
				if (end.kind === 'cutOff' && result.ok) return { kind: 'cutOff', error: end.error };
				return this.withoutWebhook('unclear', end.error);
			}

			// The service may still make the webhook, so the create stays open, too.
			case 'noResponse':
				return { kind: 'noResponse', error: end.error };

			case 'cancelled':
				return { kind: 'failed', error: end.error };
		}
	}

	/** The webhook that an open create has made, in a fresh list; undefined when the list shows none. */
	private async resultInNewList(open: OpenCreate): Promise<Webhook | undefined> {
		const { client, situation } = this.change;
		const registeredIds = new Set(situation.registered.map(({ id }) => id));
		return resultIn(await client.listAgain(), open, registeredIds);
	}

	/** The outcome of a create for which the service has returned a webhook, or its list shows one. */
	private outcomeOfMade(decision: Decision, open: OpenCreate, webhook: Webhook): CreateOutcome {
		const { situation } = this.change;
		const registeredBefore = situation.registered.find(({ id }) => id === webhook._id);
		const existed = open.listedBefore.has(webhook._id);
		// A service that updates the webhook of a target URL in place may return a webhook that its list does not show (D82).
		if (registeredBefore?.digest === open.desired.digest && !existed) {
			return { kind: 'exists', webhook: { ...registeredAs(open, webhook), evidence: 'hidden' } };
		}
		// The service has returned an existing webhook in place of a new one, because the target URL is taken (D7). That one has
		// another secret, or has just become the webhook of another desired one.
		const isOfOther = [...this.existing.values()].some(({ id }) => id === webhook._id);
		if (registeredBefore || existed || isOfOther) return this.outcomeOfTaken(decision);
		return { kind: 'exists', webhook: registeredAs(open, webhook) };
	}

	/** The outcome of a create whose target URL is taken. */
	private outcomeOfTaken({ desired, predecessor }: Decision): CreateOutcome {
		const { situation, removals } = this.change;
		const isListed = situation.listed.some(({ targetUrl }) =>
			isSameUrl(targetUrl, desired.targetUrl),
		);
		// The registered webhook has the URL although the list does not show it, and the service has refused to replace it
		// (D82). It stays, and is not replaced again.
		if (!isListed && predecessor && !removals.done.has(predecessor.id)) {
			return { kind: 'exists', webhook: { ...predecessor, evidence: 'hidden' } };
		}
		return { kind: 'refused', error: URL_TAKEN };
	}

	/** The outcome of a create after which no webhook is known. @param kind what it is if another create may fare better */
	private withoutWebhook(kind: 'refused' | 'unclear', error: Error): CreateOutcome {
		// An error of n8n's own, an outage, and a cancellation in the meantime concern all creates.
		const concernsAll =
			!(error instanceof RequestError) ||
			isOutage(error) ||
			this.change.client.signal?.aborted === true;
		return { kind: concernsAll ? 'failed' : kind, error };
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
			"Find the other webhook with the operation 'Get Many', and delete it if nobody needs it. If it belongs to this workflow, set the option 'Webhooks: Subscription' to 'One Webhook for Everything'. If it is not listed, another team has it: add a new trigger node to this workflow, which gets a different target URL.",
	},
	{ status: 409 },
);

/** The creates of a change, and the outcome of each. */
import type { Client } from '../../api/client';
import { isCancelled, isOutage, RequestError, settleRequest } from '../../api/errors';
import { connectionError } from '../../api/noResponse';
import { within } from '../../api/within';
import type { DesiredWebhook, RegisteredWebhook } from '../../domain/registration';
import { isSameUrl } from '../../domain/targetUrl';
import type { Webhook } from '../../domain/webhook';
import {
	endOf,
	type CreateEnd,
	type OpenCreate,
	type OpenCreates,
} from '../../runtime/openCreates';
import { mapConcurrently } from '../../utils/concurrency';
import { deferred } from '../../utils/deferred';
import { settle } from '../../utils/settle';
import type { Occasion } from './occasions';
import type { Decision, Situation } from './plan';
import type { Removals } from './removals';

/**
 * How long the response to a create of a trigger may take, in milliseconds. Services were seen to take 45 seconds; whoever
 * sends the create does not wait that long (D81).
 */
const LONGEST_CREATE_MS = 120_000;

/** What an error says of a create whose response takes too long. */
const OUTCOME_UNKNOWN =
	'Whether the webhook was created is not known yet. n8n waits for its outcome for ten minutes, and creates no second one meanwhile.';

/** The webhook that an open create has made, as a list shows it; undefined while the list shows none. */
const resultIn = (
	listed: readonly Webhook[],
	{ desired, listedBefore }: OpenCreate,
	registeredIds: ReadonlySet<string>,
): Webhook | undefined =>
	listed.find(
		(webhook) =>
			!listedBefore.has(webhook._id) &&
			!registeredIds.has(webhook._id) &&
			isSameUrl(webhook.targetUrl, desired.targetUrl),
	);

/** A webhook that a create has made, as a registered webhook. */
export const registeredAs = (
	{ desired: { event, targetUrl, digest, serviceId } }: OpenCreate,
	{ _id: id }: Webhook,
): RegisteredWebhook => ({ id, event, targetUrl, digest, serviceId, evidence: 'created' });

/**
 * Lists the webhooks, finds those that open creates have made, and closes the creates whose outcome the list tells (D81).
 * @param key identifies the node's webhooks, see `registrationKey`
 * @param registered the webhooks that are registered already, and so are no results of these creates
 * @returns the list, and the webhooks that these creates have made
 * @throws RequestError when the webhooks cannot be listed
 */
export async function listAndClose(
	client: Client,
	openCreates: OpenCreates,
	key: string,
	registered: readonly RegisteredWebhook[],
	{ desiresNothing }: Occasion,
): Promise<{ listed: Webhook[]; results: RegisteredWebhook[] }> {
	// The list tells the outcome of those creates that had failed before it was requested, so they are noted first. A removal
	// creates nothing, so a failed create costs nothing while it stays open, and a late list may still show its webhook.
	const failedBefore = desiresNothing
		? []
		: openCreates.of(key).filter(({ hasFailed }) => hasFailed);
	const listed = await client.listAgain();
	const results: RegisteredWebhook[] = [];
	const takenIds = new Set(registered.map(({ id }) => id));
	// A create that has failed may have been sent once more: the one that has not failed has more likely made the webhook.
	const all = openCreates.of(key);
	const failed = all.filter(({ hasFailed }) => hasFailed);
	const others = all.filter(({ hasFailed }) => !hasFailed);
	for (const open of [...others, ...failed]) {
		// If the API key has changed meanwhile, creates with two secrets may be open for the URL, and the list shows no secrets.
		const isSecretClear = all.every(
			({ desired: { targetUrl, digest } }) =>
				targetUrl !== open.desired.targetUrl || digest === open.desired.digest,
		);
		const result = isSecretClear ? resultIn(listed, open, takenIds) : undefined;
		if (result) {
			takenIds.add(result._id);
			results.push(registeredAs(open, result));
		}
		if (result || failedBefore.includes(open)) openCreates.close(key, open);
	}
	openCreates.closeExpired(key);
	return { listed, results };
}

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
 * - `waiting`: nothing was sent, because a create of an earlier change is still open (D81).
 * - `failed`: anything else, such as an outage or a cancelled change. No other create would fare better.
 */
type CreateOutcome =
	| { kind: 'exists'; webhook: RegisteredWebhook }
	| { kind: 'refused' | 'unclear' | 'waiting' | 'failed'; error: Error };

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
		if (kind === 'exists' || kind === 'waiting') return false;
		return kind === 'failed' || this.change.occasion.onRefusal === 'removeAll';
	}

	/**
	 * Creates a webhook, or waits for a create of an earlier change that is still open.
	 * @param isRepeated whether the create is sent once more, although that of the first attempt is still open
	 */
	private async createOne(decision: Decision, isRepeated = false): Promise<CreateOutcome> {
		const { desired } = decision;
		const { openCreates, key } = this.change;
		// One that was sent with another API key does not count. Its webhook will have another secret: its deliveries are
		// refused, and a later change removes it.
		const isEarlier = (open: OpenCreate): boolean =>
			open.desired.targetUrl === desired.targetUrl && open.desired.digest === desired.digest;
		const earlier = isRepeated ? undefined : openCreates.of(key).find(isEarlier);
		const open = earlier ?? (await this.begin(desired));
		const end = await this.wait(open);
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
				// A connection is often cut off before the service has read the request, so the create is sent once more.
				const isSentAgain = end.kind === 'cutOff' && result.ok && !isRepeated;
				if (isSentAgain) return await this.createOne(decision, true);
				// The list may be late, or could not be read: the create stays open, and the next change looks for its webhook.
				return this.withoutWebhook('unclear', end.error);
			}

			// The service may still make the webhook: the create stays open, so that nobody sends a second one. The
			// other creates of this change would get no response either. That one of an earlier change takes long says nothing.
			case 'noResponse':
				return { kind: earlier ? 'waiting' : 'failed', error: end.error };

			// A change that was cancelled sends no other create. This one stays open, as above.
			case 'cancelled':
				return { kind: 'failed', error: end.error };
		}
	}

	/**
	 * Begins a create.
	 * @returns the create, once its request was sent, or has failed before that; its `end` tells how it ends
	 */
	private async begin(desired: DesiredWebhook): Promise<OpenCreate> {
		const { client, openCreates, key, situation } = this.change;
		const sent = deferred<undefined>();
		const end = deferred<CreateEnd>();
		const open: OpenCreate = {
			desired,
			listedBefore: new Set(situation.listed.map(({ _id }) => _id)),
			sentAt: performance.now(),
			end: end.promise,
			hasFailed: false,
		};
		const onSent = (): void => {
			open.sentAt = performance.now();
			openCreates.add(key, open);
			sent.resolve(undefined);
		};
		const create = async (): Promise<Webhook> => {
			const secret = await client.secretFor(desired.targetUrl);
			const settings = { ...desired, secret };
			return await client.create(settings, { timeoutMs: LONGEST_CREATE_MS, onSent });
		};
		const receiveEnd = async (): Promise<void> => {
			const ended = endOf(await settle(create()));
			// A create that was cancelled itself was not sent: once it is sent, a cancelled change leaves it alone.
			open.hasFailed = ended.kind !== 'made' && ended.kind !== 'noResponse';
			end.resolve(ended);
		};
		void receiveEnd();
		await Promise.race([sent.promise, end.promise]);
		return open;
	}

	/** Waits for the end of an open create, for as long as the occasion allows. */
	private async wait(open: OpenCreate): Promise<CreateEnd> {
		const { occasion, client, onLateOutcome } = this.change;
		// It is known by now, because the list was requested with the same client.
		const url = await client.baseUrl();
		const waitedLongEnough = (): RequestError =>
			connectionError({ code: 'ETIMEDOUT' }, url).with(OUTCOME_UNKNOWN);
		const deadline = { ms: occasion.policy.timeoutMs, error: waitedLongEnough };
		const waited = await settleRequest(
			within({ cancel: client.signal, deadline }, async () => await open.end),
		);
		if (waited.ok) return waited.value;
		const tellLater = async (): Promise<void> => onLateOutcome(open, await open.end);
		void tellLater();
		const kind = isCancelled(waited.error) ? 'cancelled' : 'noResponse';
		return { kind, error: waited.error.asMaybeDone() };
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

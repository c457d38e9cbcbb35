/** The creates of a change, and the outcome of each. */
import type { Client } from '../../api/client';
import {
	conflictError,
	isCancelled,
	isConflict,
	isOutage,
	RequestError,
	settleRequest,
} from '../../api/errors';
import { connectionError } from '../../api/noResponse';
import { within } from '../../api/within';
import type { DesiredWebhook, RegisteredWebhook } from '../../domain/registration';
import { isSameUrl } from '../../domain/targetUrl';
import type { Webhook } from '../../domain/webhook';
import type { OpenCreate, OpenCreates } from '../../runtime/openCreates';
import { mapConcurrently } from '../../utils/concurrency';
import { deferred } from '../../utils/deferred';
import { settle, type Outcome } from '../../utils/settle';
import type { Occasion } from './occasions';
import type { Decision, Situation } from './plan';
import type { Removals } from './removals';

/** The statuses of a gateway that has given up waiting, while the service behind it may go on: 524 is that of a CDN. */
const GATEWAY_TIMEOUTS: ReadonlyArray<number | undefined> = [408, 504, 524];

/**
 * How long the response to a create of a trigger may take, in milliseconds. Services were seen to take 45 seconds; whoever
 * sends the create does not wait that long (D81).
 */
const LONGEST_CREATE_MS = 120_000;

/** What an error says of a create whose outcome is not known. */
const STILL_OPEN =
	'Whether the webhook was created is not known yet. n8n waits for its outcome for ten minutes, and creates no second one meanwhile.';

/**
 * Whether the service may still be working on a create that failed here: there was no response, or only that of a gateway
 * that has given up waiting. After any other failure, the service is done, and the list shows the result.
 */
const mayStillHappen = (error: Error): error is RequestError =>
	error instanceof RequestError &&
	(error.failure === 'timeout' ||
		(error.failure === 'server' && GATEWAY_TIMEOUTS.includes(error.details.status)));

/** Whether a create was not sent, because that of an earlier change is still open (D81). */
export const isStillOpen = (error: Error): boolean =>
	error instanceof RequestError && error.failure === 'stillOpen';

/** Whether a create that failed may have made a webhook. */
export const mayHaveCreated = (error: Error): boolean =>
	error instanceof RequestError && error.maybeDone;

/** The webhook that an open create has made, as a list shows it; undefined while the list shows none. */
const resultIn = (
	listed: readonly Webhook[],
	{ targetUrl, listedBefore }: OpenCreate,
	registeredIds: ReadonlySet<string>,
): Webhook | undefined =>
	listed.find(
		(webhook) =>
			!listedBefore.has(webhook._id) &&
			!registeredIds.has(webhook._id) &&
			isSameUrl(webhook.targetUrl, targetUrl),
	);

/** A webhook that a create has made, as a registered webhook. */
export const registeredAs = (
	{ event, targetUrl, digest }: OpenCreate,
	{ _id: id }: Webhook,
): RegisteredWebhook => ({ id, event, targetUrl, digest, evidence: 'created' });

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
	// The list tells the outcome of those creates that have failed before it was requested. A removal creates nothing, so a
	// failed create costs nothing while it stays open, and a late list may still show its webhook.
	const failed = desiresNothing ? [] : openCreates.of(key).filter(({ hasFailed }) => hasFailed);
	const listed = await client.listAgain();
	const results: RegisteredWebhook[] = [];
	const all = openCreates.of(key);
	const takenIds = new Set(registered.map(({ id }) => id));
	// A create that has failed may have been sent once more: the one that has not failed has more likely made the webhook.
	const likelyFirst = [...all].sort(
		(one, other) => Number(one.hasFailed) - Number(other.hasFailed),
	);
	for (const open of likelyFirst) {
		// If the API key has changed meanwhile, creates with two secrets may be open for the URL, and the list shows no secrets.
		const isSecretClear = all.every(
			({ targetUrl, digest }) => targetUrl !== open.targetUrl || digest === open.digest,
		);
		const result = isSecretClear ? resultIn(listed, open, takenIds) : undefined;
		if (result) {
			takenIds.add(result._id);
			results.push(registeredAs(open, result));
		}
		if (result || failed.includes(open)) openCreates.close(key, open);
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
	/** Called when the outcome of a create arrives for which this change no longer waits; another one may. */
	onLateOutcome: (open: OpenCreate, outcome: Outcome<Webhook>) => void;
};

/**
 * What came of a create:
 *
 * - `exists`: there is a webhook, created now, or there already, as the service says, although the list hides it.
 * - `refused`: the service said no. It may say yes once other webhooks are out of the way.
 * - `unclear`: the service has responded, and does not say clearly whether there is a webhook.
 * - `stillOpen`: nothing was sent, because a create of an earlier change is still open (D81).
 * - `failed`: anything else, such as an outage or a cancelled change. No other create would fare better.
 */
type CreateOutcome =
	| { kind: 'exists'; webhook: RegisteredWebhook }
	| { kind: 'refused' | 'unclear' | 'stillOpen' | 'failed'; error: Error };

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
	get failures(): Map<Decision, Error> {
		const failures = new Map<Decision, Error>();
		for (const [decision, outcome] of this.outcomes) {
			if (outcome.kind !== 'exists') failures.set(decision, outcome.error);
		}
		return failures;
	}

	/** The decisions whose creates the service refused. */
	get refused(): Decision[] {
		return [...this.outcomes]
			.filter(([, { kind }]) => kind === 'refused')
			.map(([decision]) => decision);
	}

	/**
	 * Creates webhooks, as many as it can. After an outage, or a refusal that fails an activation, no further create is sent.
	 * Never throws.
	 */
	async createAll(decisions: readonly Decision[]): Promise<void> {
		let last: CreateOutcome | undefined;
		await mapConcurrently(decisions, async (decision) => {
			const outcome = last ?? (await this.outcomeOf(decision));
			this.outcomes.set(decision, outcome);
			if (this.isLast(outcome)) last = outcome;
		});
	}

	/** Whether no further create is sent after an outcome. */
	private isLast({ kind }: CreateOutcome): boolean {
		if (kind === 'exists' || kind === 'stillOpen') return false;
		return kind === 'failed' || this.change.occasion.onRefusal === 'removeAll';
	}

	/** Creates a webhook. Never throws. */
	private async outcomeOf(decision: Decision): Promise<CreateOutcome> {
		const result = await settle(this.createOne(decision.desired));
		return result.ok ? result.value : this.outcomeOfError(decision, result.error);
	}

	private outcomeOfError(decision: Decision, error: Error): CreateOutcome {
		if (isConflict(error)) {
			const webhook = this.hiddenByList(decision);
			return webhook ? { kind: 'exists', webhook } : { kind: 'refused', error: URL_TAKEN };
		}
		const isResponse = error instanceof RequestError && !isCancelled(error) && !isOutage(error);
		if (!isResponse || this.change.client.signal?.aborted) return { kind: 'failed', error };
		return { kind: mayHaveCreated(error) ? 'unclear' : 'refused', error };
	}

	/**
	 * The registered webhook that has the target URL although the list does not show it, when the service has refused to
	 * replace it (D82). It stays, and is not replaced again.
	 */
	private hiddenByList({ desired, predecessor }: Decision): RegisteredWebhook | undefined {
		const { situation, removals } = this.change;
		const isListed = situation.listed.some(({ targetUrl }) =>
			isSameUrl(targetUrl, desired.targetUrl),
		);
		if (isListed || !predecessor || removals.done.has(predecessor.id)) return undefined;
		return { ...predecessor, evidence: 'hidden' };
	}

	/**
	 * Creates a webhook, or waits for a create of an earlier change that is still open.
	 * @param isRepeated whether the create is sent once more, although that of the first attempt is still open
	 * @throws RequestError when there is no webhook, or it is not known whether there is one
	 */
	private async createOne(desired: DesiredWebhook, isRepeated = false): Promise<CreateOutcome> {
		const { openCreates, key } = this.change;
		// One that was sent with another API key does not count. Its webhook will have another secret: its deliveries are
		// refused, and a later change removes it.
		const isEarlier = ({ targetUrl, digest }: OpenCreate): boolean =>
			targetUrl === desired.targetUrl && digest === desired.digest;
		const earlier = isRepeated ? undefined : openCreates.of(key).find(isEarlier);
		const open = earlier ?? (await this.begin(desired));
		const outcome = await this.wait(open);
		if (outcome.ok) return { kind: 'exists', webhook: this.resultOf(open, outcome.value) };
		const { error } = outcome;
		// In both cases, the create stays open, so that nobody sends a second one.
		if (isCancelled(error)) return { kind: 'failed', error };
		if (mayStillHappen(error)) {
			if (!earlier) return { kind: 'failed', error };
			return { kind: 'stillOpen', error: new RequestError('stillOpen', error, error.details) };
		}
		if (mayHaveCreated(error)) return await this.lookInList(desired, open, error, isRepeated);
		openCreates.close(key, open);
		throw error;
	}

	/**
	 * Looks for the webhook of a create that has failed, and may have made one all the same.
	 * @throws RequestError, the given one, when the list does not show it
	 */
	private async lookInList(
		desired: DesiredWebhook,
		open: OpenCreate,
		error: Error,
		isRepeated: boolean,
	): Promise<CreateOutcome> {
		const { client, situation } = this.change;
		const listed = await settle(client.listAgain());
		// The create stays open, and the next list tells its outcome.
		if (!listed.ok) throw error;
		const registeredIds = new Set(situation.registered.map(({ id }) => id));
		const result = resultIn(listed.value, open, registeredIds);
		if (result) return { kind: 'exists', webhook: this.resultOf(open, result) };
		// The list may be late: the create stays open, and the next change looks for its webhook once more.
		// A connection is often cut off before the service has read the request, so the create is sent once more.
		const wasCutOff = error instanceof RequestError && error.failure === 'cutOff';
		if (!wasCutOff || isRepeated) throw error;
		return await this.createOne(desired, true);
	}

	/**
	 * Begins a create.
	 * @returns the create, once its request was sent, or has failed before that; its `outcome` tells how it ends
	 * @throws RequestError when the credential cannot be used
	 */
	private async begin(desired: DesiredWebhook): Promise<OpenCreate> {
		const { client, openCreates, key, situation } = this.change;
		const { event, targetUrl, digest } = desired;
		const secret = await client.secretFor(targetUrl);
		const sent = deferred<undefined>();
		const outcome = deferred<Outcome<Webhook>>();
		const open: OpenCreate = {
			event,
			targetUrl,
			digest,
			listedBefore: new Set(situation.listed.map(({ _id }) => _id)),
			sentAt: performance.now(),
			outcome: outcome.promise,
			hasFailed: false,
		};
		const onSent = (): void => {
			open.sentAt = performance.now();
			openCreates.add(key, open);
			sent.resolve(undefined);
		};
		const receiveOutcome = async (): Promise<void> => {
			const settings = { ...desired, secret };
			const create = client.create(settings, { timeoutMs: LONGEST_CREATE_MS, onSent });
			const result = await settle(create);
			open.hasFailed = !result.ok && !mayStillHappen(result.error);
			outcome.resolve(result);
		};
		void receiveOutcome();
		await Promise.race([sent.promise, outcome.promise]);
		return open;
	}

	/** Waits for the outcome of an open create, for as long as the occasion allows. */
	private async wait(open: OpenCreate): Promise<Outcome<Webhook>> {
		const { occasion, client, onLateOutcome } = this.change;
		const url = await client.baseUrl();
		const stillOpen = (): RequestError =>
			connectionError({ code: 'ETIMEDOUT' }, url).with(STILL_OPEN);
		const deadline = { ms: occasion.policy.timeoutMs, error: stillOpen };
		const waited = await settleRequest(
			within({ cancel: client.signal, deadline }, async () => await open.outcome),
		);
		if (waited.ok) return waited.value;
		const tellLater = async (): Promise<void> => onLateOutcome(open, await open.outcome);
		void tellLater();
		return { ok: false, error: waited.error.asMaybeDone() };
	}

	/**
	 * Closes a create, and returns the webhook that it has made.
	 * @throws RequestError, a `conflict`, when the webhook existed before
	 */
	private resultOf(open: OpenCreate, webhook: Webhook): RegisteredWebhook {
		const { openCreates, key, situation } = this.change;
		openCreates.close(key, open);
		const registeredBefore = situation.registered.find(({ id }) => id === webhook._id);
		const existed = open.listedBefore.has(webhook._id);
		// A service that updates the webhook of a target URL in place may return a webhook that its list does not show (D82).
		if (registeredBefore?.digest === open.digest && !existed) {
			return { ...registeredAs(open, webhook), evidence: 'hidden' };
		}
		// The service has returned an existing webhook in place of a new one, because the target URL is taken (D7). That one has
		// another secret, or has just become the webhook of another desired one.
		const isOfOther = [...this.existing.values()].some(({ id }) => id === webhook._id);
		if (registeredBefore || existed || isOfOther) {
			throw conflictError({ status: 409, existingId: webhook._id });
		}
		return registeredAs(open, webhook);
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

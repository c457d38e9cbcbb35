/** The creates of a change, and the outcome of each. */
import type { Client } from '../../api/client';
import { connectionError } from '../../api/connection';
import { cancelledError, isCancelled, isConflict, isOutage, RequestError } from '../../api/errors';
import { conflictError } from '../../api/failures';
import type { RegisteredWebhook } from '../../domain/registration';
import { isSameUrl } from '../../domain/targetUrl';
import type { Webhook } from '../../domain/webhook';
import type { OpenCreate, OpenCreates } from '../../runtime/openCreates';
import { mapConcurrently } from '../../utils/concurrency';
import { settle, type Settled } from '../../utils/settle';
import { CancelledError, DeadlineError, within } from '../../utils/within';
import { webhookSettings } from './desired';
import type { Occasion } from './occasions';
import type { DesiredWithDigest } from './plan';

/** The statuses of a gateway that has given up waiting, while the service behind it may go on: 524 is that of a CDN. */
const GATEWAY_TIMEOUTS: ReadonlyArray<number | undefined> = [408, 504, 524];

/** What an error says of a create whose outcome is not known. */
const STILL_OPEN =
	'Whether the webhook was created is not known yet. n8n waits for its outcome for ten minutes, and creates no second one meanwhile.';

/**
 * Whether the service may still be working on a create that failed here: there was no response, or only that of a gateway
 * that has given up waiting. After any other failure, the service is done, and the list shows the result.
 */
function mayStillHappen(error: Error): boolean {
	if (!(error instanceof RequestError)) return error instanceof DeadlineError;
	return error.kind === 'timeout' || GATEWAY_TIMEOUTS.includes(error.details.status);
}

/** Whether a create that failed may have made a webhook. */
const mayHaveCreated = (error: Error): boolean =>
	error instanceof RequestError && error.details.maybeDone === true;

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
): RegisteredWebhook => ({ id, event, targetUrl, digest });

/**
 * Finds in a list the webhooks that open creates have made, and closes the creates whose outcome the list tells (D81).
 * @param registration see `registrationKey`
 * @param registeredIds the IDs of webhooks that are registered already, and so are no results of these creates
 * @returns the webhooks that these creates have made
 */
export function closeByList(
	openCreates: OpenCreates,
	registration: string,
	listed: readonly Webhook[],
	registeredIds: ReadonlySet<string>,
): RegisteredWebhook[] {
	const results: RegisteredWebhook[] = [];
	for (const open of openCreates.of(registration)) {
		const result = resultIn(listed, open, registeredIds);
		if (result) results.push({ ...registeredAs(open, result), wasListed: true });
		if (result || open.hasEnded) openCreates.close(registration, open);
	}
	openCreates.closeExpired(registration);
	return results;
}

/** What the creates need to know of their change. */
type Change = {
	client: Client;
	openCreates: OpenCreates;
	/** See `registrationKey`. */
	registration: string;
	occasion: Occasion;
	listed: readonly Webhook[];
	/** The webhooks that are registered before the change. */
	registered: readonly RegisteredWebhook[];
	/** Cancels the change, but no create that was sent. */
	signal: AbortSignal | undefined;
	/** The host of the service, for errors. */
	host: string;
	/** Called when the outcome of a create arrives for which no change waits any more. */
	onLateOutcome: (open: OpenCreate, outcome: Settled<Webhook>) => void;
};

/** The creates of a change (§4.2), and the outcome of each. */
export class Creates {
	/** The webhooks that were created. */
	readonly created: RegisteredWebhook[] = [];

	/** Why desired webhooks were not created. */
	readonly failures = new Map<DesiredWithDigest, Error>();

	/** The desired webhooks for which nothing was sent, because a create of an earlier change is still open. */
	readonly waiting = new Set<DesiredWithDigest>();

	/** Whether a create was sent again after a connection that was cut off: the first one may have made a webhook, too. */
	hasRepeated = false;

	constructor(private readonly change: Change) {}

	/** The desired webhooks that the service refused, and may accept once other webhooks are out of the way. */
	get obstructed(): DesiredWithDigest[] {
		return [...this.failures]
			.filter(([, error]) => this.isRefusal(error))
			.map(([desired]) => desired);
	}

	/** Whether the service refused a create: it was neither out of reach, nor was the change cancelled. */
	private isRefusal(error: Error): boolean {
		return !this.change.signal?.aborted && !isCancelled(error) && !isOutage(error);
	}

	/**
	 * Creates webhooks, as many as it can. After an outage, or a refusal that fails an activation, no further create is sent.
	 * Never throws.
	 */
	async send(desired: readonly DesiredWithDigest[]): Promise<void> {
		let stop: Error | undefined;
		for (const webhook of desired) this.failures.delete(webhook);
		await mapConcurrently(desired, async (webhook) => {
			if (stop) {
				this.failures.set(webhook, stop);
				return;
			}
			const result = await settle(this.createOne(webhook));
			if (result.ok) {
				this.created.push(result.value);
				return;
			}
			const { error } = result;
			this.failures.set(webhook, isConflict(error) ? URL_TAKEN : error);
			const isFinal = !this.isRefusal(error) || this.change.occasion.isAllOrNothing;
			if (isFinal && !this.waiting.has(webhook)) stop = error;
		});
	}

	/**
	 * Creates a webhook, or waits for a create of an earlier change that is still open.
	 * @throws RequestError when there is no webhook, or it is not known whether there is one
	 */
	private async createOne(
		desired: DesiredWithDigest,
		isRepeated = false,
	): Promise<RegisteredWebhook> {
		const { openCreates, registration } = this.change;
		const earlier = openCreates
			.of(registration)
			.find(({ targetUrl }) => targetUrl === desired.targetUrl);
		if (earlier) this.waiting.add(desired);
		// The API key has changed since the earlier create was sent. Its webhook will have the earlier secret, and the next
		// check will replace it.
		if (earlier && earlier.digest !== desired.digest) throw this.stillOpenError();
		const open = earlier ?? (await this.begin(desired));
		const outcome = await this.wait(open);
		if (outcome.ok) return this.take(open, outcome.value);
		const { error } = outcome;
		// The create stays open, so that nobody sends a second one.
		if (mayStillHappen(error) || isCancelled(error)) throw error;
		this.waiting.delete(desired);

		const listed = mayHaveCreated(error) ? await settle(this.change.client.listAgain()) : undefined;
		if (listed?.ok) {
			const registeredIds = new Set(this.change.registered.map(({ id }) => id));
			const result = resultIn(listed.value, open, registeredIds);
			if (result) return this.take(open, result);
		}
		// If the webhooks could not be listed, the create stays open, and the next list tells its outcome.
		if (listed?.ok !== false) openCreates.close(registration, open);
		// A connection is often cut off before the service has read the request, so the create is sent once more.
		const wasCutOff = error instanceof RequestError && error.kind === 'network';
		if (!wasCutOff || !listed?.ok || isRepeated) throw error;
		this.hasRepeated = true;
		return await this.createOne(desired, true);
	}

	/**
	 * Begins a create.
	 * @returns the create, once its request was sent, or has failed before that; its `outcome` tells how it ends
	 * @throws RequestError when the credential cannot be used
	 */
	private async begin(desired: DesiredWithDigest): Promise<OpenCreate> {
		const { client, openCreates, registration, listed, onLateOutcome } = this.change;
		const { event, targetUrl, digest } = desired;
		const secret = await client.secretFor(targetUrl);
		let hasBeenSent: () => void = () => undefined;
		const sent = new Promise<void>((resolve) => {
			hasBeenSent = resolve;
		});
		const create = client.createOnce({ ...webhookSettings(desired), secret }, () => {
			open.sentAt = performance.now();
			if (!openCreates.of(registration).includes(open)) openCreates.add(registration, open);
			hasBeenSent();
		});
		const open: OpenCreate = {
			event,
			targetUrl,
			digest,
			listedBefore: new Set(listed.map(({ _id }) => _id)),
			sentAt: performance.now(),
			outcome: settle(create),
			hasEnded: false,
			isAwaited: true,
		};
		void open.outcome.then((outcome) => {
			open.hasEnded = outcome.ok || !mayStillHappen(outcome.error);
			if (!open.isAwaited) onLateOutcome(open, outcome);
		});
		await Promise.race([sent, open.outcome]);
		return open;
	}

	/** Waits for the outcome of an open create, for as long as the occasion allows. */
	private async wait(open: OpenCreate): Promise<Settled<Webhook>> {
		const { occasion, signal } = this.change;
		open.isAwaited = true;
		const waited = await settle(
			within(occasion.policy.timeoutMs, signal, async () => await open.outcome),
		);
		if (waited.ok) return waited.value;
		open.isAwaited = false;
		const error =
			waited.error instanceof CancelledError ? cancelledError(true) : this.stillOpenError();
		return { ok: false, error };
	}

	private stillOpenError(): RequestError {
		return connectionError({ code: 'ETIMEDOUT' }, `https://${this.change.host}`).with(STILL_OPEN);
	}

	/**
	 * Closes a create, and takes a webhook for its result.
	 * @throws RequestError, a `conflict`, when the webhook existed before
	 */
	private take(open: OpenCreate, webhook: Webhook): RegisteredWebhook {
		const { openCreates, registration, registered } = this.change;
		openCreates.close(registration, open);
		const registeredBefore = registered.find(({ id }) => id === webhook._id);
		const wasListed = open.listedBefore.has(webhook._id);
		// A service that updates the webhook of a target URL in place may return a webhook that its list does not show (D82).
		if (registeredBefore?.digest === open.digest && !wasListed) {
			return { ...registeredAs(open, webhook), isSecond: true };
		}
		// Any other webhook that existed before has another secret: the service has the target URL already (D7).
		if (registeredBefore || wasListed) {
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

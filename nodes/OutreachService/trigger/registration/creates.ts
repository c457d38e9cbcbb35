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

/** What a gateway says that has given up waiting, while the service behind it may go on: 408, 504, and that of a CDN. */
const GATEWAY_TIMEOUTS: ReadonlyArray<number | undefined> = [408, 504, 524];

/** What follows from a create whose outcome is not known. */
const STILL_OPEN =
	'Whether the webhook was created is not known yet. n8n waits for its outcome for ten minutes, and creates no second one meanwhile.';

/**
 * Whether the service may still be working on a create that failed here: nobody has responded, or only a gateway that did
 * not want to wait. After anything else it has done what it does, and the list tells what that was.
 */
function mayStillHappen(error: Error): boolean {
	if (!(error instanceof RequestError)) return error instanceof DeadlineError;
	return error.kind === 'timeout' || GATEWAY_TIMEOUTS.includes(error.details.status);
}

/** Whether a create that failed may have made a webhook. */
const mayHaveCreated = (error: Error): boolean =>
	error instanceof RequestError && error.details.maybeDone === true;

/** The webhook that an open create has made, as a list shows it; undefined while it shows none. */
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

export const registeredAs = (
	{ event, targetUrl, digest }: OpenCreate,
	{ _id: id }: Webhook,
): RegisteredWebhook => ({ id, event, targetUrl, digest });

/**
 * Looks in a list for what open creates have made, and closes those whose outcome it tells (D81).
 * @param registeredIds of webhooks whose origin is known
 * @returns what they have made
 */
export function closeByList(
	openCreates: OpenCreates,
	registration: string,
	listed: readonly Webhook[],
	registeredIds: ReadonlySet<string>,
): RegisteredWebhook[] {
	const made: RegisteredWebhook[] = [];
	for (const open of openCreates.of(registration)) {
		const result = resultIn(listed, open, registeredIds);
		if (result) made.push({ ...registeredAs(open, result), wasListed: true });
		if (result || open.hasEnded) openCreates.close(registration, open);
	}
	openCreates.closeExpired(registration);
	return made;
}

type Change = {
	client: Client;
	openCreates: OpenCreates;
	/** See `registrationKey`. */
	registration: string;
	occasion: Occasion;
	listed: readonly Webhook[];
	/** What is registered before the change. */
	registered: readonly RegisteredWebhook[];
	/** Cancels the change, but no create that was sent. */
	signal: AbortSignal | undefined;
	host: string;
	/** Called when the outcome of a create arrives for which no change waits any more. */
	onLateOutcome: (open: OpenCreate, outcome: Settled<Webhook>) => void;
};

/** The creates of a change (§4.2), and the outcome of each. */
export class Creates {
	readonly created: RegisteredWebhook[] = [];

	readonly failures = new Map<DesiredWithDigest, Error>();

	/** Those for which nothing was sent, because a create of an earlier change is still open. */
	readonly waiting = new Set<DesiredWithDigest>();

	/** Whether a create was sent again after a connection that was cut off: the first one may have made a webhook, too. */
	hasRepeated = false;

	constructor(private readonly change: Change) {}

	/** Those that the service refused, and that it may accept once something is out of the way. */
	get obstructed(): DesiredWithDigest[] {
		return [...this.failures].flatMap(([one, error]) => (this.isRefusal(error) ? [one] : []));
	}

	private isRefusal(error: Error): boolean {
		return !this.change.signal?.aborted && !isCancelled(error) && !isOutage(error);
	}

	/** Creates what it can. After an outage, or a refusal that fails an activation, nothing further is sent. Never throws. */
	async send(desired: readonly DesiredWithDigest[]): Promise<void> {
		let stop: Error | undefined;
		for (const one of desired) this.failures.delete(one);
		await mapConcurrently(desired, async (one) => {
			if (stop) {
				this.failures.set(one, stop);
				return;
			}
			const result = await settle(this.createOne(one));
			if (result.ok) {
				this.created.push(result.value);
				return;
			}
			const { error } = result;
			this.failures.set(one, isConflict(error) ? URL_TAKEN : error);
			const isFinal = !this.isRefusal(error) || this.change.occasion.isAllOrNothing;
			if (isFinal && !this.waiting.has(one)) stop = error;
		});
	}

	/** @throws RequestError when there is no webhook, or it is not known whether there is one */
	private async createOne(one: DesiredWithDigest, isRepeated = false): Promise<RegisteredWebhook> {
		const { openCreates, registration } = this.change;
		const earlier = openCreates
			.of(registration)
			.find(({ targetUrl }) => targetUrl === one.targetUrl);
		// The API key has changed meanwhile. Its webhook will have the earlier secret: the next check replaces it.
		if (earlier) this.waiting.add(one);
		if (earlier && earlier.digest !== one.digest) throw this.stillOpenError();
		const open = earlier ?? (await this.begin(one));
		const outcome = await this.wait(open);
		if (outcome.ok) return this.take(open, outcome.value);
		const { error } = outcome;
		// It stays open: nobody may send a second one.
		if (mayStillHappen(error) || isCancelled(error)) throw error;
		this.waiting.delete(one);

		const listed = mayHaveCreated(error) ? await settle(this.change.client.listAgain()) : undefined;
		if (listed?.ok) {
			const registeredIds = new Set(this.change.registered.map(({ id }) => id));
			const made = resultIn(listed.value, open, registeredIds);
			if (made) return this.take(open, made);
		}
		// If the list could not be read, the next one tells.
		if (listed?.ok !== false) openCreates.close(registration, open);
		const wasCutOff = error instanceof RequestError && error.kind === 'network';
		if (!wasCutOff || !listed?.ok || isRepeated) throw error;
		this.hasRepeated = true;
		return await this.createOne(one, true);
	}

	/** Sends a create. @returns when it has been sent @throws RequestError when it was not, or was refused at once */
	private async begin(one: DesiredWithDigest): Promise<OpenCreate> {
		const { client, openCreates, registration, listed, onLateOutcome } = this.change;
		const { event, targetUrl, digest } = one;
		const secret = await client.secretFor(targetUrl);
		let hasBeenSent: () => void = () => undefined;
		const sent = new Promise<void>((resolve) => {
			hasBeenSent = resolve;
		});
		const create = client.createOnce({ ...webhookSettings(one), secret }, () => {
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

	private take(open: OpenCreate, webhook: Webhook): RegisteredWebhook {
		const { openCreates, registration, registered } = this.change;
		openCreates.close(registration, open);
		const same = registered.find(({ id }) => id === webhook._id);
		// A service that updates the webhook of a URL in place returns the one that its list does not show.
		if (same?.digest === open.digest && !open.listedBefore.has(webhook._id)) {
			return { ...registeredAs(open, webhook), isSecond: true };
		}
		// One that was there before has another secret: the service has the target URL already (D7).
		if (same || open.listedBefore.has(webhook._id)) {
			throw conflictError({ status: 409, existingId: webhook._id });
		}
		return registeredAs(open, webhook);
	}
}

/** A service may allow a target URL only once, and compare it without its query, in which a node's webhooks differ. */
const URL_TAKEN = new RequestError(
	'conflict',
	{
		message: 'The service refuses the target URL of this workflow: another webhook already has it',
		description:
			"Find the other webhook with the operation 'Get Many', and delete it if nobody needs it. If it belongs to this workflow, set the option 'Webhooks: Subscription' to 'One Webhook for Everything'. If it is not listed, another team has it: add a new trigger node to this workflow, which gets a different target URL.",
	},
	{ status: 409 },
);

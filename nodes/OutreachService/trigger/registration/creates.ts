/** The creates of a change (§4.2), and the outcome of each. */
import type { Client } from '../../api/client';
import {
	isCancelled,
	isConflict,
	isOutage,
	mayBeDone,
	mayBeUnderWay,
	RequestError,
} from '../../api/errors';
import { connectionError } from '../../api/noResponse';
import { within } from '../../api/within';
import { secretOf } from '../../domain/secret';
import type { Webhook } from '../../domain/webhook';
import type { OpenCreate } from '../../runtime/knownWebhooks';
import type { TriggerNode } from '../../runtime/triggerNodes';
import { mapConcurrently } from '../../utils/concurrency';
import { deferred } from '../../utils/deferred';
import { now } from '../../utils/moment';
import { settle } from '../../utils/settle';
import type { DesiredWebhook } from './desired';
import { findAtBase } from './plan';

/**
 * How long the response to a create may take, in milliseconds. Services were seen to take 45 seconds; whoever sends the create does
 * not wait that long.
 */
const LONGEST_CREATE_MS = 120_000;

/** What an error says of a create whose response takes too long. */
const OUTCOME_UNKNOWN =
	'Whether the webhook was created is not known yet. n8n waits for its outcome for ten minutes, and creates no second one meanwhile.';

/**
 * Why a webhook is missing:
 *
 * - `refused`: the service has refused it. It may accept it once other webhooks are out of the way.
 * - `open`: the service may still carry out its create, or that of another one, after which this one was left to the next check.
 * - `unclear`: the service has failed, or the connection was cut off, often before the service has read the request. A list tells.
 * - `failed`: the service cannot be reached, or the change was cancelled.
 *
 * After one that stays open or has failed, the others are not sent, for the same reason: none would fare better now.
 */
type Reason = { kind: 'refused' | 'open' | 'unclear' | 'failed'; error: Error };

export class Creates {
	/** The desired webhooks that do not exist, as far as is known, and why. */
	readonly absent = new Map<DesiredWebhook, Reason>();

	/** Whether this has created a webhook. */
	hasMade = false;

	/**
	 * @param client its signal ends the waiting, but no create that was sent
	 * @param longestMs how long this waits for a response, in milliseconds
	 * @param idsBefore the IDs of all webhooks of the team
	 */
	constructor(
		private readonly node: TriggerNode,
		private readonly client: Client,
		private readonly longestMs: number,
		private readonly idsBefore: ReadonlySet<string>,
	) {}

	/** The desired webhooks that do not exist for one kind of reason. */
	endedAs(kind: Reason['kind']): DesiredWebhook[] {
		return [...this.absent].filter(([, reason]) => reason.kind === kind).map(([one]) => one);
	}

	/** Creates webhooks, several at a time. Never throws. */
	async createAll(desired: readonly DesiredWebhook[]): Promise<void> {
		let stoppedBy: Reason | undefined;
		await mapConcurrently(desired, async (webhook) => {
			const reason = stoppedBy ?? (await this.create(webhook));
			this.note(webhook, reason);
			if (reason?.kind === 'open' || reason?.kind === 'failed') stoppedBy = reason;
		});
	}

	/** Waits for creates that an earlier change has sent, at most as long as for new ones. Never throws. */
	async waitForAll(desired: readonly DesiredWebhook[]): Promise<void> {
		await Promise.all(
			desired.map(async (webhook) => {
				const { open } = this.node.known.get(webhook.targetUrl) ?? {};
				if (open) this.note(webhook, await this.outcomeOf(webhook, open));
			}),
		);
	}

	/**
	 * Lists the webhooks after creates, which shows what they have made (and that a webhook that is not listed later is gone). Those
	 * whose outcome was unclear, and that have made nothing, are sent once more. Never throws.
	 */
	async confirmAll(): Promise<void> {
		if (!this.hasMade && this.endedAs('unclear').length === 0) return;
		const isConfirmed = await this.listAgain();
		const unclear = this.endedAs('unclear');
		if (!isConfirmed || unclear.length === 0) return;
		await this.createAll(unclear);
		await this.listAgain();
	}

	private note(desired: DesiredWebhook, reason: Reason | undefined): void {
		if (reason) this.absent.set(desired, reason);
		else this.absent.delete(desired);
	}

	/** @returns whether there is a list. If not, the creates stay open, and the next list tells. */
	private async listAgain(): Promise<boolean> {
		const { known, base } = this.node;
		const listed = await settle(this.client.listAgain());
		if (!listed.ok) return false;
		known.noteList(findAtBase(base, listed.value).atBase);
		for (const desired of this.absent.keys()) {
			if (known.get(desired.targetUrl)?.state === 'made') this.absent.delete(desired);
		}
		return true;
	}

	/** @returns why the webhook does not exist */
	private async create(desired: DesiredWebhook): Promise<Reason | undefined> {
		const { known } = this.node;
		const { targetUrl } = desired;
		const sent = deferred<undefined>();
		const send = async (): Promise<Webhook> => {
			const secret = secretOf(await this.client.webhookKey(), targetUrl, desired);
			return await this.client.create(
				{ ...desired, secret },
				{
					timeoutMs: LONGEST_CREATE_MS,
					onSent: () => {
						open.refusal = undefined;
						known.noteSent(targetUrl, open);
						sent.resolve(undefined);
					},
					onFailedAttempt: (error) => {
						open.refusal = error;
					},
				},
			);
		};
		const end = settle(send()).then((outcome) => {
			known.noteEnd(targetUrl, open, outcome);
			return outcome;
		});
		const open: OpenCreate = { sentAt: now(), idsBefore: this.idsBefore, end, hasEnded: false };
		// Only then does the waiting begin: the time in the queue is not among the seconds for which this waits.
		await Promise.race([sent.promise, end]);
		return await this.outcomeOf(desired, open);
	}

	/** Waits for a create. @returns why its webhook does not exist */
	private async outcomeOf(
		{ targetUrl }: DesiredWebhook,
		open: OpenCreate,
	): Promise<Reason | undefined> {
		const url = await this.client.baseUrl();
		const error = () => connectionError({ code: 'ETIMEDOUT' }, url).with(OUTCOME_UNKNOWN);
		const limits = { signal: this.client.signal, deadline: { ms: this.longestMs, error } };
		const waited = await settle(within(limits, async () => await open.end));
		if (!waited.ok) {
			if (open.refusal) return { kind: 'failed', error: open.refusal };
			return { kind: isCancelled(waited.error) ? 'failed' : 'open', error: waited.error };
		}
		const outcome = waited.value;
		if (!outcome.ok) return reasonOf(outcome.error);
		const { state = 'unknown' } = this.node.known.get(targetUrl) ?? {};
		// The service has returned an existing webhook in place of a new one. It has another secret, or is another desired one.
		if (!['unlisted', 'made'].includes(state)) return { kind: 'refused', error: urlTaken() };
		this.hasMade = true;
		return undefined;
	}
}

/** What the error of a create says of its webhook. */
function reasonOf(error: Error): Reason {
	if (mayBeUnderWay(error)) return { kind: 'open', error };
	if (mayBeDone(error)) return { kind: 'unclear', error };
	if (!(error instanceof RequestError) || isOutage(error) || isCancelled(error)) {
		return { kind: 'failed', error };
	}
	return { kind: 'refused', error: isConflict(error) ? urlTaken() : error };
}

/**
 * The error for a target URL that is taken. A service may allow each target URL only once, and compare them without their
 * query, in which the webhooks of a node differ.
 */
const urlTaken = (): RequestError =>
	new RequestError('conflict', {
		message: 'The service refuses the target URL of this workflow: another webhook already has it',
		description:
			"Find the other webhook with the operation 'Get Many', and delete it if nobody needs it. If it belongs to this workflow, set the option 'Webhooks: Subscription' to 'One Webhook for Everything', and select no lead state. If it is not listed, another team may have it: add a new trigger node to this workflow, which gets a different target URL.",
		status: 409,
	});

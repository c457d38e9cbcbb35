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
import { normalizeUrl } from '../../domain/targetUrl';
import type { Webhook } from '../../domain/webhook';
import type { KnownWebhook, TriggerNode } from '../../runtime/triggerNodes';
import { mapConcurrently } from '../../utils/concurrency';
import { deferred } from '../../utils/deferred';
import { msSince, now } from '../../utils/moment';
import { settle, type Outcome } from '../../utils/settle';
import type { DesiredWebhook } from './desired';
import { byTargetUrl } from './plan';

/**
 * How long the response to a create may take, in milliseconds. Services were seen to take 45 seconds; whoever sends the create does
 * not wait that long.
 */
const LONGEST_CREATE_MS = 120_000;

/** How long a create whose outcome is not known holds back another one, in milliseconds (D112). */
const LONGEST_OPEN_MS = 10 * 60_000;

/** What an error says of a create whose response takes too long. */
const OUTCOME_UNKNOWN =
	'Whether the webhook was created is not known yet. n8n waits for its outcome for ten minutes, and creates no second one meanwhile.';

/**
 * Why no webhook is known after a create:
 *
 * - `refused`: the service has refused it. It may accept it once other webhooks are out of the way.
 * - `open`: the service may still carry it out.
 * - `cutOff`: the connection was cut off, often before the service has read the request. A list tells.
 * - `failed`: no other create would fare better, for example during an outage, or after a cancellation.
 */
export type NotMade = { kind: 'refused' | 'open' | 'cutOff' | 'failed'; error: Error };

/** What is known of the webhook at a URL. It is remembered as soon as there is something to know. */
export function knownAt({ known }: Pick<TriggerNode, 'known'>, targetUrl: string): KnownWebhook {
	const url = normalizeUrl(targetUrl);
	const entry = known.get(url) ?? {
		isListed: false,
		isMade: false,
		unlistedCreates: 0,
		isSuspect: false,
	};
	known.set(url, entry);
	return entry;
}

/**
 * Notes what a list says of the webhooks at a base: which creates have made one, and which webhooks exist.
 * @param atBase the listed webhooks at the base
 */
export function noteList({ known }: Pick<TriggerNode, 'known'>, atBase: readonly Webhook[]): void {
	const listedAt = byTargetUrl(atBase);
	for (const [url, entry] of known) {
		const listed = listedAt.get(url) ?? [];
		const { open } = entry;
		const made = open && listed.find(({ _id }) => !open.idsBefore.has(_id));
		if (made) noteMade(entry, made._id);
		if (open && msSince(open.sentAt) > LONGEST_OPEN_MS) entry.open = undefined;
		if (listed.some(({ _id }) => _id === entry.id)) noteListed(entry);
	}
}

/** Notes that this process has created a webhook. */
function noteMade(entry: KnownWebhook, id: string): void {
	const isListed = entry.id === id && entry.isListed;
	const madeAt = performance.now();
	Object.assign(entry, { id, isListed, isMade: true, madeAt, isSuspect: false, open: undefined });
	if (!isListed) entry.unlistedCreates += 1;
}

/** Notes that a list shows the webhook. */
export function noteListed(entry: KnownWebhook): void {
	entry.isListed = true;
	entry.unlistedCreates = 0;
}

/** Whether the outcome of a create at a base is not known. */
export const hasOpenCreate = ({ known }: Pick<TriggerNode, 'known'>): boolean =>
	[...known.values()].some(({ open }) => open !== undefined);

export class Creates {
	/** The IDs of the webhooks that exist now. */
	readonly made = new Map<DesiredWebhook, string>();

	/** Why none is known of the others. */
	readonly notMade = new Map<DesiredWebhook, NotMade>();

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

	/** Creates webhooks, several at a time. After an outage or an open create, no further one is sent. Never throws. */
	async createAll(desired: readonly DesiredWebhook[]): Promise<void> {
		let stoppedBy: NotMade | undefined;
		await mapConcurrently(desired, async (webhook) => {
			const outcome = stoppedBy ?? (await this.create(webhook));
			if (typeof outcome === 'string') {
				this.found(webhook, outcome);
				return;
			}
			this.notMade.set(webhook, outcome);
			if (outcome.kind === 'failed' || outcome.kind === 'open') stoppedBy = outcome;
		});
	}

	/** Waits for creates that an earlier change has sent, at most as long as for new ones. Never throws. */
	async waitForAll(desired: readonly DesiredWebhook[]): Promise<void> {
		await Promise.all(
			desired.map(async (webhook) => {
				const { open } = knownAt(this.node, webhook.targetUrl);
				if (!open) return;
				const outcome = await this.outcomeOf(webhook, open.end);
				if (typeof outcome === 'string') this.found(webhook, outcome);
				else this.notMade.set(webhook, outcome);
			}),
		);
	}

	/** Notes that a webhook exists, although its create was refused or cut off. */
	found(desired: DesiredWebhook, id: string): void {
		this.made.set(desired, id);
		this.notMade.delete(desired);
	}

	/** The desired webhooks whose creates have ended in a way. */
	endedAs(kind: NotMade['kind']): DesiredWebhook[] {
		return [...this.notMade].filter(([, notMade]) => notMade.kind === kind).map(([one]) => one);
	}

	/** @returns the ID of the webhook, or why there is none */
	private async create(desired: DesiredWebhook): Promise<string | NotMade> {
		const entry = knownAt(this.node, desired.targetUrl);
		const sent = deferred<undefined>();
		const end = settle(
			this.send(desired, {
				onSent: () => {
					entry.open = { sentAt: now(), idsBefore: this.idsBefore, end: ended };
					sent.resolve(undefined);
				},
				onFailedAttempt: (error) => {
					if (entry.open) entry.open.refusal = error;
				},
			}),
		);
		const ended: Promise<Outcome<Webhook>> = end.then((outcome) => {
			noteEnd(entry, outcome);
			return outcome;
		});
		// Only then does the waiting begin: the time in the queue is not among the seconds for which this waits.
		await Promise.race([sent.promise, ended]);
		return await this.outcomeOf(desired, ended);
	}

	private async send(
		desired: DesiredWebhook,
		events: { onSent: () => void; onFailedAttempt: (error: RequestError) => void },
	): Promise<Webhook> {
		const secret = secretOf(await this.client.webhookKey(), desired.targetUrl, desired);
		const options = { timeoutMs: LONGEST_CREATE_MS, ...events };
		return await this.client.create({ ...desired, secret }, options);
	}

	private async outcomeOf(
		desired: DesiredWebhook,
		end: Promise<Outcome<Webhook>>,
	): Promise<string | NotMade> {
		const url = await this.client.baseUrl();
		const deadline = { ms: this.longestMs, error: () => this.timedOut(url) };
		const waited = await settle(
			within({ signal: this.client.signal, deadline }, async () => await end),
		);
		const refusal = knownAt(this.node, desired.targetUrl).open?.refusal;
		if (!waited.ok && refusal) return { kind: 'failed', error: refusal };
		if (!waited.ok) {
			return { kind: isCancelled(waited.error) ? 'failed' : 'open', error: waited.error };
		}
		const outcome = waited.value;
		return outcome.ok ? this.idOf(desired, outcome.value) : notMade(outcome.error);
	}

	private timedOut(url: string): RequestError {
		return connectionError({ code: 'ETIMEDOUT' }, url).with(OUTCOME_UNKNOWN);
	}

	/** The ID of a returned webhook, unless the service has returned an existing one in place of a new one. */
	private idOf(desired: DesiredWebhook, { _id }: Webhook): string | NotMade {
		const isOfOther = [...this.made].some(([other, id]) => id === _id && other !== desired);
		if (!isOfOther && !this.idsBefore.has(_id)) return _id;
		// It has another secret, or has just become the webhook of another desired one.
		return { kind: 'refused', error: urlTaken() };
	}
}

/** What the error of a create says of its webhook. */
function notMade(error: Error): NotMade {
	if (mayBeUnderWay(error)) return { kind: 'open', error };
	if (mayBeDone(error)) return { kind: 'cutOff', error };
	if (!(error instanceof RequestError) || isOutage(error) || isCancelled(error)) {
		return { kind: 'failed', error };
	}
	return { kind: 'refused', error: isConflict(error) ? urlTaken() : error };
}

/** Notes how a create has ended, perhaps long after the change that has sent it. */
function noteEnd(entry: KnownWebhook, outcome: Outcome<Webhook>): void {
	if (outcome.ok) {
		const { _id: id } = outcome.value;
		// The service has returned an existing one in place of a new one.
		if (entry.open?.idsBefore.has(id)) entry.open = undefined;
		else noteMade(entry, id);
		return;
	}
	// The service may still make the webhook, or has made it: only a list tells.
	if (mayBeUnderWay(outcome.error) || mayBeDone(outcome.error)) return;
	entry.open = undefined;
}

/**
 * The error for a target URL that is taken. A service may allow each target URL only once, and compare them without their
 * query, in which the webhooks of a node differ.
 */
const urlTaken = (): RequestError =>
	new RequestError(
		'conflict',
		{
			message:
				'The service refuses the target URL of this workflow: another webhook already has it',
			description:
				"Find the other webhook with the operation 'Get Many', and delete it if nobody needs it. If it belongs to this workflow, set the option 'Webhooks: Subscription' to 'One Webhook for Everything', and select no lead state. If it is not listed, another team may have it: add a new trigger node to this workflow, which gets a different target URL.",
		},
		{ status: 409 },
	);

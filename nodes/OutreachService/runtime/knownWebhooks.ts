/** What a process knows of the webhooks at a base: what lists, and the outcomes of its own creates, have shown. */
import { mayBeDone, mayBeUnderWay } from '../api/errors';
import { normalizeUrl } from '../domain/targetUrl';
import type { Webhook } from '../domain/webhook';
import { msSince, type Moment } from '../utils/moment';
import type { Outcome } from '../utils/settle';

/** How long a create whose outcome is not known is waited for, in milliseconds (D112). */
const LONGEST_OPEN_MS = 10 * 60_000;

/** A create whose outcome is not known: the service may have carried it out, or may still do so (D112). */
export type OpenCreate = {
	sentAt: Moment;
	/** The IDs of the webhooks that existed before. None of them is its result. */
	idsBefore: ReadonlySet<string>;
	/** The response, which may arrive long after the change that has sent the create. Never rejects. */
	end: Promise<Outcome<Webhook>>;
	/** Whether the service is done with it, so that another one may be sent. Only a list tells whether it has made a webhook. */
	hasEnded: boolean;
	/** Why the service has refused it for the time being, such as its rate limit. It is sent again without a further change. */
	refusal?: Error | undefined;
};

/**
 * What is known of the webhook at a target URL:
 *
 * - `unknown`: nothing.
 * - `unlisted`: this process has created it, and no list has shown it. It counts as existing: the list may be late or incomplete.
 * - `made`: this process has created it, and a list has shown it.
 * - `seen`: a list has shown it. Somebody else has created it, or this process before a restart.
 * - `doubted`: as `seen`, but a delivery had a wrong secret, so that somebody may have replaced it.
 * - `gone`: the latest list did not show it any more, or not as desired.
 */
type WebhookState = 'unknown' | 'unlisted' | 'made' | 'seen' | 'doubted' | 'gone';

export type KnownWebhook = {
	state: WebhookState;
	/** The ID that a list or a response last showed. */
	id?: string | undefined;
	open?: OpenCreate | undefined;
	/** Whether this process has created it in place of one that was gone: the events in between are lost. */
	hasReplaced?: boolean;
};

/** Groups webhooks by their normalized target URLs. */
export function byTargetUrl(webhooks: readonly Webhook[]): Map<string, Webhook[]> {
	const grouped = new Map<string, Webhook[]>();
	for (const webhook of webhooks) {
		const url = normalizeUrl(webhook.targetUrl);
		const others = grouped.get(url);
		if (others) others.push(webhook);
		else grouped.set(url, [webhook]);
	}
	return grouped;
}

export class KnownWebhooks {
	private readonly byUrl = new Map<string, KnownWebhook>();

	get(targetUrl: string): Readonly<KnownWebhook> | undefined {
		return this.byUrl.get(normalizeUrl(targetUrl));
	}

	/** The IDs of the webhooks that exist as far as is known. */
	get ids(): Set<string> {
		return new Set([...this.byUrl.values()].flatMap(({ id }) => id ?? []));
	}

	/** The IDs of the webhooks that this process has created, and no list has shown. */
	get unlistedIds(): string[] {
		return [...this.byUrl.values()].flatMap(({ id, state }) =>
			id !== undefined && state === 'unlisted' ? [id] : [],
		);
	}

	/** Whether there is a create whose outcome is not known. */
	get hasOpenCreate(): boolean {
		return [...this.byUrl.values()].some(({ open }) => open !== undefined);
	}

	noteSent(targetUrl: string, open: OpenCreate): void {
		this.at(targetUrl).open = open;
	}

	/** Notes how a create has ended, perhaps long after the change that has sent it. */
	noteEnd(targetUrl: string, open: OpenCreate, outcome: Outcome<Webhook>): void {
		open.hasEnded = outcome.ok || !mayBeUnderWay(outcome.error);
		const known = this.byUrl.get(normalizeUrl(targetUrl));
		// Otherwise, a list has told the outcome before.
		if (known?.open !== open) return;
		// Only a list tells.
		if (!outcome.ok && mayBeDone(outcome.error)) return;
		known.open = undefined;
		if (!outcome.ok) return;
		const { _id: id } = outcome.value;
		// A service may return the webhook of another URL, instead of a new one.
		if (!open.idsBefore.has(id) && !this.ids.has(id)) noteMade(known, id, 'unlisted');
	}

	/** Notes what a list says of the webhooks at the base: which of them exist, and what the open creates have made. */
	noteList(atBase: readonly Webhook[]): void {
		const listedAt = byTargetUrl(atBase);
		for (const [url, known] of this.byUrl) {
			const ids = (listedAt.get(url) ?? []).map(({ _id }) => _id);
			const { open, id, state } = known;
			const madeId = open && ids.find((one) => !open.idsBefore.has(one));
			if (madeId !== undefined) noteMade(known, madeId, 'made');
			else if (state === 'unlisted' && ids.some((one) => one === id)) known.state = 'made';
			if (madeId !== undefined || (open && msSince(open.sentAt) > LONGEST_OPEN_MS)) {
				known.open = undefined;
			}
		}
	}

	/** Notes which webhook stays at its URL: from now on, another one there is not the node's. */
	noteKept(targetUrl: string, id: string): void {
		const known = this.at(targetUrl);
		if (known.id !== id || known.state === 'gone') Object.assign(known, { id, state: 'seen' });
	}

	noteGone(targetUrl: string): void {
		this.at(targetUrl).state = 'gone';
	}

	/** Whether this process has created a webhook in place of one that was gone; only once for each. */
	takeLoss(targetUrl: string): boolean {
		const known = this.at(targetUrl);
		const { hasReplaced = false } = known;
		known.hasReplaced = false;
		return hasReplaced;
	}

	/** A delivery had a wrong secret. @returns whether that means anything: this process has not made the webhook */
	doubt(targetUrl: string): boolean {
		const known = this.get(targetUrl);
		if (known?.state !== 'seen') return false;
		this.at(targetUrl).state = 'doubted';
		return true;
	}

	/** Forgets a webhook that is removed: the node must not find it gone if it comes back. */
	forget({ _id }: Pick<Webhook, '_id'>): void {
		for (const [url, known] of this.byUrl) {
			if (known.id !== _id) continue;
			Object.assign(known, { id: undefined, state: 'unknown' });
			this.drop(url);
		}
	}

	/** Forgets everything but open creates. */
	forgetAll(): void {
		const all = [...this.byUrl];
		this.byUrl.clear();
		for (const [url, { open }] of all) if (open) this.noteSent(url, open);
	}

	/** Forgets what is known of all target URLs but some. Open creates and unlisted webhooks are known until their end. */
	forgetExcept(targetUrls: readonly string[]): void {
		const kept = new Set(targetUrls.map(normalizeUrl));
		for (const url of this.byUrl.keys()) if (!kept.has(url)) this.drop(url);
	}

	private drop(url: string): void {
		const known = this.byUrl.get(url);
		if (!known?.open && known?.state !== 'unlisted') this.byUrl.delete(url);
	}

	private at(targetUrl: string): KnownWebhook {
		const url = normalizeUrl(targetUrl);
		const known = this.byUrl.get(url) ?? { state: 'unknown' };
		this.byUrl.set(url, known);
		return known;
	}
}

function noteMade(known: KnownWebhook, id: string, state: 'unlisted' | 'made'): void {
	// A service may update a webhook in place, which the list has just not shown.
	known.hasReplaced ||= known.state === 'gone' && known.id !== id;
	Object.assign(known, { id, state });
}

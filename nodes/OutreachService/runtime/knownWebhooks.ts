/** What a process knows of the webhooks at a base: what lists, and the outcomes of its own creates, have shown. */
import { isConflict, mayBeDone } from '../api/errors';
import { normalizeUrl } from '../domain/targetUrl';
import type { Webhook } from '../domain/webhook';
import { msSince, type Moment } from '../utils/moment';
import type { Outcome } from '../utils/settle';

/** How long a create whose outcome is not known holds back another one, in milliseconds (D112). */
const LONGEST_OPEN_MS = 10 * 60_000;

/** A create whose outcome is not known: the service may have carried it out, or may still do so (D112). */
export type OpenCreate = {
	sentAt: Moment;
	/** The IDs of the webhooks that existed before. None of them is its result. */
	idsBefore: ReadonlySet<string>;
	/** The response, which may arrive long after the change that has sent the create. Never rejects. */
	end: Promise<Outcome<Webhook>>;
	/** Why the service has refused it for the time being, such as its rate limit. It is sent again without a further change. */
	refusal?: Error | undefined;
};

/** What is known of the webhook at a target URL. */
export type KnownWebhook = {
	/** The ID that a list or a response last showed. */
	id?: string | undefined;
	/** When this process has learned that it has created this webhook, as `performance.now()` tells it; undefined if it has not. */
	madeAt?: number | undefined;
	/** Webhooks that this process has created, and no list has shown. The list may be late or incomplete, or they are gone. */
	unlisted: readonly string[];
	/** Whether the service itself has said that it had such a webhook: its list is incomplete. */
	isHidden: boolean;
	open?: OpenCreate | undefined;
	/**
	 * The ID of the webhook that was gone when it was last compared, empty if no ID is known; undefined while none is. Its events are
	 * lost once another webhook exists in its place: a list that comes late may show it again.
	 */
	goneId?: string | undefined;
	/** Whether a delivery had a wrong secret, so that somebody may have replaced the webhook. */
	isSuspect: boolean;
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

	/** Whether another list may tell more than is known. */
	get isUncertain(): boolean {
		const isUnclear = ({ open, unlisted, isHidden }: KnownWebhook): boolean =>
			open !== undefined || unlisted.length > (isHidden ? 1 : 0);
		return [...this.byUrl.values()].some(isUnclear);
	}

	noteSent(targetUrl: string, open: OpenCreate): void {
		this.at(targetUrl).open = open;
	}

	/** Notes how a create has ended, perhaps long after the change that has sent it. */
	noteEnd(targetUrl: string, outcome: Outcome<Webhook>): void {
		const known = this.at(targetUrl);
		if (!outcome.ok) {
			// The service may still make the webhook, or has made it: only a list tells.
			if (mayBeDone(outcome.error)) return;
			known.isHidden ||= isConflict(outcome.error) && known.unlisted.length > 0;
		} else if (!known.open?.idsBefore.has(outcome.value._id)) {
			noteMade(known, outcome.value._id);
		}
		known.open = undefined;
	}

	/** Notes what a list says of the webhooks at the base: which of them exist, and what the open creates have made. */
	noteList(atBase: readonly Webhook[]): void {
		const listedAt = byTargetUrl(atBase);
		for (const [url, known] of this.byUrl) {
			const ids = (listedAt.get(url) ?? []).map(({ _id }) => _id);
			const { open } = known;
			const madeId = open && ids.find((id) => !open.idsBefore.has(id));
			if (madeId !== undefined) noteMade(known, madeId);
			if (madeId !== undefined || (open && msSince(open.sentAt) > LONGEST_OPEN_MS)) {
				known.open = undefined;
			}
			known.unlisted = known.unlisted.filter((id) => !ids.includes(id));
			if (known.id !== undefined && ids.includes(known.id)) known.isHidden = false;
		}
	}

	/** Notes which webhook stays at its URL: from now on, another one there is not the node's. */
	noteKept(targetUrl: string, id: string): void {
		const known = this.at(targetUrl);
		if (known.id !== id) Object.assign(known, { id, madeAt: undefined });
	}

	noteGone(targetUrl: string): void {
		const known = this.at(targetUrl);
		known.goneId ??= known.id ?? '';
	}

	/** Whether another webhook is now in place of one that was gone. From now on, nothing is gone there. */
	takeLoss(targetUrl: string): boolean {
		const { id, goneId } = this.at(targetUrl);
		this.at(targetUrl).goneId = undefined;
		return goneId !== undefined && goneId !== id;
	}

	/** A delivery had a wrong secret. @returns whether that means anything: this process has not made the webhook */
	suspect(targetUrl: string): boolean {
		const known = this.byUrl.get(normalizeUrl(targetUrl));
		if (!known || known.madeAt !== undefined) return false;
		known.isSuspect = true;
		return true;
	}

	/** The webhooks that this process has created and no list has shown, except some. */
	unlistedExcept(keptIds: ReadonlySet<string>): string[] {
		return [...this.byUrl.values()].flatMap(({ unlisted }) =>
			unlisted.filter((id) => !keptIds.has(id)),
		);
	}

	/** Notes that an unlisted webhook was removed. @param wasFound whether the service still had it */
	noteRemoved(removedId: string, wasFound: boolean): void {
		for (const known of this.byUrl.values()) {
			if (!known.unlisted.includes(removedId)) continue;
			known.unlisted = known.unlisted.filter((id) => id !== removedId);
			if (known.id === removedId) known.id = undefined;
			else if (wasFound) known.isHidden = true;
			else known.goneId = removedId;
		}
	}

	/** Forgets a webhook that is being removed: the node must not find it lost if it comes back. */
	forget({ targetUrl, _id }: Webhook): void {
		const known = this.byUrl.get(normalizeUrl(targetUrl));
		if (known?.id !== _id) return;
		known.id = undefined;
		this.drop(known, normalizeUrl(targetUrl));
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
		for (const [url, known] of this.byUrl) if (!kept.has(url)) this.drop(known, url);
	}

	private drop({ open, unlisted }: KnownWebhook, url: string): void {
		if (!open && unlisted.length === 0) this.byUrl.delete(url);
	}

	private at(targetUrl: string): KnownWebhook {
		const url = normalizeUrl(targetUrl);
		const known = this.byUrl.get(url) ?? { unlisted: [], isHidden: false, isSuspect: false };
		this.byUrl.set(url, known);
		return known;
	}
}

/** Notes that this process has created a webhook. */
function noteMade(known: KnownWebhook, id: string): void {
	if (known.id !== id) known.unlisted = [...known.unlisted, id];
	Object.assign(known, { id, madeAt: performance.now(), isSuspect: false });
}

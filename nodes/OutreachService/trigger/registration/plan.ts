/** What is to be done so that a base has exactly the desired webhooks. Pure: it compares, and sends nothing. */
import { ALL_EVENTS } from '../../domain/eventTypes';
import { baseIn, routeIn, triggerUrlIn, type WebhookBase } from '../../domain/triggerUrl';
import { normalizeUrl } from '../../domain/targetUrl';
import { eventOf, hasSettings, settingsOf, type Webhook } from '../../domain/webhook';
import type { KnownWebhook } from '../../runtime/triggerNodes';
import type { DesiredWebhook } from './desired';

/** What is known of the webhooks at a base, by normalized target URL. */
export type Known = ReadonlyMap<string, KnownWebhook>;

/**
 * Why the webhooks of a node are compared:
 *
 * - `activation`: a person activates a workflow, or begins a test run. What this process has not made itself is replaced, so that
 *   unpublishing and publishing also heals what nobody can see, such as a webhook with another secret.
 * - `start`: n8n starts. Whatever is at the base and says what is desired stays, whoever has made it.
 * - `check`: the same, in a check or when a change is published.
 */
export type Occasion = 'activation' | 'start' | 'check';

/** What is to be done for a desired webhook. */
type Decision =
	/** The list shows it. */
	| { kind: 'keep'; id: string }
	/** The service has confirmed it twice, and no list shows it: the list is incomplete, and a third one would help nobody. */
	| { kind: 'hidden'; id: string }
	/** The outcome of its create is not known. */
	| { kind: 'wait' }
	/**
	 * It is to be created.
	 * @property isGone whether this process had seen or made it before, or nothing of the kind is there when n8n has started
	 * @property unlistedId the ID of one that the service has confirmed and no list has shown. When it is removed afterwards, the
	 *   service says whether it existed.
	 */
	| { kind: 'create'; isGone: boolean; unlistedId?: string | undefined };

export type Plan = {
	decisions: ReadonlyMap<DesiredWebhook, Decision>;
	/** The listed webhooks at the base that do not stay. */
	undesired: readonly Webhook[];
};

/** Sorts out the webhooks of a team, each of which is read once: those at a base, and those that another address has for it. */
export function findAtBase(
	base: WebhookBase,
	listed: readonly Webhook[],
): { atBase: Webhook[]; elsewhere: Webhook[] } {
	const [own, route] = [baseIn(base), routeIn(base)];
	// Nearly all webhooks of a large team are of other nodes, and parsing a URL takes longer than all the rest. A service may encode
	// other characters than these in its own way.
	const [id = ''] = /^[\w-]+(?=\/)/.exec(route) ?? [];
	const atBase: Webhook[] = [];
	const elsewhere: Webhook[] = [];
	for (const webhook of listed) {
		const url = webhook.targetUrl.includes(id) ? triggerUrlIn(webhook.targetUrl) : undefined;
		if (!url) continue;
		if (url.base === own) atBase.push(webhook);
		else if (routeIn(url.base) === route) elsewhere.push(webhook);
	}
	return { atBase, elsewhere };
}

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

/** What a plan needs to know, beside the webhooks. */
type Facts = {
	occasion: Occasion;
	/**
	 * Whether n8n has started, and no list was read since: then nothing is known, and what is neither at the base in any form nor at
	 * another address has vanished while n8n was down.
	 */
	isFirstLook: boolean;
	/** As `performance.now()` tells it. */
	listRequestedAt: number;
};

/**
 * Compares the desired webhooks with those at the base.
 * @param known with what the list says noted in it
 */
export function planFor(
	desired: readonly DesiredWebhook[],
	atBase: readonly Webhook[],
	known: Known,
	{ occasion, isFirstLook, listRequestedAt }: Facts,
): Plan {
	const listedAt = byTargetUrl(atBase);
	const mayHaveBeen = eventsIn(atBase);
	const decisions = new Map<DesiredWebhook, Decision>();
	for (const webhook of desired) {
		const url = normalizeUrl(webhook.targetUrl);
		const serving = (listedAt.get(url) ?? []).filter((one) => hasSettings(one, webhook));
		const decision = decide(serving, known.get(url), occasion, listRequestedAt);
		const isGone =
			decision.kind === 'create' &&
			isFirstLook &&
			known.get(url) === undefined &&
			!mayHaveBeen(webhook.event);
		decisions.set(webhook, isGone ? { kind: 'create', isGone } : decision);
	}
	const keptIds = new Set<string>();
	for (const decision of decisions.values()) {
		if ('id' in decision) keptIds.add(decision.id);
	}
	return { decisions, undesired: atBase.filter(({ _id }) => !keptIds.has(_id)) };
}

/** Decides what is to be done for one desired webhook: the first rule that applies. @param serving those listed as desired */
function decide(
	serving: readonly Webhook[],
	known: KnownWebhook | undefined,
	occasion: Occasion,
	listRequestedAt: number,
): Decision {
	// 1. The webhook that this process has seen or made stays.
	const own = serving.find(({ _id }) => _id === known?.id);
	const isTrusted = occasion !== 'activation' && known?.isSuspect === false;
	if (own && (known?.isMade || isTrusted)) return { kind: 'keep', id: own._id };
	// 2. A webhook that this process has never seen is adopted: its target URL says everything. But not in place of another one that
	// the list has shown: somebody has replaced that, and only we know the secret. Nor in place of one that was created twice: a list
	// that comes late still shows the first one, which was removed.
	const [first] = serving;
	const isHidden = known !== undefined && known.unlistedCreates > 1;
	const isAdopted = occasion !== 'activation' && !(known?.isListed || known?.isSuspect || isHidden);
	if (first && isAdopted) return { kind: 'keep', id: first._id };
	// 3. While the outcome of a create is not known, no second one is sent; nor if it became known while the list was under way.
	const isNewer = known?.madeAt !== undefined && known.madeAt > listRequestedAt;
	if (known?.open || isNewer) return { kind: 'wait' };
	// 4. A webhook that the service has confirmed, and no list has shown, is replaced once.
	if (known?.id !== undefined && !known.isListed) {
		if (isHidden) return { kind: 'hidden', id: known.id };
		return { kind: 'create', isGone: false, unlistedId: known.id };
	}
	// 5. It is gone, disabled, changed or replaced; or it is new. That it is suspect proves nothing: anybody can send a wrong secret.
	const isGone = known?.id !== undefined && !known.isSuspect && occasion !== 'activation';
	return { kind: 'create', isGone };
}

/** Tells for which events a webhook may have been there before: one for the event or for all events, with whatever key and settings. */
function eventsIn(atBase: readonly Webhook[]): (event: string) => boolean {
	const enabled = atBase.filter((webhook) => settingsOf(webhook).disabled !== true);
	const events = new Set(enabled.map(eventOf));
	return (event) =>
		event === ALL_EVENTS ? events.size > 0 : events.has(event) || events.has(ALL_EVENTS);
}

/** What a desired webhook is for, beside its event. */
type Settings = Pick<DesiredWebhook, 'campaignId' | 'isFirst'>;

/** Which webhooks at a base deliver which events, so that n8n accepts them. Each is read once, however often this is asked. */
export class Coverage {
	private readonly webhooks = new Map<
		string,
		Array<{ id: string; isFirst?: boolean | undefined }>
	>();

	/** @param isAccepted whether deliveries with an API key's fingerprint are accepted */
	constructor(atBase: readonly Webhook[], isAccepted: (keyId: string) => boolean) {
		for (const webhook of atBase) {
			const { targetUrl, _id: id } = webhook;
			const { query } = triggerUrlIn(targetUrl) ?? {};
			// Somebody may have changed it, so that it does not deliver what its URL says.
			if (!query || !isAccepted(query.keyId)) continue;
			if (!hasSettings(webhook, { ...query, targetUrl })) continue;
			const { event, campaignId, isFirst } = query;
			const key = `${event} ${campaignId ?? ''}`;
			const others = this.webhooks.get(key);
			if (others) others.push({ id, isFirst });
			else this.webhooks.set(key, [{ id, isFirst }]);
		}
	}

	/**
	 * The IDs of the webhooks that deliver an event as desired.
	 * @param event the selected event: with one webhook for everything, each selected event by itself
	 * @param goneIds the webhooks that no longer exist
	 */
	of(event: string, { campaignId, isFirst }: Settings, goneIds?: ReadonlySet<string>): string[] {
		const campaigns = campaignId === undefined ? [''] : ['', campaignId];
		const keys = [event, ALL_EVENTS].flatMap((one) => campaigns.map((id) => `${one} ${id}`));
		return keys
			.flatMap((key) => this.webhooks.get(key) ?? [])
			.filter((webhook) => !webhook.isFirst || isFirst === true)
			.map(({ id }) => id)
			.filter((id) => goneIds?.has(id) !== true);
	}
}

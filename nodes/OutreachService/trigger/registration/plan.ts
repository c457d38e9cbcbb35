/** What is to be done so that a base has exactly the desired webhooks. Pure: it compares, and sends nothing. */
import { ALL_EVENTS } from '../../domain/eventTypes';
import {
	baseIn,
	routeIn,
	triggerUrlIn,
	type TargetQuery,
	type WebhookBase,
} from '../../domain/triggerUrl';
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
export type Decision =
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
	const atBase: Webhook[] = [];
	const elsewhere: Webhook[] = [];
	for (const webhook of listed) {
		const url = triggerUrlIn(webhook.targetUrl);
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

/**
 * Compares the desired webhooks with those at the base.
 * @param known with what the list says noted in it
 * @param options.isFirstLook whether n8n has started, and no list was read since: then nothing is known, and what is neither at the
 *   base in any form nor at another address has vanished while n8n was down
 */
export function planFor(
	desired: readonly DesiredWebhook[],
	atBase: readonly Webhook[],
	known: Known,
	{ occasion, isFirstLook }: { occasion: Occasion; isFirstLook: boolean },
): Plan {
	const listedAt = byTargetUrl(atBase);
	const mayHaveBeen = eventsIn(atBase);
	const decisions = new Map<DesiredWebhook, Decision>();
	for (const webhook of desired) {
		const url = normalizeUrl(webhook.targetUrl);
		const serving = (listedAt.get(url) ?? []).filter((one) => hasSettings(one, webhook));
		const decision = decide(serving, known.get(url), occasion);
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
	// 3. While the outcome of a create is not known, no second one is sent.
	if (known?.open) return { kind: 'wait' };
	// 4. A webhook that the service has confirmed, and no list has shown, is replaced once.
	if (known?.id !== undefined && !known.isListed) {
		if (isHidden) return { kind: 'hidden', id: known.id };
		return { kind: 'create', isGone: false, unlistedId: known.id };
	}
	// 5. It is gone, disabled, changed or replaced; or it is new.
	return { kind: 'create', isGone: known?.id !== undefined && occasion !== 'activation' };
}

/** Tells for which events a webhook may have been there before: one for the event or for all events, with whatever key and settings. */
function eventsIn(atBase: readonly Webhook[]): (event: string) => boolean {
	const enabled = atBase.filter((webhook) => settingsOf(webhook).disabled !== true);
	const events = new Set(enabled.map(eventOf));
	return (event) =>
		event === ALL_EVENTS ? events.size > 0 : events.has(event) || events.has(ALL_EVENTS);
}

/** Names what a webhook delivers. Webhooks are found by it, because comparing each with each would take too long. */
const deliveryOf = ({ event, campaignId, isFirst = false }: TargetQuery): string =>
	JSON.stringify([event, campaignId, isFirst]);

/**
 * What a webhook at a base delivers, so that n8n accepts it; undefined for nothing.
 * @param isAccepted whether deliveries with an API key's fingerprint are accepted
 */
export function deliveredBy(
	webhook: Webhook,
	isAccepted: (keyId: string) => boolean,
): string | undefined {
	const { query } = triggerUrlIn(webhook.targetUrl) ?? {};
	if (!query || !isAccepted(query.keyId)) return undefined;
	// Somebody may have changed it.
	if (!hasSettings(webhook, { ...query, targetUrl: webhook.targetUrl })) return undefined;
	return deliveryOf(query);
}

/**
 * What webhooks may deliver that cover an event of a desired one: they are for this event or for all, for its campaign or for all,
 * and for all activities or, if it is too, for first ones.
 * @param event the selected event: with one webhook for everything, each selected event by itself
 */
export const coveredBy = (event: string, desired: DesiredWebhook): string[] =>
	[event, ALL_EVENTS].flatMap((ofEvent) =>
		[undefined, desired.campaignId].flatMap((campaignId) =>
			[false, desired.isFirst].map((isFirst) =>
				deliveryOf({ event: ofEvent, campaignId, isFirst }),
			),
		),
	);

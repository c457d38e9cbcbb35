/** What is to be done so that a base has exactly the desired webhooks. Pure: it compares, and sends nothing. */
import { ALL_EVENTS } from '../../domain/eventTypes';
import { baseIn, routeIn, triggerUrlIn, type WebhookBase } from '../../domain/triggerUrl';
import { normalizeUrl } from '../../domain/targetUrl';
import { eventOf, hasSettings, settingsOf, type Webhook } from '../../domain/webhook';
import { byTargetUrl, type KnownWebhook } from '../../runtime/knownWebhooks';
import type { DesiredWebhook } from './desired';

/** What is to be done for a desired webhook. */
type Decision =
	/** It exists: the list shows it, or the service has just confirmed it. */
	| { kind: 'keep'; id: string }
	/** The service has it, and does not list it: a further one would help nobody. */
	| { kind: 'hidden'; id: string }
	/** The outcome of its create is not known. */
	| { kind: 'wait' }
	/**
	 * It is to be created.
	 * @property isGone whether this process had seen or made it before, or nothing of the kind is there when n8n has started
	 */
	| { kind: 'create'; isGone: boolean };

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

/** What a plan needs to know, beside the webhooks. */
type Facts = {
	/** What is known of the webhook at a target URL, with what the list says noted in it. */
	known: { get: (targetUrl: string) => Readonly<KnownWebhook> | undefined };
	/**
	 * Whether a person activates a workflow, or begins a test run. Then, what this process has not made itself is replaced, so that
	 * unpublishing and publishing also heals what nobody can see, such as a webhook with another secret. Otherwise, whatever is at the
	 * base and says what is desired stays, whoever has made it.
	 */
	isActivation: boolean;
	/** Whether n8n has started, and nothing is known: then what has no counterpart anywhere has vanished while n8n was down. */
	isFirstLook: boolean;
	/** As `performance.now()` tells it. */
	listRequestedAt: number;
};

/** Compares the desired webhooks with those at the base. */
export function planFor(
	desired: readonly DesiredWebhook[],
	atBase: readonly Webhook[],
	facts: Facts,
): Plan {
	const listedAt = byTargetUrl(atBase);
	const mayHaveBeen = eventsIn(atBase);
	const keptIds = new Set<string>();
	const decide = (webhook: DesiredWebhook): Decision => {
		const listed = listedAt.get(normalizeUrl(webhook.targetUrl)) ?? [];
		const known = facts.known.get(webhook.targetUrl);
		const serving = listed.filter((one) => hasSettings(one, webhook));
		const decision = decideFor(serving, known, facts);
		if ('id' in decision) keptIds.add(decision.id);
		if (decision.kind !== 'create' || known || !facts.isFirstLook) return decision;
		return { kind: 'create', isGone: !mayHaveBeen(webhook.event) };
	};
	const decisions = new Map(desired.map((webhook) => [webhook, decide(webhook)]));
	return { decisions, undesired: atBase.filter(({ _id }) => !keptIds.has(_id)) };
}

/** Decides what is to be done for one desired webhook: the first rule that applies. @param serving those listed as desired */
function decideFor(
	serving: readonly Webhook[],
	known: Readonly<KnownWebhook> | undefined,
	{ isActivation, listRequestedAt }: Facts,
): Decision {
	const { id, madeAt, unlisted = [] } = known ?? {};
	const isListed = serving.some(({ _id }) => _id === id);
	// Then what this process has not made itself is replaced: nobody can see whether it has our secret.
	const isDoubted = madeAt === undefined && (isActivation || known?.isSuspect === true);
	// 1. The webhook that this process has seen or made stays, also if it was made while the list was under way.
	if (id !== undefined && ((isListed && !isDoubted) || (madeAt ?? 0) > listRequestedAt)) {
		return { kind: 'keep', id };
	}
	// 2. One that this process has never seen is adopted: its target URL says everything. But not in place of another one: somebody has
	// replaced that, and only we know the secret; or a list that comes late still shows an earlier one.
	const [first] = serving;
	if (first && id === undefined && !isDoubted) return { kind: 'keep', id: first._id };
	// 3. While the outcome of a create is not known, no second one is sent.
	if (known?.open) return { kind: 'wait' };
	// 4. A webhook that the service has confirmed, and no list has shown, is replaced once. When the first one is then removed, the
	// service says whether it existed.
	if (id !== undefined && unlisted.includes(id)) {
		const isHidden = known?.isHidden === true || unlisted.length > 1;
		return isHidden ? { kind: 'hidden', id } : { kind: 'create', isGone: false };
	}
	// 5. It is gone, disabled, changed or replaced; or it is new, or in doubt. A doubt proves nothing: anybody can send a wrong secret.
	return { kind: 'create', isGone: id !== undefined && !isListed };
}

/** Tells for which events a webhook may have been there before: one for the event or for all events, with whatever key and settings. */
function eventsIn(atBase: readonly Webhook[]): (event: string) => boolean {
	const enabled = atBase.filter((webhook) => settingsOf(webhook).disabled !== true);
	const events = new Set(enabled.map(eventOf));
	return (event) =>
		event === ALL_EVENTS ? events.size > 0 : events.has(event) || events.has(ALL_EVENTS);
}

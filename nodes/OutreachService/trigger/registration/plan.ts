/** What is to be done so that a base has exactly the desired webhooks. Pure: it compares, and sends nothing. */
import { ALL_EVENTS } from '../../domain/eventTypes';
import { baseIn, routeIn, triggerUrlIn, type WebhookBase } from '../../domain/triggerUrl';
import { normalizeUrl } from '../../domain/targetUrl';
import { eventOf, hasSettings, settingsOf, type Webhook } from '../../domain/webhook';
import { byTargetUrl, type KnownWebhook } from '../../runtime/knownWebhooks';
import type { DesiredWebhook } from './desired';

/** What is to be done for a desired webhook. */
type Decision =
	/** It exists. */
	| { kind: 'keep'; id: string }
	/** The service may still carry out its create. */
	| { kind: 'wait' }
	/**
	 * It is to be created.
	 * @property isGone whether it was there before, and this is the first list that does not show it
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
	const own = baseIn(base);
	// Below WEBHOOK_URL, in production `webhook/<webhook ID>/webhook`. In a test run, it begins with `webhook-test`.
	const path = own.split('/').slice(-3).join('/');
	// Nearly all webhooks of a large team are of other nodes, and parsing a URL takes longer than all the rest. A service may encode
	// other characters than these in its own way.
	const [id = ''] = /^[\w-]+(?=\/)/.exec(routeIn(base)) ?? [];
	const atBase: Webhook[] = [];
	const elsewhere: Webhook[] = [];
	for (const webhook of listed) {
		const url = webhook.targetUrl.includes(id) ? triggerUrlIn(webhook.targetUrl) : undefined;
		if (!url) continue;
		if (url.base === own) atBase.push(webhook);
		else if (url.base.endsWith(`/${path}`)) elsewhere.push(webhook);
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
		const decision = decideFor(serving, known ?? { state: 'unknown' }, facts);
		if (decision.kind === 'keep') keptIds.add(decision.id);
		if (decision.kind !== 'create' || !facts.isFirstLook) return decision;
		return { kind: 'create', isGone: !mayHaveBeen(webhook.event) };
	};
	const decisions = new Map(desired.map((webhook) => [webhook, decide(webhook)]));
	return { decisions, undesired: atBase.filter(({ _id }) => !keptIds.has(_id)) };
}

/** Decides what is to be done for one desired webhook: the first rule that applies. @param serving those listed as desired */
function decideFor(
	serving: readonly Webhook[],
	{ state, id, open }: Readonly<KnownWebhook>,
	{ isActivation }: Facts,
): Decision {
	const [first] = serving;
	const isListed = serving.some(({ _id }) => _id === id);
	// 1. One that this process has created stays, also if the list does not show it yet: to create it again would only double it.
	if (id !== undefined && (state === 'unlisted' || (state === 'made' && isListed))) {
		return { kind: 'keep', id };
	}
	if (!isActivation && state !== 'doubted') {
		// 2. One that was listed before stays.
		if (id !== undefined && isListed) return { kind: 'keep', id };
		// 3. One that this process has never seen is adopted: its target URL says everything. But not in place of another one: somebody
		// has replaced that, and only we know the secret; or a list that comes late still shows an earlier one.
		if (id === undefined && first) return { kind: 'keep', id: first._id };
	}
	// 4. While the service may still carry out a create, no second one is sent.
	if (open && !open.hasEnded) return { kind: 'wait' };
	// 5. It is gone, disabled, changed or replaced; or it is new, or in doubt. A doubt proves nothing: anybody can send a wrong secret.
	return { kind: 'create', isGone: id !== undefined && !isListed && state !== 'gone' };
}

/** Tells for which events a webhook may have been there before: one for the event or for all events, with whatever key and settings. */
function eventsIn(atBase: readonly Webhook[]): (event: string) => boolean {
	const enabled = atBase.filter((webhook) => settingsOf(webhook).disabled !== true);
	const events = new Set(enabled.map(eventOf));
	return (event) =>
		event === ALL_EVENTS ? events.size > 0 : events.has(event) || events.has(ALL_EVENTS);
}

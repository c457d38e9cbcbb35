/** What is to be done so that the service has exactly the desired webhooks. Pure: it compares, and sends nothing. */
import type { DesiredWebhook, RegisteredWebhook } from '../../domain/registration';
import type { Digest } from '../../domain/secret';
import { isSameUrl } from '../../domain/targetUrl';
import { hasSettings, type Webhook } from '../../domain/webhook';
import { webhookSettings } from './desired';

/** A desired webhook, and the digest of the secret that the current API key gives it. */
export type DesiredWithDigest = DesiredWebhook & { digest: Digest };

export type Situation = {
	desired: readonly DesiredWithDigest[];
	/** All webhooks of the team. */
	listed: readonly Webhook[];
	/** What was registered, in this process or before. */
	registered: readonly RegisteredWebhook[];
	/** Whether a listed webhook has a target URL of this node. */
	isOwnUrl: (webhook: Webhook) => boolean;
	/**
	 * Whether a check of this process has found all webhooks. Until then, what is registered comes from an earlier process,
	 * which may have replaced it since: n8n saves nothing when a check has created a webhook.
	 */
	hasBeenComplete: boolean;
	/** IDs of the webhooks that other active nodes registered: theirs, even at a URL of this node. */
	others?: ReadonlySet<string>;
	/** Webhooks of whatever node that could not be removed, by ID: their target URLs. */
	leftBehind?: ReadonlyMap<string, string>;
};

/** A registered webhook that the list does not show, and its successor: its removal tells whether it was still there. */
type Replacement = { desired: DesiredWithDigest; predecessor: RegisteredWebhook };

/** A webhook that is to be removed: listed, or only known to have been registered. */
export type Removable = { id: string; targetUrl: string };

export type Plan = {
	keep: RegisteredWebhook[];
	create: DesiredWithDigest[];
	/** Those whose predecessor has stopped working: their events may be lost (D83). Most are to be created. */
	lost: DesiredWithDigest[];
	/** Those whose predecessor no list has shown yet: it may be gone, or the list may be incomplete (D82). */
	replacements: Replacement[];
	/** Those that are kept although the list does not show them (D82). */
	unlisted: RegisteredWebhook[];
	/** Of this node, or left behind by some node, and not kept. */
	remove: Removable[];
};

/** Whether a listed webhook delivers what is desired. */
export const isAsDesired = (webhook: Webhook, desired: DesiredWebhook): boolean =>
	hasSettings(webhook, webhookSettings(desired));

/**
 * Compares the desired with the actual webhooks.
 *
 * A webhook is kept when it is registered with the secret of the current API key and listed as desired (D71). Any other of
 * this node is replaced: also one that merely has a target URL of it, because its secret is unknown. This node's webhooks
 * are the registered ones and those at one of its target URLs; no other is touched, except what some node has left behind.
 *
 * A registered webhook that the list does not show is gone if an earlier list showed it. Otherwise the list may be
 * incomplete or late: the webhook is replaced once, and never again (D82).
 */
export function planRegistration(situation: Situation): Plan {
	const plan: Plan = {
		keep: [],
		create: [],
		lost: [],
		replacements: [],
		unlisted: [],
		remove: [],
	};
	const listedById = new Map(situation.listed.map((webhook) => [webhook._id, webhook]));
	for (const desired of situation.desired) planOne(plan, desired, situation, listedById);
	plan.remove = removableIn(situation, plan.keep, listedById);
	return plan;
}

/** Adds to a plan what is to be done for one desired webhook. */
function planOne(
	plan: Plan,
	desired: DesiredWithDigest,
	situation: Situation,
	listedById: ReadonlyMap<string, Webhook>,
): void {
	// A webhook whose removal was tried may still go, so it does not count.
	const candidates = situation.registered.filter(
		(webhook) => webhook.digest === desired.digest && !isLeftBehind(webhook, situation),
	);
	const unlisted = candidates.filter(({ id }) => !listedById.has(id));
	const gone = unlisted.filter(({ wasListed }) => wasListed);
	const [neverListed] = unlisted.filter(({ wasListed }) => !wasListed);

	// What is registered and listed as desired stays.
	const kept = candidates.find(({ id }) => {
		const webhook = listedById.get(id);
		return webhook !== undefined && isAsDesired(webhook, desired);
	});
	if (kept) {
		const { id, event, targetUrl, digest } = kept;
		plan.keep.push({ id, event, targetUrl, digest, wasListed: true });
		// It may be the successor of another one, made by a create that took long.
		if (gone.length > 0) plan.lost.push(desired);
		else if (neverListed) plan.replacements.push({ desired, predecessor: neverListed });
		return;
	}

	// What has replaced a webhook that the list did not show, and is not shown either, stays, too.
	if (neverListed?.isSecond) {
		plan.keep.push(neverListed);
		plan.unlisted.push(neverListed);
		return;
	}

	// Anything else is created.
	plan.create.push(desired);
	// No event was lost where a webhook that an earlier process has created serves, although it is not registered.
	const { hasBeenComplete, listed } = situation;
	const isServed = !hasBeenComplete && listed.some((webhook) => isAsDesired(webhook, desired));
	if (isServed) return;
	if (neverListed) plan.replacements.push({ desired, predecessor: neverListed });
	else if (candidates.length > 0) plan.lost.push(desired);
}

/** What is to be removed: all that is of this node or left behind, but what is kept. */
function removableIn(
	situation: Situation,
	keep: readonly RegisteredWebhook[],
	listedById: ReadonlyMap<string, Webhook>,
): Removable[] {
	const { listed, registered, isOwnUrl, others } = situation;
	const keptIds = new Set(keep.map(({ id }) => id));
	const registeredIds = new Set(registered.map(({ id }) => id));
	const removable: Removable[] = [];
	for (const webhook of listed) {
		const { _id: id, targetUrl } = webhook;
		if (keptIds.has(id) || others?.has(id)) continue;
		const isOfNode = registeredIds.has(id) || isOwnUrl(webhook);
		if (isOfNode || isLeftBehind({ id, targetUrl }, situation)) removable.push({ id, targetUrl });
	}
	for (const { id, targetUrl, wasListed } of registered) {
		// One that a list has shown and no longer does is gone, and needs no request.
		if (listedById.has(id) || wasListed || keptIds.has(id)) continue;
		removable.push({ id, targetUrl });
	}
	return removable;
}

function isLeftBehind({ id, targetUrl }: Removable, { leftBehind }: Situation): boolean {
	const url = leftBehind?.get(id);
	return url !== undefined && isSameUrl(url, targetUrl);
}

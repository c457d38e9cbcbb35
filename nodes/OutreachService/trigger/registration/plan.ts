/** What is to be done so that the service has exactly the desired webhooks. Pure: it compares, and sends nothing. */
import type { DesiredWebhook, RegisteredWebhook } from '../../domain/registration';
import type { Digest } from '../../domain/secret';
import { hasSettings, type Webhook } from '../../domain/webhook';
import { webhookSettings } from './desired';

/** A desired webhook, and the digest of the secret that the current API key gives it. */
export type DesiredWithDigest = DesiredWebhook & { digest: Digest };

/** What a plan is made from. */
export type Situation = {
	desired: readonly DesiredWithDigest[];
	/** All webhooks of the team. */
	listed: readonly Webhook[];
	/** The node's webhooks that this or an earlier process has registered. */
	registered: readonly RegisteredWebhook[];
	/**
	 * Whether a check of this process has found all webhooks. Until then, the registered ones may be outdated: n8n saves
	 * nothing when a check has replaced a webhook.
	 */
	hasBeenComplete: boolean;
	/** Tells whose a webhook is. */
	whose: (webhook: Webhook) => Whose;
};

/**
 * Whose a webhook is:
 *
 * - `node`: the node has registered it, or it is at one of its target URLs, in production or of a test run that is over.
 * - `leftBehind`: some node of this process was to remove it, and could not.
 * - `otherN8n`: one of these two, but it seems to belong to another n8n.
 * - `others`: any other webhook.
 */
export type Whose = 'node' | 'leftBehind' | 'otherN8n' | 'others';

/** A desired webhook, and the registered one that it replaces: the removal of the latter tells whether it still existed. */
type Replacement = { desired: DesiredWithDigest; predecessor: RegisteredWebhook };

/** A webhook that is to be removed: listed, or only known to have been registered. */
export type Removable = { id: string; targetUrl: string };

/** What is to be done. */
export type Plan = {
	/** The registered webhooks that stay. */
	keep: RegisteredWebhook[];
	/** The desired webhooks that must be created. */
	create: DesiredWithDigest[];
	/**
	 * The desired webhooks whose predecessor is gone, so that their events are lost (D83). All of them must be created, except
	 * those that a slow create has made meanwhile.
	 */
	lost: DesiredWithDigest[];
	/**
	 * Replacements of webhooks that no list has shown yet. Nobody knows whether these exist, because the list may be incomplete
	 * (D82): their removal tells.
	 */
	replacements: Replacement[];
	/** The unlisted webhooks, which are kept although the list does not show them (D82). */
	unlisted: RegisteredWebhook[];
	/** The webhooks of this node, or left behind by any node, that are not kept. */
	remove: Removable[];
	/** Those that are not kept either, but stay, because they seem to belong to another n8n. */
	ofOtherN8n: Removable[];
};

/** Whether a listed webhook delivers what is desired. */
export const isAsDesired = (webhook: Webhook, desired: DesiredWebhook): boolean =>
	hasSettings(webhook, webhookSettings(desired));

/**
 * Compares the desired webhooks with those that are registered and listed.
 *
 * A node's webhooks are those that it has registered, and those at one of its target URLs. One of them is kept when it is
 * registered with the secret of the current API key and listed as desired (D71). All others are replaced or removed, also
 * one that merely has a target URL of the node, because its secret is unknown. Webhooks of anybody else are not touched,
 * except those that some node has left behind.
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
		ofOtherN8n: [],
	};
	const listedById = new Map(situation.listed.map((webhook) => [webhook._id, webhook]));
	for (const desired of situation.desired) planOne(plan, desired, situation, listedById);
	addRemovals(plan, situation, listedById);
	return plan;
}

/** Adds to a plan what is to be done for one desired webhook. */
function planOne(
	plan: Plan,
	desired: DesiredWithDigest,
	situation: Situation,
	listedById: ReadonlyMap<string, Webhook>,
): void {
	// A webhook that was left behind does not count, because the service may still carry out the removal that was sent.
	const candidates = situation.registered.filter(
		({ id, targetUrl, digest }) =>
			digest === desired.digest && situation.whose({ _id: id, targetUrl }) !== 'leftBehind',
	);
	const unlisted = candidates.filter(({ id }) => !listedById.has(id));
	const gone = unlisted.filter(({ wasListed }) => wasListed);
	const [neverListed] = unlisted.filter(({ wasListed }) => !wasListed);

	// A registered webhook that is listed as desired stays.
	const kept = candidates.find(({ id }) => {
		const webhook = listedById.get(id);
		return webhook !== undefined && isAsDesired(webhook, desired);
	});
	if (kept) {
		const { id, event, targetUrl, digest } = kept;
		plan.keep.push({ id, event, targetUrl, digest, wasListed: true });
		// An earlier webhook may have vanished before a slow create made this one. Then its events were lost.
		if (gone.length > 0) plan.lost.push(desired);
		else if (neverListed) plan.replacements.push({ desired, predecessor: neverListed });
		return;
	}

	// The list has hidden its predecessor, and now hides this one, too: a webhook is replaced only once.
	if (neverListed?.isSecond) {
		plan.keep.push(neverListed);
		plan.unlisted.push(neverListed);
		return;
	}

	// In any other case, the desired webhook is created.
	plan.create.push(desired);
	// If an earlier process has created a webhook that n8n did not save, it delivers, and no event is lost.
	const { hasBeenComplete, listed } = situation;
	const isServed = !hasBeenComplete && listed.some((webhook) => isAsDesired(webhook, desired));
	if (isServed) return;
	if (neverListed) plan.replacements.push({ desired, predecessor: neverListed });
	else if (candidates.length > 0) plan.lost.push(desired);
}

/** Adds to a plan which webhooks of the node, or left behind by any node, are to be removed: all that are not kept. */
function addRemovals(
	plan: Plan,
	{ listed, registered, whose }: Situation,
	listedById: ReadonlyMap<string, Webhook>,
): void {
	const keptIds = new Set(plan.keep.map(({ id }) => id));
	// A webhook that an earlier list has shown, and this one does not, is gone and needs no request.
	const mayExist = registered
		.filter(({ id, wasListed }) => !listedById.has(id) && !wasListed)
		.map(({ id: _id, targetUrl }): Webhook => ({ _id, targetUrl }));
	for (const webhook of [...listed, ...mayExist]) {
		const { _id: id, targetUrl } = webhook;
		if (keptIds.has(id)) continue;
		const owner = whose(webhook);
		if (owner === 'otherN8n') plan.ofOtherN8n.push({ id, targetUrl });
		else if (owner !== 'others') plan.remove.push({ id, targetUrl });
	}
}

import type { DesiredWebhook, RegisteredWebhook } from '../../domain/registration';
import { hasSettings, type Webhook } from '../../domain/webhook';
import { isSameUrl } from '../../domain/targetUrl';
import { webhookSettings } from './desired';

/** A desired webhook, and the SHA-256 of the secret that the current API key gives it. */
export type DesiredWithDigest = DesiredWebhook & { digest: string };

export type Situation = {
	wanted: readonly DesiredWithDigest[];
	/** All webhooks of the team. */
	listed: readonly Webhook[];
	/** What was registered, in this process or before. */
	registered: readonly RegisteredWebhook[];
	/** Whether a listed webhook has a target URL of this node. */
	isOwnUrl: (webhook: Webhook) => boolean;
	/**
	 * Whether this process has found the webhooks complete before. Until then, what is registered comes from an earlier
	 * process, which may have replaced it since: n8n saves nothing when a check has created a webhook.
	 */
	hasBeenComplete: boolean;
	/** IDs of the webhooks that other active nodes registered: theirs, even at a URL of this node. */
	others?: ReadonlySet<string>;
	/** Webhooks of whatever node that could not be removed, by ID: their target URLs. */
	leftBehind?: ReadonlyMap<string, string>;
};

/** A webhook that the list does not show, and that is replaced: its removal tells whether it was still there. */
type Replacement = { wanted: DesiredWithDigest; predecessor: RegisteredWebhook };

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

/** A listed webhook, or one that is only known to have been registered. */
export type Removable = Pick<Webhook, '_id' | 'targetUrl'>;

/** Whether a listed webhook delivers what is desired. */
export const isAsDesired = (webhook: Webhook, desired: DesiredWebhook): boolean =>
	hasSettings(webhook, webhookSettings(desired));

/**
 * Compares the desired with the actual webhooks. Pure: it sends nothing.
 *
 * A webhook is kept when it is registered with the secret of the current API key and listed as desired (D71). Any other of
 * this node is replaced: also one that merely has a target URL of it, because its secret is unknown. This node's webhooks
 * are the registered ones and those at one of its target URLs; no other is touched, except what some node has left behind.
 *
 * A registered webhook that the list does not show is gone if an earlier list showed it. Otherwise the list may be
 * incomplete or late: the webhook is replaced once, and never again (D82).
 */
export function planRegistration(situation: Situation): Plan {
	const { wanted, listed, registered, isOwnUrl, hasBeenComplete } = situation;
	const { others = new Set<string>(), leftBehind = new Map<string, string>() } = situation;
	const byId = new Map(listed.map((webhook) => [webhook._id, webhook]));
	const isLeftBehind = ({ _id, targetUrl }: Removable): boolean => {
		const url = leftBehind.get(_id);
		return url !== undefined && isSameUrl(url, targetUrl);
	};
	const plan: Plan = {
		keep: [],
		create: [],
		lost: [],
		replacements: [],
		unlisted: [],
		remove: [],
	};

	for (const one of wanted) {
		// A webhook whose removal was tried may still go, so it is no candidate.
		const candidates = registered.filter(
			({ id, targetUrl, digest }) => digest === one.digest && !isLeftBehind({ _id: id, targetUrl }),
		);
		const kept = candidates.find(({ id }) => {
			const webhook = byId.get(id);
			return webhook !== undefined && isAsDesired(webhook, one);
		});
		if (kept) {
			const { id, event, targetUrl, digest } = kept;
			plan.keep.push({ id, event, targetUrl, digest, wasListed: true });
			// It may be the successor of another one, from a create that took long.
			const unlisted = candidates.filter(({ id }) => !byId.has(id));
			const [predecessor] = unlisted.filter(({ wasListed }) => !wasListed);
			if (unlisted.some(({ wasListed }) => wasListed)) plan.lost.push(one);
			else if (predecessor) plan.replacements.push({ wanted: one, predecessor });
			continue;
		}
		const neverListed = candidates.find(({ id, wasListed }) => !byId.has(id) && !wasListed);
		if (neverListed?.isSecond) {
			plan.keep.push(neverListed);
			plan.unlisted.push(neverListed);
			continue;
		}
		plan.create.push(one);
		// A webhook that an earlier process has created works, although it is not registered.
		const isServed = !hasBeenComplete && listed.some((webhook) => isAsDesired(webhook, one));
		if (neverListed) {
			if (!isServed) plan.replacements.push({ wanted: one, predecessor: neverListed });
		} else if (candidates.length > 0 && !isServed) {
			plan.lost.push(one);
		}
	}

	const keptIds = new Set(plan.keep.map(({ id }) => id));
	const registeredIds = new Set(registered.map(({ id }) => id));
	const isOfNode = (webhook: Webhook): boolean =>
		!others.has(webhook._id) &&
		(registeredIds.has(webhook._id) || isOwnUrl(webhook) || isLeftBehind(webhook));
	const listedOfNode = listed.filter((webhook) => !keptIds.has(webhook._id) && isOfNode(webhook));
	// One that a list has shown before is gone, and needs no request.
	const perhapsThere = registered.filter(
		({ id, wasListed }) => !byId.has(id) && !wasListed && !keptIds.has(id),
	);
	plan.remove = [
		...listedOfNode,
		...perhapsThere.map(({ id, targetUrl }) => ({ _id: id, targetUrl })),
	];
	return plan;
}

import { isOwnUrl } from '../../model/n8nUrls';
import type { DesiredWebhook, RegisteredWebhook } from '../../model/registration';
import { hasSettings, type Webhook } from '../../model/schemas';
import { isSameUrl } from '../../model/targetUrl';
import { webhookSettings } from './desired';

/** A desired webhook, and the SHA-256 of the secret that the current API key gives it. */
export type WantedWebhook = DesiredWebhook & { digest: string };

export type Situation = {
	/** The node's webhook URL, without the event. */
	base: string;
	wanted: readonly WantedWebhook[];
	/** All webhooks of the team. */
	listed: readonly Webhook[];
	/** What was registered, in this process or before. */
	known: readonly RegisteredWebhook[];
	/** IDs of the webhooks that other active nodes registered: theirs, even at a URL of this node. */
	others?: ReadonlySet<string>;
	/** Webhooks of whatever node that could not be removed, by ID: their target URLs. */
	leftBehind?: ReadonlyMap<string, string>;
};

export type Plan = {
	keep: RegisteredWebhook[];
	create: WantedWebhook[];
	/** Those to be created whose predecessor has stopped working: their events may be lost. */
	lost: WantedWebhook[];
	/** Of this node or left behind by some node, and not kept; also those no longer desired and not listed: the list may lag. */
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
 * A webhook is kept when it is listed as desired, and has the secret of the current API key (D71). Any other of this node is replaced: also one that merely has a target URL of it, because its secret is
 * unknown. This node's are the registered ones and those at one of its target URLs; no other is touched, except what
 * some node has left behind.
 */
export function planRegistration(situation: Situation): Plan {
	const { base, wanted, listed, known, others, leftBehind } = situation;
	const byId = new Map(listed.map((webhook) => [webhook._id, webhook]));
	const isLeftBehind = ({ _id, targetUrl }: Webhook): boolean =>
		isSameUrl(leftBehind?.get(_id) ?? '', targetUrl);
	const keep: RegisteredWebhook[] = [];
	const create: WantedWebhook[] = [];
	for (const one of wanted) {
		const kept = known.find((registered) => {
			if (registered.digest !== one.digest) return false;
			const webhook = byId.get(registered.id);
			// One whose removal was tried may still go.
			return webhook !== undefined && isAsDesired(webhook, one) && !isLeftBehind(webhook);
		});
		if (kept) keep.push(kept);
		else create.push(one);
	}
	// A change of ours is no loss: of the settings, or of the key, of which the earlier webhooks may be another team's.
	// One that works and is not known may be of an earlier process: n8n saves nothing when a check has created one.
	const lost = create.filter(
		(one) =>
			known.some(({ digest }) => digest === one.digest) &&
			!listed.some((webhook) => isAsDesired(webhook, one)),
	);
	const kept = new Set(keep.map(({ id }) => id));
	const registered = new Set(known.map(({ id }) => id));
	const isOfNode = (webhook: Webhook): boolean =>
		others?.has(webhook._id) !== true &&
		(registered.has(webhook._id) || isOwnUrl(base, webhook.targetUrl) || isLeftBehind(webhook));
	const urls = new Set(wanted.map(({ targetUrl }) => targetUrl));
	const unlisted = known.filter(({ id, targetUrl }) => !byId.has(id) && !urls.has(targetUrl));
	return {
		...{ keep, create, lost },
		remove: [
			...listed.filter((webhook) => !kept.has(webhook._id) && isOfNode(webhook)),
			...unlisted.map(({ id, targetUrl }) => ({ _id: id, targetUrl })),
		],
	};
}

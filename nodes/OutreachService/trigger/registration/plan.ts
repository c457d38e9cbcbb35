import { ALL_EVENTS } from '../../model/eventTypes';
import type { DesiredWebhook, RegisteredWebhook } from '../../model/registration';
import { settingsOf, type Webhook } from '../../model/schemas';
import { isSameUrl } from '../../model/targetUrl';
import { isOwnUrl } from './desired';

/** A desired webhook, and the SHA-256 of the secret that the current API key gives it. */
export type WantedWebhook = DesiredWebhook & { digest: string };

export type Plan = {
	keep: RegisteredWebhook[];
	create: WantedWebhook[];
	/** This node's, and not (or no longer) desired as they are. */
	remove: Webhook[];
};

/** Whether a webhook was registered with the settings that are desired. */
export const sameSettings = (registered: RegisteredWebhook, desired: DesiredWebhook): boolean =>
	registered.targetUrl === desired.targetUrl &&
	registered.campaignId === desired.campaignId &&
	(registered.isFirst ?? false) === (desired.isFirst ?? false);

/** What the service lists must not contradict what is desired; optional fields may be absent (§4.1). */
export function isAsDesired(webhook: Webhook, desired: DesiredWebhook): boolean {
	const { targetUrl, type, campaignId, isFirst, disabled } = settingsOf(webhook);
	if (disabled === true || !isSameUrl(targetUrl, desired.targetUrl)) return false;
	if ((type ?? ALL_EVENTS) !== desired.event) return false;
	if (campaignId !== undefined && campaignId !== desired.campaignId) return false;
	return isFirst === undefined || isFirst === (desired.isFirst ?? false);
}

/**
 * Compares the desired with the actual webhooks. Pure: it sends nothing.
 *
 * A webhook is kept when it is listed as desired, was registered with these settings, and has the secret of the current
 * API key (D71). Any other of this node is replaced: also one that merely has a target URL of it, because its secret is
 * unknown. This node's are the registered ones and those at one of its target URLs; no other is touched.
 */
export function planRegistration(given: {
	base: string;
	wanted: readonly WantedWebhook[];
	listed: readonly Webhook[];
	known: readonly RegisteredWebhook[];
	/** IDs of the webhooks that other active nodes registered: theirs, even at a URL of this node. */
	others?: ReadonlySet<string>;
}): Plan {
	const { base, wanted, known, others } = given;
	const listed = new Map(given.listed.map((webhook) => [webhook._id, webhook]));
	const keep: RegisteredWebhook[] = [];
	const create: WantedWebhook[] = [];
	for (const one of wanted) {
		const kept = known.find((registered) => {
			if (registered.digest !== one.digest || !sameSettings(registered, one)) return false;
			const webhook = listed.get(registered.id);
			return webhook !== undefined && isAsDesired(webhook, one);
		});
		if (kept) keep.push(kept);
		else create.push(one);
	}
	const kept = new Set(keep.map(({ id }) => id));
	const registered = new Set(known.map(({ id }) => id));
	const remove = given.listed.filter(
		({ _id, targetUrl }) =>
			!kept.has(_id) &&
			others?.has(_id) !== true &&
			(registered.has(_id) || isOwnUrl(base, targetUrl)),
	);
	return { keep, create, remove };
}

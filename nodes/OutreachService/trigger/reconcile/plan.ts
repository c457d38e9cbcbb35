import { ALL_EVENTS } from '../../model/eventTypes';
import type { DesiredWebhook, RegisteredWebhook } from '../../model/registration';
import { settingsOf, type Webhook } from '../../model/schemas';
import { isSameUrl, normalizeUrl } from '../../model/targetUrl';
import { isOwnUrl } from './desired';

export type Plan = {
	/** Registered, and as desired. */
	keep: RegisteredWebhook[];
	create: DesiredWebhook[];
	/** This node's, and not (or no longer) desired. */
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
 * Compares the desired with the actual webhooks: what to keep, create and remove so that the service has exactly the
 * desired ones. Pure: it sends nothing.
 *
 * A webhook is kept only when it is registered: the secret of one that merely has a target URL of this node is unknown,
 * so it is replaced. A disabled one (D16) or one with other settings is replaced too. This node's are the registered
 * ones and those with exactly one of its target URLs; no other is touched.
 */
export function planRegistration(given: {
	base: string;
	desired: readonly DesiredWebhook[];
	listed: readonly Webhook[];
	registered: readonly RegisteredWebhook[];
	/** IDs of the webhooks that other active nodes registered: theirs, even at a URL of this node. */
	others?: ReadonlySet<string>;
}): Plan {
	const listed = new Map(given.listed.map((webhook) => [webhook._id, webhook]));
	const keep: RegisteredWebhook[] = [];
	const create: DesiredWebhook[] = [];
	for (const desired of given.desired) {
		const kept = given.registered.find((registered) => {
			const webhook = listed.get(registered.id);
			return (
				webhook !== undefined && sameSettings(registered, desired) && isAsDesired(webhook, desired)
			);
		});
		if (kept) keep.push(kept);
		else create.push(desired);
	}
	const keptIds = new Set(keep.map(({ id }) => id));
	const remove = ownWebhooks(given).filter(({ _id }) => !keptIds.has(_id));
	return { keep, create, remove };
}

/** The listed webhooks that are this node's: registered, or at exactly one of its target URLs. */
export function ownWebhooks(given: {
	base: string;
	listed: readonly Webhook[];
	registered: readonly RegisteredWebhook[];
	desired?: readonly DesiredWebhook[];
	others?: ReadonlySet<string>;
}): Webhook[] {
	const ids = new Set(given.registered.map(({ id }) => id));
	const urls = new Set((given.desired ?? []).map(({ targetUrl }) => normalizeUrl(targetUrl)));
	return given.listed.filter(
		({ _id, targetUrl }) =>
			given.others?.has(_id) !== true &&
			(ids.has(_id) || urls.has(normalizeUrl(targetUrl)) || isOwnUrl(given.base, targetUrl)),
	);
}

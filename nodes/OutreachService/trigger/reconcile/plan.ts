import { ALL_EVENTS } from '../../model/eventTypes';
import { settingsOf, type Hook } from '../../model/schemas';
import { isSameUrl, normalizeUrl } from '../../model/targetUrl';
import type { RegisteredWebhook } from '../../model/registration';
import type { DesiredWebhook } from '../../model/registration';
import { isOwnUrl } from './desired';

export type Plan = {
	/** Registered, and just as wanted. */
	keep: RegisteredWebhook[];
	create: DesiredWebhook[];
	/** Ours, and not (or no longer) wanted. */
	remove: Hook[];
};

/** Whether a webhook was registered with the settings that are desired. */
export const sameSettings = (remembered: RegisteredWebhook, wanted: DesiredWebhook): boolean =>
	remembered.targetUrl === wanted.targetUrl &&
	remembered.campaignId === wanted.campaignId &&
	(remembered.isFirst ?? false) === (wanted.isFirst ?? false);

/** What the service lists must not contradict what is wanted; optional fields may be absent (§4.1). */
function isAsWanted(hook: Hook, wanted: DesiredWebhook): boolean {
	const { targetUrl, type, campaignId, isFirst, disabled } = settingsOf(hook);
	if (disabled === true || !isSameUrl(targetUrl, wanted.targetUrl)) return false;
	if ((type ?? ALL_EVENTS) !== wanted.event) return false;
	if (campaignId !== undefined && campaignId !== wanted.campaignId) return false;
	return isFirst === undefined || isFirst === (wanted.isFirst ?? false);
}

/**
 * Says what has to be done so that the service has exactly the wanted webhooks. Pure: it asks nobody.
 *
 * A webhook is kept only when we remember it: of one that merely has our address we cannot know the secret, so it
 * is replaced. A disabled one (D16) or one with other settings is replaced too. Ours is what we remember and what
 * carries exactly an address that this node gives; nothing else is touched.
 */
export function planRegistration(given: {
	base: string;
	wanted: readonly DesiredWebhook[];
	listed: readonly Hook[];
	remembered: readonly RegisteredWebhook[];
	/** IDs of the webhooks that other active nodes registered: theirs, even at a URL of this node. */
	others?: ReadonlySet<string>;
}): Plan {
	const listed = new Map(given.listed.map((hook) => [hook._id, hook]));
	const keep: RegisteredWebhook[] = [];
	const create: DesiredWebhook[] = [];
	for (const wanted of given.wanted) {
		const kept = given.remembered.find((remembered) => {
			const hook = listed.get(remembered.id);
			return hook !== undefined && sameSettings(remembered, wanted) && isAsWanted(hook, wanted);
		});
		if (kept) keep.push(kept);
		else create.push(wanted);
	}
	const keptIds = new Set(keep.map(({ id }) => id));
	const remove = ownHooks(given).filter(({ _id }) => !keptIds.has(_id));
	return { keep, create, remove };
}

/** The listed webhooks that are this node's: remembered, or at exactly one of its addresses. */
export function ownHooks(given: {
	base: string;
	listed: readonly Hook[];
	remembered: readonly RegisteredWebhook[];
	wanted?: readonly DesiredWebhook[];
	others?: ReadonlySet<string>;
}): Hook[] {
	const ids = new Set(given.remembered.map(({ id }) => id));
	const urls = new Set((given.wanted ?? []).map(({ targetUrl }) => normalizeUrl(targetUrl)));
	return given.listed.filter(
		({ _id, targetUrl }) =>
			given.others?.has(_id) !== true &&
			(ids.has(_id) || urls.has(normalizeUrl(targetUrl)) || isOwnUrl(given.base, targetUrl)),
	);
}

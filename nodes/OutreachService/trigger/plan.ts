import { ALL_EVENTS } from '../model/eventTypes';
import type { Hook } from '../model/schemas';
import type { RememberedHook } from './memory';
import { isOwnUrl, type WantedHook } from './wanted';

export type Plan = {
	/** Registered, and just as wanted. */
	keep: RememberedHook[];
	create: WantedHook[];
	/** Ours, and not (or no longer) wanted. */
	remove: Hook[];
};

const sameSettings = (remembered: RememberedHook, wanted: WantedHook): boolean =>
	remembered.targetUrl === wanted.targetUrl &&
	remembered.campaignId === wanted.campaignId &&
	(remembered.isFirst ?? false) === (wanted.isFirst ?? false);

/** What the service lists must not contradict what is wanted; optional fields may be absent (§4.1). */
function isAsWanted(hook: Hook, wanted: WantedHook): boolean {
	if (hook.disabled === true || hook.targetUrl !== wanted.targetUrl) return false;
	if ((hook.type ?? ALL_EVENTS) !== wanted.event) return false;
	if (typeof hook.campaignId === 'string' && hook.campaignId !== (wanted.campaignId ?? ''))
		return false;
	return typeof hook.isFirst !== 'boolean' || hook.isFirst === (wanted.isFirst ?? false);
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
	wanted: readonly WantedHook[];
	listed: readonly Hook[];
	remembered: readonly RememberedHook[];
}): Plan {
	const listed = new Map(given.listed.map((hook) => [hook._id, hook]));
	const keep: RememberedHook[] = [];
	const create: WantedHook[] = [];
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
	remembered: readonly RememberedHook[];
	wanted?: readonly WantedHook[];
}): Hook[] {
	const ids = new Set(given.remembered.map(({ id }) => id));
	const urls = new Set((given.wanted ?? []).map(({ targetUrl }) => targetUrl));
	return given.listed.filter(
		({ _id, targetUrl }) => ids.has(_id) || urls.has(targetUrl) || isOwnUrl(given.base, targetUrl),
	);
}

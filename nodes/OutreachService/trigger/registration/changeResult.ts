/** The result of a change: what it has found and done, for the next check and for the user. */
import {
	asCertain,
	asHidden,
	asReplaced,
	isHidden,
	type DesiredWebhook,
	type RegisteredWebhook,
} from '../../domain/registration';
import { hasSettings } from '../../domain/webhook';
import type { TriggerNode } from '../../runtime/triggerNodes';
import type { Creates, NotMade } from './creates';
import type { SelectedWebhook } from './desired';
import { keptIn, type Decision, type Plan } from './plan';
import type { Removals } from './removals';
import type { Situation } from './situation';

/** The result of a change. */
export type ChangeResult = {
	/**
	 * The webhooks that serve the selection, and those that are not removed or replaced yet. A webhook that is gone is among these,
	 * too, while nothing has replaced it: it tells the next check whose events are lost.
	 */
	webhooks: readonly RegisteredWebhook[];
	/** The desired webhooks that are missing. Those of earlier credentials may deliver their events. */
	missing: readonly SelectedWebhook[];
	/** Lost events: their webhooks were gone, disabled or changed, and have been replaced (D83). */
	lost: string[];
	/** Events of hidden webhooks, which are not replaced again (D82). */
	hidden: string[];
	/**
	 * Why nothing was done, or why a desired webhook was not created; undefined if all desired webhooks exist. Its kind is `waits`
	 * if all those that were not created only wait for creates that an earlier change has sent (D81).
	 */
	failure: NotMade | undefined;
	/** Why webhooks could not be removed, by their IDs; that costs no event. */
	removalErrors: ReadonlyMap<string, Error>;
	/**
	 * Whether the next minute's check has something to do: a webhook must still be removed, may exist without this process knowing
	 * it yet, or has just turned out to be hidden.
	 */
	isUnfinished: boolean;
};

/**
 * The result of a change that has done nothing, because of an error.
 * @param selected what the selection needs; empty if the parameters cannot be used
 */
export function nothingDone(
	{ webhooks }: Pick<TriggerNode, 'webhooks'>,
	selected: readonly SelectedWebhook[],
	error: Error,
): ChangeResult {
	// Nothing tells which webhooks exist, so those that are registered count as existing.
	const registeredUrls = new Set(webhooks.map(({ targetUrl }) => targetUrl));
	return {
		webhooks,
		missing: selected.filter(({ targetUrl }) => !registeredUrls.has(targetUrl)),
		lost: [],
		hidden: [],
		failure: { error, kind: 'concernsAll' },
		removalErrors: new Map(),
		isUnfinished: false,
	};
}

/** What a change has found and done. */
type FinishedChange = {
	situation: Situation;
	plan: Plan;
	creates: Creates;
	removals: Removals;
	/** Whether the outcome of a create is still not known. */
	isOpen: boolean;
};

/** The result of a change that has come to its end. */
export function resultOf(change: FinishedChange): ChangeResult {
	const { plan, creates, removals, isOpen } = change;
	const kept = keptIn(plan);
	const made = madeIn(change);
	const failures = [...creates.notMade.values()];
	// A create for which this change only waits may end well, so any other failure comes first.
	const failure = failures.find(({ kind }) => kind !== 'waits') ?? failures[0];
	return {
		webhooks: [...kept, ...made, ...notServing(change, [...kept, ...made])],
		missing: missingIn(change),
		lost: lostIn(change),
		// One that has just been made is not reported yet: the next check confirms it.
		hidden: kept.filter(isHidden).map(({ event }) => event),
		failure,
		removalErrors: removals.errors,
		isUnfinished: isOpen || removals.errors.size > 0 || made.some(isHidden),
	};
}

/** The webhooks that were made, with what the removals tell of them. */
function madeIn({ creates, removals }: FinishedChange): RegisteredWebhook[] {
	return [...creates.made].map(([{ predecessor }, webhook]) => {
		// If the service still had its predecessor, the list is incomplete or late (D82).
		const hadPredecessor = predecessor !== undefined && removals.foundAndRemoved(predecessor.id);
		return hadPredecessor ? asHidden(webhook) : webhook;
	});
}

/** The desired webhooks that were not made, and that no other webhook replaces. */
function missingIn({ situation, creates, removals }: FinishedChange): DesiredWebhook[] {
	const listed = situation.listed.filter(({ _id }) => !removals.done.has(_id));
	return [...creates.notMade.keys()]
		.map(({ desired }) => desired)
		.filter((desired) => !listed.some((webhook) => hasSettings(webhook, desired)));
}

/** The events that were lost, and are delivered again. */
function lostIn({ plan, creates, removals }: FinishedChange): string[] {
	return plan.decisions
		.filter((decision) => hasLostEvents(decision, removals) && !creates.notMade.has(decision))
		.map(({ desired }) => desired.event);
}

/** Whether events were lost: a predecessor that was not found when it was to be removed had no longer delivered them. */
function hasLostEvents({ isLost, predecessor }: Decision, removals: Removals): boolean {
	if (isLost) return true;
	return predecessor !== undefined && removals.foundGone(predecessor.id);
}

/** The registered webhooks that stay registered although they do not serve the selection. */
function notServing(
	{ situation, plan, creates, removals }: FinishedChange,
	serving: readonly RegisteredWebhook[],
): RegisteredWebhook[] {
	const servingIds = new Set(serving.map(({ id }) => id));
	const notKeptIds = new Set([...plan.remove, ...plan.ofOtherN8n].map(({ _id }) => _id));
	const missingUrls = new Set([...creates.notMade.keys()].map(({ desired }) => desired.targetUrl));
	const stays = ({ id, targetUrl }: RegisteredWebhook): boolean => {
		if (servingIds.has(id)) return false;
		// It may still exist, because nobody has removed it.
		if (notKeptIds.has(id) && !removals.done.has(id)) return true;
		// Nothing has replaced it, although it is gone, or was removed to make room.
		return missingUrls.has(targetUrl);
	};
	const listedIds = new Set(situation.listed.map(({ _id }) => _id));
	const servedDigests = new Set(serving.map(({ digest }) => digest));
	return situation.registered.filter(stays).map((webhook) => {
		if (removals.done.has(webhook.id)) return asCertain(webhook);
		// It could not be removed. If it had stopped working, this change reports the loss, and the next one must not do so again.
		const isServedByOther = servedDigests.has(webhook.digest);
		return isServedByOther && listedIds.has(webhook.id) ? asReplaced(webhook) : webhook;
	});
}

/** What is to be done so that the service has exactly the desired webhooks. Pure: it compares, and sends nothing. */
import {
	asCertain,
	asListed,
	isCertain,
	isHidden,
	isReplaced,
	mayBeReplacement,
	type DesiredWebhook,
	type RegisteredWebhook,
} from '../../domain/registration';
import { hasSettings, type Webhook } from '../../domain/webhook';
import type { Whose } from './ownership';
import type { Situation } from './situation';

/** What is to be done for one desired webhook, and whether its events were lost. */
export type Decision = {
	desired: DesiredWebhook;
	/** The registered webhook that stays for it; undefined if one must be created. */
	kept?: RegisteredWebhook;
	/** Whether its events were lost, because its webhook is gone, disabled or changed (D83). */
	isLost: boolean;
	/**
	 * Its webhook that the list does not show, and that may exist all the same, because the list may be incomplete (D82). So its
	 * removal tells whether it existed: if the service did not find it, the events are lost, too.
	 */
	predecessor?: RegisteredWebhook | undefined;
};

/** What is to be done. */
export type Plan = {
	/** One for each desired webhook. */
	decisions: readonly Decision[];
	/** The webhooks of this node, or left behind by any node, that are not kept: listed, or only known to be registered. */
	remove: readonly Webhook[];
	/** Those that are not kept either, but stay, because they seem to belong to another n8n. */
	ofOtherN8n: readonly Webhook[];
};

/** The registered webhooks that a plan keeps. */
export const keptIn = ({ decisions }: Plan): RegisteredWebhook[] =>
	decisions.flatMap(({ kept }) => kept ?? []);

/**
 * Compares the desired webhooks with those that are registered and listed.
 *
 * A node's webhooks are those that it has registered, and those at one of its target URLs or left by one of its test runs
 * (`Whose`). One of them is kept when it is registered with the secret of the current API key, and is listed as desired or hidden
 * (D71, D82). All others are replaced or removed, also one that merely has a target URL of the node, because its secret is unknown;
 * but not those that seem to belong to another n8n. Webhooks of anybody else are not touched, except those that some node has left
 * behind.
 *
 * What it means that the list does not show a registered webhook depends on the `evidence` for the webhook (D82).
 */
export function planRegistration(desired: readonly DesiredWebhook[], situation: Situation): Plan {
	const { listed, registered, whose } = situation;
	const listedById = new Map(listed.map((webhook) => [webhook._id, webhook]));
	const decisions = desired.map((webhook) => decide(webhook, situation, listedById));

	const keptIds = new Set(decisions.map(({ kept }) => kept?.id));
	// One that is certain is gone if it is not listed; the others may exist.
	const unlisted = registered.filter(
		(webhook) => !listedById.has(webhook.id) && !isCertain(webhook),
	);
	const notKept = [...listed, ...unlisted.map(asListed)].filter(({ _id }) => !keptIds.has(_id));
	const grouped: Record<Whose, Webhook[]> = { node: [], leftBehind: [], otherN8n: [], others: [] };
	for (const webhook of notKept) grouped[whose(webhook)].push(webhook);
	return {
		decisions,
		remove: [...grouped.node, ...grouped.leftBehind],
		ofOtherN8n: grouped.otherN8n,
	};
}

/** Decides what is to be done for one desired webhook. */
function decide(
	desired: DesiredWebhook,
	{ listed, registered, whose }: Situation,
	listedById: ReadonlyMap<string, Webhook>,
): Decision {
	const isServing = (webhook: Webhook | undefined): boolean =>
		webhook !== undefined && hasSettings(webhook, desired);
	/** Whether it is listed as disabled or changed. */
	const isUnusable = ({ id }: RegisteredWebhook): boolean =>
		listedById.has(id) && !isServing(listedById.get(id));
	// All of these are at the service that the credential names now, so the digest alone tells what they are for. A webhook that
	// was left behind counts only if the list shows that it no longer works: the service may still carry out its removal.
	const registeredFor = registered.filter(
		(webhook) =>
			webhook.digest === desired.digest &&
			!isReplaced(webhook) &&
			(whose(asListed(webhook)) !== 'leftBehind' || isUnusable(webhook)),
	);
	// None is registered at an activation (unless an attempt has just failed), for a newly chosen event, or after a change of
	// the API key. One that was left behind and is gone was to be removed, so it is no loss either.
	if (registeredFor.length === 0) return { desired, isLost: false };
	const serving = registeredFor.find(({ id }) => isServing(listedById.get(id)));
	const unlisted = registeredFor.filter(({ id }) => !listedById.has(id));
	const predecessor = unlisted.find((webhook) => !isCertain(webhook));
	const hasSomeStopped = unlisted.some(isCertain) || registeredFor.some(isUnusable);
	/** Whether another one had stopped working before a slow create of this process made this one (D81). */
	const followsLoss = (webhook: RegisteredWebhook): boolean =>
		hasSomeStopped && !mayBeReplacement(webhook);

	// 1. A registered webhook that is listed as desired stays.
	if (serving) {
		const kept = asCertain(serving);
		// Another process may have made this webhook in place of one that has stopped working, which then is no loss.
		if (mayBeReplacement(serving)) return { desired, kept, isLost: false };
		// If an earlier one may still exist, its removal tells whether it has vanished, too.
		return { desired, kept, isLost: followsLoss(serving), predecessor };
	}

	// 2. A hidden webhook stays, because the list would hide another replacement, too, and each check would create one more.
	if (predecessor && isHidden(predecessor)) return { desired, kept: predecessor, isLost: false };

	// 3. Otherwise, a webhook is created. An earlier process may have created one that n8n did not save, because n8n saves
	// nothing after a check. That one has delivered, so no event was lost.
	if (registeredFor.every(mayBeReplacement) && listed.some(isServing)) {
		return { desired, isLost: false };
	}
	// The events were lost if all webhooks that were registered are gone, disabled or changed. One that may exist comes first: it
	// may have delivered until now, and its removal tells.
	return { desired, isLost: predecessor ? followsLoss(predecessor) : true, predecessor };
}

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
	const isLeftBehind = (webhook: RegisteredWebhook): boolean =>
		whose(asListed(webhook)) === 'leftBehind';
	// All of these are at the service that the credential names now, so the digest alone tells what they are for.
	const ofDesired = registered.filter(
		(webhook) => webhook.digest === desired.digest && !isReplaced(webhook),
	);
	/** Whether it no longer works. That one which was left behind is not listed is no loss, because it was to be removed. */
	const hasStopped = (webhook: RegisteredWebhook): boolean =>
		listedById.has(webhook.id)
			? !isServing(listedById.get(webhook.id))
			: isCertain(webhook) && !isLeftBehind(webhook);
	const hasSomeStopped = ofDesired.some(hasStopped);
	// A webhook that was left behind cannot serve, because the service may still carry out the removal that was sent.
	const candidates = ofDesired.filter((webhook) => !isLeftBehind(webhook));
	// There is none at an activation (unless an attempt has just failed), for a newly chosen event, or after a change of the API key.
	if (candidates.length === 0) return { desired, isLost: hasSomeStopped };
	const serving = candidates.find(({ id }) => isServing(listedById.get(id)));
	const predecessor = candidates.find(
		(webhook) => !listedById.has(webhook.id) && !isCertain(webhook),
	);
	/** Whether another webhook had stopped working before this one was made. If another process may have made it, that is not known. */
	const followsLoss = (webhook: RegisteredWebhook): boolean =>
		hasSomeStopped && !mayBeReplacement(webhook);

	// 1. A registered webhook that is listed as desired stays.
	if (serving) {
		const kept = asCertain(serving);
		// Another process may have made it in place of an unlisted one, whose disappearance then is no loss. If this process has made
		// it, its create was slow, and the unlisted one may have vanished before: its removal tells.
		if (mayBeReplacement(serving)) return { desired, kept, isLost: false };
		return { desired, kept, isLost: followsLoss(serving), predecessor };
	}

	// 2. A hidden webhook stays, because the list would hide another replacement, too, and each check would create one more.
	if (predecessor && isHidden(predecessor)) return { desired, kept: predecessor, isLost: false };

	// 3. Otherwise, a webhook is created. An earlier process may have created one that n8n did not save, because n8n saves
	// nothing after a check. That one has delivered, so no event was lost.
	if (candidates.every(mayBeReplacement) && listed.some(isServing)) {
		return { desired, isLost: false };
	}
	// The events were lost if all webhooks that were registered are gone, disabled or changed. One that may exist may have delivered
	// until now, and its removal tells.
	return { desired, isLost: predecessor ? followsLoss(predecessor) : true, predecessor };
}

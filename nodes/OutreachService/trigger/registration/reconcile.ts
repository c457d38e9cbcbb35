/** Makes the service have exactly the desired webhooks of a node. */
import { createClient, type Client } from '../../api/client';
import { isConflict } from '../../api/errors';
import { ALL_EVENTS } from '../../domain/eventTypes';
import { triggerUrlIn } from '../../domain/triggerUrl';
import { asGone, type RegisteredWebhook } from '../../domain/registration';
import { normalizeUrl } from '../../domain/targetUrl';
import { eventOf, hasSettings, settingsOf, type Webhook } from '../../domain/webhook';
import type { Selection } from '../../parameters/selection';
import { webhooksOfEarlierCredentials, type TriggerNode } from '../../runtime/triggerNodes';
import type { Runtime } from '../../runtime/runtime';
import { settle } from '../../utils/settle';
import type { Context } from './context';
import { Creates } from './creates';
import { forgetRemoved } from './credentialChange';
import { desiredWebhooks, selectedWebhooks } from './desired';
import type { Occasion } from './occasions';
import { warnOfOtherN8n } from './ownership';
import { keptIn, planRegistration, type Decision, type Plan } from './plan';
import { Removals } from './removals';
import { findSituation, type Situation } from './situation';

/** The result of a change. */
export type Reconciled = {
	/**
	 * The webhooks that serve the selection, and those that are not removed or replaced yet. A webhook that is gone is among these,
	 * too, while nothing has replaced it: it tells the next check whose events are lost.
	 */
	webhooks: readonly RegisteredWebhook[];
	/** The events of the desired webhooks that are missing: nothing delivers them. */
	missing: readonly string[];
	/** Lost events: their webhooks were gone, and had to be created again (D83). */
	lost: string[];
	/** Events of hidden webhooks, which are not replaced again (D82). */
	hidden: string[];
	/** Why nothing was done, or why a desired webhook was not created; undefined if all desired webhooks exist. */
	error: Error | undefined;
	/** Whether all webhooks that were not created only wait for creates that an earlier change has sent (D81). */
	onlyWaits: boolean;
	/** Why webhooks could not be removed, by their IDs; that costs no event. */
	removalErrors: ReadonlyMap<string, Error>;
	/**
	 * Whether the next minute's check has something to do: a webhook must still be removed, or may exist that this process
	 * does not know yet.
	 */
	isUnfinished: boolean;
};

/**
 * Makes the service have exactly the desired webhooks (§4.1–4.3): lists once, and creates before it removes, so that no
 * event falls into a gap. Never throws.
 *
 * The service may refuse a create because it has no room for another webhook, or because the target URL is taken. Then the
 * webhooks in the way are removed, and the create is sent once more. Apart from that, while a desired webhook is missing,
 * only webhooks that have been replaced are removed.
 * @param signal cancels the change, except a create that was sent
 * @returns the result; its `error` is a RequestError, or a NodeOperationError when the service cannot reach this n8n or
 *   the selection cannot be used
 */
export async function reconcile(
	ctx: Context,
	runtime: Runtime,
	node: TriggerNode,
	occasion: Occasion,
	signal?: AbortSignal,
): Promise<Reconciled> {
	const { selection } = node;
	// Without a usable selection, nothing tells what is desired: the registered webhooks stay as they are.
	if (!selection.ok) return nothingDone(node, selection.error);
	const client = createClient(ctx, runtime, { policy: occasion.policy, signal });
	const change = changeWebhooks(ctx, runtime, node, selection.value, occasion, client);
	const outcome = await settle(change);
	return outcome.ok ? outcome.value : nothingDone(node, outcome.error);
}

/** The result of a change that has done nothing, because of an error. */
function nothingDone(node: TriggerNode, error: Error): Reconciled {
	const { base, selection, webhooks } = node;
	const selected = selection.ok ? selectedWebhooks(selection.value, base) : [];
	// Nothing tells which webhooks exist, so those that are registered count as existing.
	const registeredUrls = new Set(webhooks.map(({ targetUrl }) => targetUrl));
	const isServed = servedByEarlierCredential(node, new Set());
	return {
		webhooks,
		missing: selected
			.filter((webhook) => !registeredUrls.has(webhook.targetUrl) && !isServed(webhook))
			.map(({ event }) => event),
		lost: [],
		hidden: [],
		error,
		onlyWaits: false,
		removalErrors: new Map(),
		isUnfinished: false,
	};
}

/** As {@link reconcile}. @throws RequestError, NodeOperationError when nothing was done */
async function changeWebhooks(
	ctx: Context,
	runtime: Runtime,
	node: TriggerNode,
	selection: Selection,
	occasion: Occasion,
	client: Client,
): Promise<Reconciled> {
	const { base } = node;
	const { triggerNodes, openCreates, testRuns } = runtime;
	const desired = await desiredWebhooks(ctx, base, selection, client);
	// From now on, deliveries with these secrets are accepted: a webhook may deliver before the response to its create
	// arrives (D81). The webhooks of a test run are not those of the active node.
	if (!testRuns.isBaseOf(ctx, base)) triggerNodes.update(ctx, { desired });

	const situation = await findSituation(ctx, runtime, node, client, { isRemoval: false });
	const plan = planRegistration(desired, situation);
	warnOfOtherN8n(ctx, runtime, base, plan.ofOtherN8n);
	const removals = new Removals(client, runtime.leftBehind);
	const creates = new Creates({
		ctx,
		runtime,
		base,
		client,
		occasion,
		situation,
		removals,
	});

	// 1. Missing webhooks are created before any webhook is removed.
	await creates.createAll(plan.decisions.filter(({ kept }) => !kept));

	// 2. Refused creates may succeed once other webhooks are out of the way.
	const refused = [...creates.notMade].filter(([, { kind }]) => kind === 'refused');
	if (refused.length > 0 && occasion.onRefusal !== 'keepOthers') {
		const isObstacle = obstacleTo(creates, occasion);
		await removals.removeAll(removableIn(plan, creates).filter(isObstacle));
		if (removals.done.size > 0) await creates.createAll(refused.map(([decision]) => decision));
	}

	// 3. All other webhooks that are not desired are removed. While a desired webhook could not be created, only those are
	// removed that have been replaced at their target URL: otherwise each event would be delivered twice.
	const removable = removableIn(plan, creates);
	const isReplaced = atUrlOf([...keptIn(plan), ...creates.made.values()]);
	const areAllCreated = creates.notMade.size === 0;
	await removals.removeAll(areAllCreated ? removable : removable.filter(isReplaced));

	// The list of a key of the same team also shows the webhooks of an earlier credential, and this change may have removed them.
	forgetRemoved(ctx, triggerNodes, removals.done);

	const isOpen = openCreates.of(ctx, base).length > 0;
	const finished = { node, situation, plan, creates, removals };
	return resultOf(finished, isOpen);
}

/**
 * Tells whether a webhook of an earlier credential delivers for a desired one: it does so until all desired ones exist.
 * @param removedIds the IDs of the webhooks that the change has removed
 */
function servedByEarlierCredential(
	{ earlierCredentials }: TriggerNode,
	removedIds: ReadonlySet<string>,
): (desired: { targetUrl: string }) => boolean {
	const earlier = webhooksOfEarlierCredentials(earlierCredentials);
	const delivering = earlier.filter(({ id }) => !removedIds.has(id));
	const urls = new Set(delivering.map(({ targetUrl }) => targetUrl));
	return ({ targetUrl }) => urls.has(targetUrl);
}

/** The webhooks that may be removed, without those that turned out to be needed: a create has returned them. */
function removableIn(plan: Plan, { made }: Creates): Webhook[] {
	const neededIds = new Set([...made.values()].map(({ id }) => id));
	return plan.remove.filter(({ _id }) => !neededIds.has(_id));
}

/** Tells whether a webhook has the same target URL as one of these. */
function atUrlOf(webhooks: readonly RegisteredWebhook[]): (webhook: Webhook) => boolean {
	const urls = new Set(webhooks.map(({ targetUrl }) => normalizeUrl(targetUrl)));
	return ({ targetUrl }) => urls.has(normalizeUrl(targetUrl));
}

/** Tells whether a webhook may be removed before the refused webhooks exist, to make room for them. */
function obstacleTo({ notMade }: Creates, { onRefusal }: Occasion): (webhook: Webhook) => boolean {
	// A person sees whether this activation works out, and no active workflow relies on the webhook yet.
	if (onRefusal === 'removeOthers') return () => true;
	const eventsNotCreated = [...notMade.keys()].map(({ desired }) => desired.event);
	const conflicts = [...notMade].filter(([, { error }]) => isConflict(error));
	const eventsOfTakenUrls = new Set(conflicts.map(([{ desired }]) => desired.event));
	return (webhook) => {
		// A disabled webhook delivers nothing.
		if (settingsOf(webhook).disabled === true) return true;
		// The service says that the target URL is taken. An earlier webhook for the same event has the URL if the service
		// ignores what else differs in the query, such as the campaign.
		const eventInUrl = triggerUrlIn(webhook.targetUrl)?.event;
		if (eventInUrl !== undefined && eventsOfTakenUrls.has(eventInUrl)) return true;
		// A webhook for all events serves those whose webhooks could not be created, too.
		const event = eventOf(webhook) ?? ALL_EVENTS;
		if (event === ALL_EVENTS) return false;
		return !eventsNotCreated.includes(event) && !eventsNotCreated.includes(ALL_EVENTS);
	};
}

/** What a change has found and done. */
type FinishedChange = {
	node: TriggerNode;
	situation: Situation;
	plan: Plan;
	creates: Creates;
	removals: Removals;
};

/**
 * The result of a change.
 * @param isOpen whether the outcome of a create is still not known
 */
function resultOf(change: FinishedChange, isOpen: boolean): Reconciled {
	const { node, situation, plan, creates, removals } = change;
	const kept = keptIn(plan);
	const made = [...creates.made].map(([{ predecessor }, webhook]) => {
		// If the service still had its predecessor, the list is incomplete or late (D82).
		const hadPredecessor = predecessor !== undefined && removals.wasFound(predecessor.id) === true;
		return hadPredecessor ? { ...webhook, evidence: 'hidden' as const } : webhook;
	});
	const serving = [...kept, ...made];
	const { notMade } = creates;
	const failures = [...notMade.values()];
	// What a person must correct comes first: a create for which this change only waits may end well.
	const failure = failures.find(({ kind }) => kind !== 'waits') ?? failures[0];
	const notCreated = [...notMade.keys()].map(({ desired }) => desired);
	const delivering = situation.listed.filter(({ _id }) => !removals.done.has(_id));
	const isServed = servedByEarlierCredential(node, removals.done);
	return {
		webhooks: [...serving, ...stillRegistered(change, serving)],
		missing: notCreated
			.filter((desired) => !isServed(desired))
			.filter((desired) => !delivering.some((webhook) => hasSettings(webhook, desired)))
			.map(({ event }) => event),
		lost: plan.decisions
			.filter((decision) => hasLostEvents(decision, removals) && !notMade.has(decision))
			.map(({ desired }) => desired.event),
		hidden: kept.filter(({ evidence }) => evidence === 'hidden').map(({ event }) => event),
		error: failure?.error,
		onlyWaits: failure?.kind === 'waits',
		removalErrors: removals.errors,
		isUnfinished:
			isOpen || removals.errors.size > 0 || made.some(({ evidence }) => evidence === 'hidden'),
	};
}

/** Whether events were lost: a predecessor that was not found when it was to be removed had no longer delivered them. */
function hasLostEvents({ isLost, predecessor }: Decision, removals: Removals): boolean {
	if (isLost === true) return true;
	return predecessor !== undefined && removals.wasFound(predecessor.id) === false;
}

/** The registered webhooks that stay registered although they do not serve the selection. */
function stillRegistered(
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
	return situation.registered
		.filter(stays)
		.map((webhook) => (removals.done.has(webhook.id) ? asGone(webhook) : webhook));
}

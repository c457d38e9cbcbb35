/** Makes the service have exactly the desired webhooks of a node. */
import { createClient, type Client } from '../../api/client';
import { isConflict } from '../../api/errors';
import { ALL_EVENTS } from '../../domain/eventTypes';
import { triggerUrlIn } from '../../domain/triggerUrl';
import type { DesiredWebhook, RegisteredWebhook } from '../../domain/registration';
import { isSameUrl, normalizeUrl } from '../../domain/targetUrl';
import { settingsOf } from '../../domain/webhook';
import type { Runtime } from '../../runtime/runtime';
import { settle } from '../../utils/settle';
import { Creates } from './creates';
import { handleLateOutcome } from './lateOutcome';
import type { Occasion } from './occasions';
import { isAsDesired, type DesiredWithDigest, type Removable } from './plan';
import { Removals } from './removals';
import { desiredOf, findSituation, type Context, type Found, type Registration } from './situation';

/** The result of a change. */
export type Reconciled = {
	/** The webhooks whose deliveries are accepted: those that serve the selection, and those not removed or replaced yet. */
	webhooks: readonly RegisteredWebhook[];
	/** The service at which they are registered, see `Client.serviceId`. */
	service: string | undefined;
	/** The desired webhooks that are missing: nothing delivers their events. */
	missing: readonly DesiredWebhook[];
	/** Lost events: their webhooks were gone, and had to be created again (D83). */
	lost: string[];
	/** Events of unlisted webhooks, which are not replaced again (D82). */
	unlisted: string[];
	/** Why nothing was done, or why the first of the desired webhooks that could not be created was not created. */
	failure: Error | undefined;
	/** Whether every desired webhook that was not created waits for an open create of an earlier change (D81). */
	isOnlyWaiting: boolean;
	/** Why webhooks could not be removed, by their IDs; that costs no event. */
	removalFailures: ReadonlyMap<string, Error>;
	/** Whether another check must follow, because a webhook may exist that this process does not know yet. */
	isUncertain: boolean;
};

type Options = {
	/** Cancels the change, but no create that was sent. */
	signal?: AbortSignal | undefined;
	/** The client of a caller that has read the credential already. */
	client?: Client;
};

/**
 * Makes the service have exactly the desired webhooks (§4.1–4.3): lists once, and creates before it removes, so that no
 * event falls into a gap. Never throws.
 *
 * The service may refuse a create because it has no room for another webhook, or because the target URL is taken. Then the
 * webhooks in the way are removed, and the create is sent once more. Apart from that, while a desired webhook is missing,
 * only webhooks that have a successor are removed.
 * @returns the result; its `failure` is a RequestError, or a NodeOperationError when the service cannot reach this n8n or
 *   the selection cannot be used
 */
export async function reconcile(
	ctx: Context,
	runtime: Runtime,
	registration: Registration,
	occasion: Occasion,
	options: Options = {},
): Promise<Reconciled> {
	const change = await settle(changeWebhooks(ctx, runtime, registration, occasion, options));
	if (change.ok) return change.value;
	const { webhooks, service } = registration;
	const registeredUrls = new Set(webhooks.map(({ targetUrl }) => targetUrl));
	return {
		webhooks,
		service,
		missing: desiredOf(registration).filter(({ targetUrl }) => !registeredUrls.has(targetUrl)),
		lost: [],
		unlisted: [],
		failure: change.error,
		isOnlyWaiting: false,
		removalFailures: new Map(),
		isUncertain: false,
	};
}

/** As {@link reconcile}. @throws RequestError, NodeOperationError when nothing was done */
async function changeWebhooks(
	ctx: Context,
	runtime: Runtime,
	registration: Registration,
	occasion: Occasion,
	{ signal, client: clientOfCaller }: Options,
): Promise<Reconciled> {
	const { base, selection } = registration;
	const { openCreates } = runtime;
	// Without a usable selection, nothing tells what is desired: the registered webhooks stay as they are.
	if (selection?.ok === false) throw selection.error;
	const client = clientOfCaller ?? createClient(ctx, runtime, { signal, policy: occasion.policy });
	const found = await findSituation(ctx, runtime, registration, occasion, client);
	const creates = new Creates({
		client,
		openCreates,
		registration: found.key,
		occasion,
		listed: found.listed,
		registered: found.registered,
		signal,
		host: found.host,
		onLateOutcome: (open, outcome) => {
			const late = { base, client: client.uncancellable(), open, outcome };
			void handleLateOutcome(ctx, runtime, late);
		},
	});
	const removals = new Removals(client, runtime.activeNodes);

	// 1. Missing webhooks are created before any webhook is removed.
	await creates.send(found.plan.create);

	// 2. Refused creates may succeed once other webhooks are out of the way.
	const hidden = takeHiddenByList(found, creates);
	const needed = new Set([...hidden, ...creates.created].map(({ id }) => id));
	const removable = found.removable.filter(({ id }) => !needed.has(id));
	if (creates.obstructed.length > 0 && occasion.makesRoom !== 'never') {
		await removals.send(removable.filter(obstacleTo(found, creates, occasion)));
		if (removals.done.size > 0) await creates.send(creates.obstructed);
	}

	// 3. All other webhooks that are not desired are removed. While a desired webhook is missing, only those are removed
	// that have a successor: both would deliver.
	const hasSuccessor = atUrlOf([...found.plan.keep, ...creates.created]);
	const isSomeMissing = creates.failures.size > 0;
	await removals.send(isSomeMissing ? removable.filter(hasSuccessor) : removable);
	return resultOf(found, { creates, removals, hidden, openCreates });
}

/**
 * Finds the webhooks that exist although the list does not show them: the service has refused their successor, because its
 * target URL is taken (D82). They stay, so this removes the refusals from the failures.
 */
function takeHiddenByList({ plan, listed }: Found, creates: Creates): RegisteredWebhook[] {
	const hidden: RegisteredWebhook[] = [];
	for (const { desired, predecessor } of plan.replacements) {
		const refusal = creates.failures.get(desired);
		const isListed = listed.some(({ targetUrl }) => isSameUrl(targetUrl, desired.targetUrl));
		if (!refusal || !isConflict(refusal) || isListed) continue;
		creates.failures.delete(desired);
		hidden.push({ ...predecessor, isSecond: true });
	}
	return hidden;
}

/** Tells whether a webhook has the same target URL as one of the webhooks in force. */
function atUrlOf(inForce: readonly RegisteredWebhook[]): (webhook: Removable) => boolean {
	const urls = new Set(inForce.map(({ targetUrl }) => normalizeUrl(targetUrl)));
	return ({ targetUrl }) => urls.has(normalizeUrl(targetUrl));
}

/** Tells whether a webhook may be removed before the refused webhooks exist, to make room for them. */
function obstacleTo(
	{ listed }: Found,
	creates: Creates,
	{ makesRoom }: Occasion,
): (webhook: Removable) => boolean {
	const failed = [...creates.failures];
	const listedById = new Map(listed.map((webhook) => [webhook._id, webhook]));
	return ({ id, targetUrl }) => {
		// A person sees whether this activation works out, and no active workflow relies on the webhook yet.
		if (makesRoom === 'always') return true;
		const webhook = listedById.get(id);
		const { type = ALL_EVENTS, disabled } = webhook ? settingsOf(webhook) : {};
		// A disabled webhook delivers nothing.
		if (disabled === true) return true;
		// The service says that the target URL is taken. An earlier webhook for the same event has the URL if the service
		// ignores what else differs in the query, such as the campaign.
		const registeredFor = triggerUrlIn(targetUrl)?.event;
		const isUrlTaken = failed.some(
			([{ event }, error]) => isConflict(error) && event === registeredFor,
		);
		if (isUrlTaken) return true;
		// A webhook may go if it serves no event whose webhook is missing.
		return (
			type !== ALL_EVENTS && failed.every(([{ event }]) => ![type, ALL_EVENTS].includes(event))
		);
	};
}

/** What a change has sent. */
type Sent = {
	creates: Creates;
	removals: Removals;
	/** See {@link takeHiddenByList}. */
	hidden: readonly RegisteredWebhook[];
	openCreates: Runtime['openCreates'];
};

/** The result of a change, from what it has found and what it has sent. */
function resultOf(found: Found, { creates, removals, hidden, openCreates }: Sent): Reconciled {
	const { plan, desired } = found;
	const { failures } = creates;
	const created = creates.created.map((webhook) => asSecond(webhook, found, removals));
	const inForce = [...plan.keep, ...created, ...hidden];
	const failed = [...failures.keys()];
	const [failure] = failures.values();
	const lost = new Set([...plan.lost, ...goneBeforeRemoval(found, removals)]);
	const delivering = found.listed.filter(({ _id }) => !removals.done.has(_id));
	return {
		webhooks: [...inForce, ...stillDelivering(found, inForce, failed, removals)],
		service: found.service,
		missing: failed.filter(
			(webhook) => !delivering.some((candidate) => isAsDesired(candidate, webhook)),
		),
		lost: desired
			.filter((webhook) => lost.has(webhook) && !failures.has(webhook))
			.map(({ event }) => event),
		unlisted: plan.unlisted.map(({ event }) => event),
		failure,
		isOnlyWaiting: failed.length > 0 && failed.every((webhook) => creates.waiting.has(webhook)),
		removalFailures: removals.failures,
		isUncertain:
			openCreates.of(found.key).length > 0 ||
			creates.hasRepeated ||
			hidden.length > 0 ||
			created.some(({ isSecond }) => isSecond),
	};
}

/** A created webhook, marked if the service still had its predecessor: then the list is incomplete or late (D82). */
function asSecond(
	webhook: RegisteredWebhook,
	{ plan }: Found,
	removals: Removals,
): RegisteredWebhook {
	const hadPredecessor = plan.replacements.some(
		({ desired, predecessor }) =>
			desired.targetUrl === webhook.targetUrl && removals.done.get(predecessor.id)?.wasFound,
	);
	return hadPredecessor ? { ...webhook, isSecond: true } : webhook;
}

/** The desired webhooks whose predecessor was gone when it was to be removed: the list was right not to show it. */
function goneBeforeRemoval({ plan }: Found, removals: Removals): DesiredWithDigest[] {
	return plan.replacements
		.filter(({ predecessor }) => removals.done.get(predecessor.id)?.wasFound === false)
		.map(({ desired }) => desired);
}

/** The registered webhooks that go on delivering: they could not be removed, or have no successor yet. */
function stillDelivering(
	{ plan, registered }: Found,
	inForce: readonly RegisteredWebhook[],
	failed: readonly DesiredWithDigest[],
	removals: Removals,
): RegisteredWebhook[] {
	const inForceIds = new Set(inForce.map(({ id }) => id));
	const idsToRemove = new Set(plan.remove.map(({ id }) => id));
	const urlsWithoutSuccessor = new Set(failed.map(({ targetUrl }) => targetUrl));
	return registered.filter(
		({ id, targetUrl }) =>
			!inForceIds.has(id) &&
			!removals.done.has(id) &&
			(idsToRemove.has(id) || urlsWithoutSuccessor.has(targetUrl)),
	);
}

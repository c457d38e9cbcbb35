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
	/** Whose deliveries are accepted: in force, or not removed or replaced yet. */
	webhooks: readonly RegisteredWebhook[];
	/** The service at which they are registered; undefined when the credential could not be read. */
	service: string | undefined;
	/** Desired, and nothing delivers them. */
	missing: readonly DesiredWebhook[];
	/** Events whose webhooks were gone, and had to be created again (D83). */
	lost: string[];
	/** Events whose webhooks the list does not show, and which are not replaced again (D82). */
	unlisted: string[];
	/** Why nothing was done, or the first desired webhook that could not be created was not. */
	failure: Error | undefined;
	/** Whether nothing is wrong but that creates of an earlier change are still open (D81). */
	isOnlyWaiting: boolean;
	/** Why webhooks could not be removed, by their IDs; that costs no event. */
	removalFailures: ReadonlyMap<string, Error>;
	/** Whether the next check must look again: a webhook may exist that nobody knows of yet. */
	isUncertain: boolean;
};

type Options = {
	/** Cancels the change, but no create that was sent. */
	signal?: AbortSignal | undefined;
	/** For a caller that has read the credential already. */
	client?: Client;
};

/**
 * Makes the service have exactly the desired webhooks (§4.1–4.3): lists once, creates first, so that no event falls into
 * a gap, then removes. A service that refuses a create may have no room for it, or its URL may be taken: then what is in
 * the way is removed, and the create sent once more. While a desired webhook is missing, nothing that serves an event is
 * removed otherwise. Never throws: the failure is a RequestError, or a NodeOperationError when the service cannot reach
 * this n8n or the selection cannot be used.
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

/** @throws RequestError, NodeOperationError when nothing was done */
async function changeWebhooks(
	ctx: Context,
	runtime: Runtime,
	registration: Registration,
	occasion: Occasion,
	{ signal, client: given }: Options,
): Promise<Reconciled> {
	const { base, selection } = registration;
	const { openCreates } = runtime;
	// Nothing is known to be desired: what is registered stays as it is.
	if (selection?.ok === false) throw selection.error;
	const client = given ?? createClient(ctx, runtime, { signal, policy: occasion.policy });
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

	// 1. What is missing is created before anything is removed.
	await creates.send(found.plan.create);

	// 2. What was refused may be created once something is out of the way.
	const hidden = hiddenByList(found, creates);
	const needed = new Set([...hidden, ...creates.created].map(({ id }) => id));
	const removable = found.removable.filter(({ id }) => !needed.has(id));
	if (creates.obstructed.length > 0 && occasion.makesRoom !== 'never') {
		await removals.send(removable.filter(obstacleTo(found, creates, occasion)));
		if (removals.done.size > 0) await creates.send(creates.obstructed);
	}

	// 3. The rest is removed. While a desired webhook is missing, only what has a successor: both would deliver.
	const hasSuccessor = atUrlOf([...found.plan.keep, ...creates.created]);
	const isSomeMissing = creates.failures.size > 0;
	await removals.send(isSomeMissing ? removable.filter(hasSuccessor) : removable);
	return resultOf(found, { creates, removals, hidden, openCreates });
}

/**
 * The webhooks that the list does not show although they exist: the service has refused their successor, because its target
 * URL is taken (D82). They stay, and their successors are no failure.
 */
function hiddenByList({ plan, listed }: Found, creates: Creates): RegisteredWebhook[] {
	return plan.replacements.flatMap(({ desired, predecessor }) => {
		const refusal = creates.failures.get(desired);
		const isListed = listed.some(({ targetUrl }) => isSameUrl(targetUrl, desired.targetUrl));
		if (!refusal || !isConflict(refusal) || isListed) return [];
		creates.failures.delete(desired);
		return [{ ...predecessor, isSecond: true }];
	});
}

/** Tells which webhooks have the target URL of one that is in force. */
function atUrlOf(inForce: readonly RegisteredWebhook[]): (webhook: Removable) => boolean {
	const urls = new Set(inForce.map(({ targetUrl }) => normalizeUrl(targetUrl)));
	return ({ targetUrl }) => urls.has(normalizeUrl(targetUrl));
}

/** Tells which webhooks can go before their successors are there, because they make room for these. */
function obstacleTo(
	{ listed }: Found,
	creates: Creates,
	{ makesRoom }: Occasion,
): (webhook: Removable) => boolean {
	const failed = [...creates.failures];
	const listedById = new Map(listed.map((webhook) => [webhook._id, webhook]));
	return ({ id, targetUrl }) => {
		// A person is there to see whether it works out, and no workflow relies on it yet.
		if (makesRoom === 'always') return true;
		const webhook = listedById.get(id);
		const { type = ALL_EVENTS, disabled } = webhook ? settingsOf(webhook) : {};
		// It delivers nothing.
		if (disabled === true) return true;
		// Such a service may compare target URLs without their query.
		const registeredFor = triggerUrlIn(targetUrl)?.event;
		const isUrlTaken = failed.some(
			([{ event }, error]) => isConflict(error) && event === registeredFor,
		);
		if (isUrlTaken) return true;
		// It serves no event that is missing.
		return (
			type !== ALL_EVENTS && failed.every(([{ event }]) => ![type, ALL_EVENTS].includes(event))
		);
	};
}

/** What a change has sent. */
type Sent = {
	creates: Creates;
	removals: Removals;
	/** See {@link hiddenByList}. */
	hidden: readonly RegisteredWebhook[];
	openCreates: Runtime['openCreates'];
};

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
		missing: failed.filter((one) => !delivering.some((webhook) => isAsDesired(webhook, one))),
		lost: desired.filter((one) => lost.has(one) && !failures.has(one)).map(({ event }) => event),
		unlisted: plan.unlisted.map(({ event }) => event),
		failure,
		isOnlyWaiting: failed.length > 0 && failed.every((one) => creates.waiting.has(one)),
		removalFailures: removals.failures,
		isUncertain:
			openCreates.of(found.key).length > 0 ||
			creates.hasRepeated ||
			hidden.length > 0 ||
			created.some(({ isSecond }) => isSecond),
	};
}

/** A created webhook, marked if the service still had the one that it replaces: then the list is incomplete or late. */
function asSecond(
	webhook: RegisteredWebhook,
	{ plan }: Found,
	removals: Removals,
): RegisteredWebhook {
	const isReplacement = plan.replacements.some(
		({ desired, predecessor }) =>
			desired.targetUrl === webhook.targetUrl && removals.done.get(predecessor.id)?.wasFound,
	);
	return isReplacement ? { ...webhook, isSecond: true } : webhook;
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

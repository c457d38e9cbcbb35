import { createClient, type Client } from '../../api/client';
import { isConflict } from '../../api/errors';
import { ALL_EVENTS } from '../../domain/eventTypes';
import { triggerUrlIn } from '../../domain/n8nUrls';
import type { DesiredWebhook, RegisteredWebhook } from '../../domain/registration';
import { settingsOf } from '../../domain/webhook';
import { isSameUrl, normalizeUrl } from '../../domain/targetUrl';
import type { Runtime } from '../../runtime/runtime';
import { settle } from '../../utils/settle';
import { Creates } from './creates';
import { handleLateOutcome } from './lateOutcome';
import type { Occasion } from './occasions';
import { isAsDesired, type Removable, type DesiredWithDigest } from './plan';
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
	/** The webhooks that could not be removed, which costs no event. */
	refused: ReadonlyMap<string, Error>;
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
	const done = await settle(change(ctx, runtime, registration, occasion, options));
	if (done.ok) return done.value;
	const { webhooks, service } = registration;
	const urls = new Set(webhooks.map(({ targetUrl }) => targetUrl));
	return {
		webhooks,
		service,
		missing: desiredOf(registration).filter(({ targetUrl }) => !urls.has(targetUrl)),
		lost: [],
		unlisted: [],
		failure: done.error,
		isOnlyWaiting: false,
		refused: new Map(),
		isUncertain: false,
	};
}

async function change(
	ctx: Context,
	runtime: Runtime,
	registration: Registration,
	occasion: Occasion,
	{ signal, client: given }: Options,
): Promise<Reconciled> {
	const { base, selection } = registration;
	// Nothing is known to be desired: what is registered stays as it is.
	if (selection?.ok === false) throw selection.error;
	const client = given ?? createClient(ctx, runtime, { signal, policy: occasion.policy });
	const found = await findSituation(ctx, runtime, registration, occasion, client);
	const creates = new Creates({
		client,
		openCreates: runtime.openCreates,
		registration: found.key,
		occasion,
		listed: found.listed,
		registered: found.registered,
		signal,
		host: found.host,
		onLateOutcome: (open, outcome) =>
			void handleLateOutcome(ctx, runtime, { base, client: client.uncancellable(), open, outcome }),
	});
	const removals = new Removals(client, runtime.activeNodes);

	// What is missing is created before anything is removed.
	await creates.send(found.plan.create);
	const hidden = hiddenByList(found, creates);

	// Some of it may be created once something is out of the way.
	const inForce = new Set([...hidden, ...creates.created].map(({ id }) => id));
	const removable = found.removable.filter(({ _id }) => !inForce.has(_id));
	if (creates.refused.length > 0 && occasion.makesRoom !== 'never') {
		await removals.send(removable.filter(obstacleTo(creates, occasion)));
		if (removals.done.size > 0) await creates.send(creates.refused);
	}

	// Then the rest goes. While a desired webhook is missing, only those go that have a successor: both would deliver.
	const isReplaced = replacedBy([...found.plan.keep, ...creates.created]);
	const isIncomplete = creates.failures.size > 0;
	await removals.send(isIncomplete ? removable.filter(isReplaced) : removable);
	return resultOf(found, { creates, removals, hidden, openCreates: runtime.openCreates });
}

/**
 * The webhooks that the list does not show although they exist: the service has refused their successor, because its target
 * URL is taken (D82). They stay, and their successors are no failure.
 */
function hiddenByList({ plan, listed }: Found, creates: Creates): RegisteredWebhook[] {
	return plan.replacements.flatMap(({ wanted, predecessor }) => {
		const refusal = creates.failures.get(wanted);
		const isListed = listed.some(({ targetUrl }) => isSameUrl(targetUrl, wanted.targetUrl));
		if (!refusal || !isConflict(refusal) || isListed) return [];
		creates.failures.delete(wanted);
		return [{ ...predecessor, isSecond: true }];
	});
}

/** Tells which webhooks have the target URL of one that is in force. */
function replacedBy(inForce: readonly RegisteredWebhook[]): (webhook: Removable) => boolean {
	const urls = new Set(inForce.map(({ targetUrl }) => normalizeUrl(targetUrl)));
	return ({ targetUrl }) => urls.has(normalizeUrl(targetUrl));
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
	const { plan, wanted, listed } = found;
	const { created, failures } = creates;
	const gone = new Set<DesiredWithDigest>(plan.lost);
	for (const { wanted: one, predecessor } of plan.replacements) {
		const removed = removals.done.get(predecessor.id);
		if (removed?.wasFound === false) gone.add(one);
		// The service had it, so its list is incomplete or late.
		const successor = created.find(({ targetUrl }) => targetUrl === one.targetUrl);
		if (removed?.wasFound && successor) successor.isSecond = true;
	}
	const inForce = [...plan.keep, ...created, ...hidden];
	const inForceIds = new Set(inForce.map(({ id }) => id));
	const toRemove = new Set(plan.remove.map(({ _id }) => _id));
	const failed = [...failures.keys()];
	const withoutSuccessor = new Set(failed.map(({ targetUrl }) => targetUrl));
	// What is not removed or replaced yet goes on delivering.
	const former = found.registered.filter(
		({ id, targetUrl }) =>
			!inForceIds.has(id) &&
			!removals.done.has(id) &&
			(toRemove.has(id) || withoutSuccessor.has(targetUrl)),
	);
	const delivering = listed.filter(({ _id }) => !removals.done.has(_id));
	const [failure] = failures.values();
	return {
		webhooks: [...inForce, ...former],
		service: found.service,
		missing: failed.filter((one) => !delivering.some((webhook) => isAsDesired(webhook, one))),
		lost: wanted.filter((one) => gone.has(one) && !failures.has(one)).map(({ event }) => event),
		unlisted: plan.unlisted.map(({ event }) => event),
		failure,
		isOnlyWaiting: failed.length > 0 && failed.every((one) => creates.waiting.has(one)),
		refused: removals.refused,
		isUncertain:
			openCreates.of(found.key).length > 0 ||
			creates.hasRepeated ||
			hidden.length > 0 ||
			created.some(({ isSecond }) => isSecond),
	};
}

/** Whether a webhook can go before its successor is there, because it makes room for it. */
function obstacleTo(creates: Creates, { makesRoom }: Occasion): (webhook: Removable) => boolean {
	const failed = [...creates.failures];
	return (webhook) => {
		const { type = ALL_EVENTS, disabled, targetUrl } = settingsOf(webhook);
		// A person is there to see whether it works out, and no workflow relies on it yet.
		if (makesRoom === 'always' || disabled === true) return true;
		// Such a service may compare target URLs without their query.
		const registeredFor = triggerUrlIn(targetUrl)?.event;
		const isTaken = failed.some(
			([{ event }, error]) => isConflict(error) && event === registeredFor,
		);
		if (isTaken) return true;
		return (
			type !== ALL_EVENTS && failed.every(([{ event }]) => ![type, ALL_EVENTS].includes(event))
		);
	};
}

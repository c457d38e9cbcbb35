/** Makes a base have exactly the desired webhooks: list, note, plan, create, make room if need be, remove the rest. */
import { createClient, type Client } from '../../api/client';
import { RECURRING, USER } from '../../api/policy';
import { ALL_EVENTS, isLeadState } from '../../domain/eventTypes';
import { isSameUrl } from '../../domain/targetUrl';
import { baseIn, triggerUrlIn } from '../../domain/triggerUrl';
import type { Webhook } from '../../domain/webhook';
import type { Selection } from '../../parameters/selection';
import type { Runtime } from '../../runtime/runtime';
import type { TriggerNode } from '../../runtime/triggerNodes';
import { baseTakenError, refuseOutOfReach, type Context } from './base';
import { Creates } from './creates';
import { desiredWebhooks, type DesiredWebhook } from './desired';
import { Leftovers } from './leftovers';
import { findAtBase, planFor } from './plan';
import { clearEarlier, removeUnlisted } from './removal';

/** Why the webhooks of a node are changed. At a start and in a check, nobody waits. */
export type Occasion = 'activation' | 'publication' | 'start' | 'check';

type Change = {
	ctx: Context;
	runtime: Runtime;
	node: TriggerNode;
	occasion: Occasion;
	/** Cancels the change, except a create that was sent. */
	signal: AbortSignal;
};

/** What a change has found and done. */
export type ChangeResult = {
	/** Why nothing was done, or why a desired webhook does not exist; undefined if all exist, or at least one create is open. */
	failure?: Error | undefined;
	/** Why a desired webhook may not exist yet: its create is open. */
	openCreate?: Error | undefined;
	/** The selected events that nothing at the base delivers, one for each webhook. */
	missing: readonly string[];
	/** Lost events: webhooks exist in place of those that were gone, and nothing else at the base has delivered them meanwhile. */
	lost: readonly string[];
	/** The events of webhooks that the service has confirmed, and no list has shown. */
	unlisted: readonly string[];
	/** Why webhooks could not be removed, by their IDs; that costs no event. */
	removalErrors: ReadonlyMap<string, Error>;
	/** Whether the next minute's check has something to do. */
	isUnfinished: boolean;
};

/** The result of a change that has done nothing, because of an error. */
export const nothingDone = (failure: Error): ChangeResult => ({
	failure,
	missing: [],
	lost: [],
	unlisted: [],
	removalErrors: new Map(),
	isUnfinished: true,
});

/**
 * Makes a base have exactly the desired webhooks (§4.1–4.3), at every occasion in the same way: it creates before it removes, so that
 * no event falls into a gap. While a desired webhook does not exist, whatever delivers some of its events stays.
 * @throws RequestError, NodeOperationError when nothing was done; n8n's own error without a credential
 */
export async function reconcile(change: Change): Promise<ChangeResult> {
	const { ctx, runtime, node, occasion, signal } = change;
	const { base, known } = node;
	const isActivation = occasion === 'activation';
	// Without a usable selection, nothing tells what is desired: the webhooks stay as they are.
	if (!node.selection.ok) throw node.selection.error;
	const selection = node.selection.value;
	// While another node has the base, this one stays without webhooks.
	const other = runtime.triggerNodes.claim(node);
	if (other) throw baseTakenError(ctx, other);
	const policy = isActivation || occasion === 'publication' ? USER : RECURRING;
	const client = createClient(ctx, runtime, { policy, signal });
	refuseOutOfReach(ctx, base, await client.baseUrl());
	const key = await client.webhookKey();
	// A webhook may deliver before the response to its create arrives.
	runtime.acceptedKeys.use(node.key, key, { isTold: true });

	// 1. The list and what is known tell what is to be done.
	const listed = await client.listAgain();
	const { atBase, elsewhere } = findAtBase(base, listed);
	warnOfOtherAddress(change, elsewhere);
	await noteClient(node, client, atBase);
	known.noteList(atBase);
	const desired = desiredWebhooks(selection, base, key.id);
	const { decisions, undesired } = planFor(desired, atBase, {
		known,
		isActivation,
		isFirstLook: !isActivation && !node.hasSeenList && elsewhere.length === 0,
	});
	node.hasSeenList = true;
	const decidedAs = (kind: string) => desired.filter((one) => decisions.get(one)?.kind === kind);
	const leftovers = new Leftovers(client, undesired);
	/** The selected events of a desired webhook that no other one delivers. What is in its place may not have its secret. */
	const undelivered = (one: DesiredWebhook): string[] =>
		eventsOf(one, selection).filter((event) =>
			leftovers.for(event, one).every(({ targetUrl }) => isSameUrl(targetUrl, one.targetUrl)),
		);
	const undeliveredAtFirst = new Map(desired.map((one) => [one, undelivered(one)]));
	for (const [{ targetUrl }, decision] of decisions) {
		if (decision.kind === 'keep') known.noteKept(targetUrl, decision.id);
		else if (decision.kind === 'create' && decision.isGone) known.noteGone(targetUrl);
	}

	// 2. Missing webhooks are created. Refused creates may succeed once other webhooks are out of the way.
	const idsBefore = new Set(listed.map(({ _id }) => _id));
	const creates = new Creates(node, client, policy.timeoutMs, idsBefore);
	await Promise.all([
		creates.waitForAll(decidedAs('wait')),
		creates.createAll(decidedAs('create')),
	]);
	/** The webhooks of which no desired one that does not exist has an event, except one. */
	const removable = (toMake?: DesiredWebhook): Webhook[] =>
		leftovers.withoutEventOf([...creates.absent.keys()].filter((one) => one !== toMake));
	await makeRoom(change, creates, leftovers, removable);
	await creates.confirmAll();

	// 3. The others are removed, as far as nothing that is missing needs them.
	await leftovers.remove(removable());
	const keptIds = new Set(desired.flatMap(({ targetUrl }) => known.get(targetUrl)?.id ?? []));
	const errors = [...leftovers.errors, ...(await removeUnlisted(node, client, keptIds))];
	const replaced = desired.filter(({ targetUrl }) => known.takeLoss(targetUrl));
	// Whoever activates a workflow knows that it was not active before.
	const lost = isActivation ? [] : replaced;
	known.forgetExcept(desired.map(({ targetUrl }) => targetUrl));

	const reasons = [...creates.absent.values()];
	const isComplete = reasons.length === 0 && errors.length === 0;
	if (isComplete) runtime.acceptedKeys.replaced(node.key);
	if (isComplete && node.clients.size > 1) {
		// Nobody waits for a removal with an earlier credential.
		void runtime.triggerNodes.exclusively(base, async (ofClearing) => {
			await clearEarlier(ctx, node, ofClearing);
		});
	}
	return {
		failure: reasons.find(({ kind }) => kind !== 'open')?.error,
		openCreate: reasons.find(({ kind }) => kind === 'open')?.error,
		missing: [...creates.absent.keys()].flatMap(undelivered),
		lost: lost.flatMap((one) => undeliveredAtFirst.get(one) ?? []),
		unlisted: desired
			.filter(({ targetUrl }) => known.get(targetUrl)?.state === 'unlisted')
			.map(({ event }) => event),
		removalErrors: new Map(errors),
		isUnfinished: !isComplete || known.hasOpenCreate || node.clients.size > 1,
	};
}

/**
 * Notes with which credential webhooks are created from now on. If its first list shows those of an earlier one, both are of the same
 * team, and this change replaces them: the earlier key may be invalid by now, and at another URL of the same service it is the same.
 */
async function noteClient(
	{ clients, known }: TriggerNode,
	client: Client,
	atBase: readonly Webhook[],
): Promise<void> {
	const accountId = await client.accountId();
	if (!clients.has(accountId)) {
		const keyIds = atBase.map(({ targetUrl }) => triggerUrlIn(targetUrl)?.query.keyId);
		for (const [id, earlier] of clients) {
			if (keyIds.includes((await earlier.webhookKey()).id)) clients.delete(id);
		}
		// Another service may have other webhooks with the same IDs.
		known.forgetAll();
	}
	// The latest one is the last.
	clients.delete(accountId);
	clients.set(accountId, client);
}

/** The selected events that a desired webhook is for: with one webhook for everything, all that have no webhook of their own. */
const eventsOf = ({ event }: DesiredWebhook, { events }: Selection): readonly string[] =>
	event === ALL_EVENTS ? events.filter((one) => !isLeadState(one)) : [event];

/**
 * Sends refused creates once more after webhooks were removed that may be in the way: those that no other one is to replace, and
 * then, but not at a start, for each create a single one that it is to replace. If that does not help,
 * something else is in the way, and to remove more would only cost events, until another create succeeds or the node begins anew.
 * @param removable the webhooks of which no desired one that does not exist has an event, except one
 */
async function makeRoom(
	{ node, occasion }: Change,
	creates: Creates,
	leftovers: Leftovers,
	removable: (toMake?: DesiredWebhook) => readonly Webhook[],
): Promise<void> {
	if (creates.endedAs('refused').length === 0) return;
	if (await leftovers.remove(removable())) await creates.createAll(creates.endedAs('refused'));
	if (creates.hasMade) node.hasMadeRoomInVain = false;
	for (const refused of creates.endedAs('refused')) {
		if (occasion === 'start' || node.hasMadeRoomInVain) return;
		const inTheWay = removable(refused);
		const atUrl = inTheWay.find(({ targetUrl }) => isSameUrl(targetUrl, refused.targetUrl));
		const given = atUrl ?? inTheWay[0];
		if (!given || !(await leftovers.remove([given]))) continue;
		await creates.createAll([refused]);
		node.hasMadeRoomInVain = creates.absent.has(refused);
	}
}

/** Has the log name webhooks with the path of the node at another address. They may be another n8n's, so they stay (D110). */
function warnOfOtherAddress({ ctx, runtime, node }: Change, elsewhere: readonly Webhook[]): void {
	const others = elsewhere
		.map(({ targetUrl }) => baseIn(targetUrl))
		.filter((base) => !runtime.triggerNodes.isBase(base));
	if (others.length === 0) return;
	const list = [...new Set(others)].sort().join(', ');
	runtime.warnOnce(
		ctx,
		`other address ${node.key} ${list}`,
		`${others.length} webhooks of the service have the path of "${ctx.getNode().name}" at another address. They stay, because they may belong to another n8n. If the address is a former one of this n8n, remove them with the operation 'Delete Many' and this filter for the target URL: ${list}`,
	);
}

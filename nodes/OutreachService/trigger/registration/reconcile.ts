/** Makes a base have exactly the desired webhooks: list, note, plan, create, make room if need be, remove the rest. */
import type { Client } from '../../api/client';
import { isConflict } from '../../api/errors';
import type { Policy } from '../../api/policy';
import { ALL_EVENTS } from '../../domain/eventTypes';
import { isSameUrl, normalizeUrl } from '../../domain/targetUrl';
import { baseIn, triggerUrlIn } from '../../domain/triggerUrl';
import type { Webhook } from '../../domain/webhook';
import type { Selection } from '../../parameters/selection';
import { testRunOf } from '../../runtime/acceptedKeys';
import type { Runtime } from '../../runtime/runtime';
import type { TriggerNode } from '../../runtime/triggerNodes';
import { settle } from '../../utils/settle';
import { refuseOutOfReach, type Context } from './base';
import { Creates, hasOpenCreate, knownAt, noteList, noteListed } from './creates';
import { desiredWebhooks, type DesiredWebhook } from './desired';
import { Coverage, findAtBase, planFor, type Occasion, type Plan } from './plan';
import { removeOfEarlier } from './removal';
import { Removals } from './removals';

/** What a change has found and done. */
export type ChangeResult = {
	/** Why nothing was done, or why a desired webhook does not exist; undefined if all exist, or only their creates are open. */
	failure?: Error | undefined;
	/** Why a desired webhook may not exist yet: its create is open. */
	openCreate?: Error | undefined;
	/** The selected events that nothing at the base delivers, one for each webhook. */
	missing: readonly string[];
	/** Lost events: other webhooks exist in place of those that had vanished, and nothing else has delivered the events meanwhile. */
	lost: readonly string[];
	/** The events of webhooks that exist although no list shows them. */
	hidden: readonly string[];
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
	hidden: [],
	removalErrors: new Map(),
	isUnfinished: true,
});

type Change = {
	ctx: Context;
	runtime: Runtime;
	node: TriggerNode;
	selection: Selection;
	occasion: Occasion;
	client: Client;
	policy: Policy;
};

/**
 * Makes a base have exactly the desired webhooks (§4.1–4.3), at every occasion in the same way: it creates before it removes, so that
 * no event falls into a gap. Never throws. While something desired is missing, whatever delivers its events stays.
 *
 * The service may refuse a create because it has no room for another webhook, or because the target URL is taken. Then, what is in
 * the way is removed, and the create is sent once more.
 * @param change.client its signal cancels the change, except a create that was sent
 */
export async function reconcile(change: Change): Promise<ChangeResult> {
	const outcome = await settle(changeWebhooks(change));
	return outcome.ok ? outcome.value : nothingDone(outcome.error);
}

/** As {@link reconcile}. @throws RequestError, NodeOperationError when nothing was done; n8n's own error without a credential */
async function changeWebhooks(change: Change): Promise<ChangeResult> {
	const { ctx, runtime, node, selection, occasion, client, policy } = change;
	const { base } = node;
	refuseOutOfReach(ctx, base, await client.baseUrl());
	const key = await client.webhookKey();
	const keysOf = runtime.triggerNodes.isTestRun(node) ? testRunOf(node.key) : node.key;
	// A webhook may deliver before the response to its create arrives.
	runtime.acceptedKeys.use(keysOf, key, { isTold: true });

	const listRequestedAt = performance.now();
	const listed = await client.listAgain();
	const { atBase, elsewhere } = findAtBase(base, listed);
	const accountId = await noteClient(node, client, atBase);
	warnOfOtherAddress(change, elsewhere);
	noteList(node, atBase);
	const desired = desiredWebhooks(selection, base, key.id);
	const plan = planFor(desired, atBase, node.known, {
		occasion,
		isFirstLook: node.isStarting && elsewhere.length === 0,
		listRequestedAt,
	});
	node.isStarting = false;
	noteKept(node, plan);
	const coverage = new Coverage(
		plan.undesired,
		(keyId) => runtime.acceptedKeys.find(keysOf, keyId) !== undefined,
	);
	const removals = new Removals(client);
	/** The selected events of a desired webhook that nothing else delivers. */
	const eventsWithout = (one: DesiredWebhook, goneIds?: ReadonlySet<string>): string[] =>
		eventsOf(one, selection).filter((event) => coverage.of(event, one, goneIds).length === 0);

	// 1. Missing webhooks are created.
	const idsBefore = new Set(listed.map(({ _id }) => _id));
	const creates = new Creates(node, client, policy.timeoutMs, idsBefore);
	await creates.createAll(ofKind(plan, 'create'));
	await creates.waitForAll(ofKind(plan, 'wait'));
	await createCutOffAgain(change, creates);

	// 2. Refused creates may succeed once other webhooks are out of the way.
	/** The webhooks that deliver nothing that is missing, or only what one webhook is to deliver. */
	const removable = (toMake?: DesiredWebhook): Webhook[] => {
		const needed = new Set(creates.made.values());
		for (const one of creates.notMade.keys()) {
			if (one === toMake) continue;
			for (const event of eventsOf(one, selection)) {
				for (const id of coverage.of(event, one)) needed.add(id);
			}
		}
		return plan.undesired.filter(({ _id }) => !needed.has(_id));
	};
	await makeRoom(node, creates, removals, removable, { isStart: occasion === 'start' });
	keepHidden(node, plan, creates);

	// 3. The others are removed, as far as nothing that is missing needs them.
	await removals.removeAll(removable());
	await forgetOthers(node, desired, atBase, removals);
	const goneAfterAll = await removeUnlisted(plan, creates, removals, node);

	const lost = [...takeLost(node, plan, creates), ...goneAfterAll];
	const failures = [...creates.notMade.values()];
	const failure = failures.find(({ kind }) => kind !== 'open')?.error;
	const isComplete = failures.length === 0 && removals.errors.size === 0;
	if (isComplete) {
		runtime.acceptedKeys.replaced(keysOf);
		const earlier = [...node.clients].filter(([id]) => id !== accountId);
		for (const [id] of earlier) node.clients.delete(id);
		void removeOfEarlier(
			ctx,
			base,
			earlier.map(([, one]) => one),
			new Set(desired.map(({ targetUrl }) => knownAt(node, targetUrl).id)),
		);
	}
	return {
		failure,
		openCreate: failures.find(({ kind }) => kind === 'open')?.error,
		missing: [...creates.notMade.keys()].flatMap((one) => eventsWithout(one, removals.done)),
		lost: lost.flatMap((one) => eventsWithout(one)),
		hidden: ofKind(plan, 'hidden').map(({ event }) => event),
		removalErrors: removals.errors,
		isUnfinished: !isComplete || hasOpenCreate(node) || hasUnconfirmed(node, plan),
	};
}

/**
 * Notes with which credential webhooks are created from now on. If its first list shows those of an earlier one, both are of the same
 * team, and this change replaces them: the earlier key may be invalid by now, and at another URL of the same service it is the same.
 * @returns what identifies the account
 */
async function noteClient(
	{ clients, known }: TriggerNode,
	client: Client,
	atBase: readonly Webhook[],
): Promise<string> {
	const accountId = await client.accountId();
	if (!clients.has(accountId)) {
		const keyIds = atBase.map(({ targetUrl }) => triggerUrlIn(targetUrl)?.query.keyId);
		for (const [id, earlier] of clients) {
			if (keyIds.includes((await earlier.webhookKey()).id)) clients.delete(id);
		}
		// Another service may have other webhooks with the same IDs.
		for (const [url, { open }] of known) {
			if (!open) known.delete(url);
		}
	}
	clients.set(accountId, client);
	return accountId;
}

const ofKind = ({ decisions }: Plan, kind: string): DesiredWebhook[] =>
	[...decisions].filter(([, decision]) => decision.kind === kind).map(([desired]) => desired);

/** The selected events that a desired webhook is for: with one webhook for everything, all that have no webhook of their own. */
const eventsOf = ({ event }: DesiredWebhook, { events }: Selection): readonly string[] =>
	event === ALL_EVENTS ? events : [event];

/** Notes which webhooks a plan keeps: from now on, another one at their target URLs is not theirs. */
function noteKept(node: TriggerNode, { decisions }: Plan): void {
	for (const [{ targetUrl }, decision] of decisions) {
		const entry = knownAt(node, targetUrl);
		if (decision.kind === 'create' && decision.isGone) entry.vanishedId ??= entry.id ?? '';
		if (decision.kind !== 'keep') continue;
		if (entry.id !== decision.id) Object.assign(entry, { id: decision.id, isMade: false });
		noteListed(entry);
	}
}

/**
 * Lists the webhooks after creates, which shows what they have made (and that a webhook that is not listed later is gone). Those that
 * were cut off, and have made nothing, are sent once more.
 */
async function createCutOffAgain({ node, client }: Change, creates: Creates): Promise<void> {
	const noteMade = async (): Promise<boolean> => {
		const listed = await settle(client.listAgain());
		// The creates stay open, and the next list tells.
		if (!listed.ok) return false;
		noteList(node, findAtBase(node.base, listed.value).atBase);
		for (const desired of creates.endedAs('cutOff')) {
			const { open, id } = knownAt(node, desired.targetUrl);
			if (open === undefined && id !== undefined) creates.found(desired, id);
		}
		return true;
	};
	if (creates.made.size === 0 && creates.endedAs('cutOff').length === 0) return;
	const isListed = await noteMade();
	const cutOff = creates.endedAs('cutOff');
	if (!isListed || cutOff.length === 0) return;
	await creates.createAll(cutOff);
	await noteMade();
}

/**
 * The desired webhooks whose events were lost: another webhook exists in place of one that had vanished. From now on, they are no
 * longer lost.
 */
function takeLost(node: TriggerNode, { decisions }: Plan, { made }: Creates): DesiredWebhook[] {
	const existing = new Map(made);
	for (const [desired, decision] of decisions) {
		if (decision.kind === 'keep') existing.set(desired, decision.id);
	}
	const lost: DesiredWebhook[] = [];
	for (const [desired, id] of existing) {
		const entry = knownAt(node, desired.targetUrl);
		// A list that came late may have hidden the webhook.
		if (entry.vanishedId !== undefined && entry.vanishedId !== id) lost.push(desired);
		entry.vanishedId = undefined;
	}
	return lost;
}

/**
 * Sends refused creates once more after webhooks were removed that may be in the way: those that deliver nothing that is missing, and
 * then, but not at a start, for each create a single one that delivers what the new one is to deliver. If that does not help,
 * something else is in the way, and to remove more would only cost events, until another create succeeds or the node begins anew.
 * @param removable the webhooks that deliver nothing that is missing, or only what one webhook is to deliver
 */
async function makeRoom(
	node: TriggerNode,
	creates: Creates,
	removals: Removals,
	removable: (toMake?: DesiredWebhook) => readonly Webhook[],
	{ isStart }: { isStart: boolean },
): Promise<void> {
	if (creates.endedAs('refused').length === 0) return;
	if (await removals.removeAll(removable())) await creates.createAll(creates.endedAs('refused'));
	if (creates.made.size > 0) node.hasMadeRoomInVain = false;
	for (const refused of creates.endedAs('refused')) {
		if (isStart || node.hasMadeRoomInVain) return;
		const inTheWay = removable(refused).filter(({ _id }) => !removals.done.has(_id));
		const [first] = inTheWay;
		const atUrl = inTheWay.find(({ targetUrl }) => isSameUrl(targetUrl, refused.targetUrl));
		const given = atUrl ?? first;
		if (!given || !(await removals.removeAll([given]))) continue;
		await creates.createAll([refused]);
		node.hasMadeRoomInVain = creates.notMade.has(refused);
	}
}

/** The service has refused the second create of a webhook that it has confirmed before: so that one exists, and no list shows it. */
function keepHidden(node: TriggerNode, { decisions }: Plan, creates: Creates): void {
	for (const [desired, { error }] of creates.notMade) {
		const decision = decisions.get(desired);
		if (!isConflict(error) || decision?.kind !== 'create' || !decision.unlistedId) continue;
		knownAt(node, desired.targetUrl).unlistedCreates = 2;
		creates.found(desired, decision.unlistedId);
	}
}

/**
 * Removes the first webhooks of those that were created twice because no list shows them. The service then says whether the first
 * one existed: if so, its list is incomplete.
 * @returns the desired webhooks whose first one was gone
 */
async function removeUnlisted(
	{ decisions }: Plan,
	creates: Creates,
	removals: Removals,
	node: TriggerNode,
): Promise<DesiredWebhook[]> {
	const gone: DesiredWebhook[] = [];
	for (const [desired, id] of creates.made) {
		const decision = decisions.get(desired);
		const unlistedId = decision?.kind === 'create' ? decision.unlistedId : undefined;
		if (unlistedId === undefined || unlistedId === id) continue;
		const wasFound = await removals.remove(unlistedId, { wasListed: false });
		if (wasFound === false) gone.push(desired);
		if (wasFound === true) knownAt(node, desired.targetUrl).unlistedCreates = 2;
	}
	return gone;
}

/** Whether the service has confirmed a webhook that its list does not show: the next check tells more. */
const hasUnconfirmed = (node: TriggerNode, { decisions }: Plan): boolean =>
	[...decisions].some(([{ targetUrl }, { kind }]) => {
		const { id, isListed } = knownAt(node, targetUrl);
		return id !== undefined && !isListed && kind !== 'hidden';
	});

/** Forgets the webhooks that are not desired any more. Those that no list has shown are removed, in case they exist. */
async function forgetOthers(
	{ known }: TriggerNode,
	desired: readonly DesiredWebhook[],
	atBase: readonly Webhook[],
	removals: Removals,
): Promise<void> {
	const urls = new Set([...desired, ...atBase].map(({ targetUrl }) => normalizeUrl(targetUrl)));
	for (const [url, { id, isListed, open }] of known) {
		if (open || urls.has(url)) continue;
		const mayExist = id !== undefined && !isListed;
		const wasFound = mayExist && (await removals.remove(id, { wasListed: false }));
		if (wasFound !== undefined) known.delete(url);
	}
}

/** Has the log name webhooks with the path of the node at another address. They may be another n8n's, so they stay (D110). */
function warnOfOtherAddress({ ctx, runtime, node }: Change, elsewhere: readonly Webhook[]): void {
	const testRun = runtime.triggerNodes.testRun(ctx);
	const own = [node, testRun, runtime.triggerNodes.active(ctx)].flatMap((one) =>
		one ? baseIn(one.base) : [],
	);
	const bases = new Set(elsewhere.map(({ targetUrl }) => baseIn(targetUrl)));
	for (const base of own) bases.delete(base);
	if (bases.size === 0) return;
	const others = elsewhere.filter(({ targetUrl }) => bases.has(baseIn(targetUrl)));
	const list = [...bases].sort().join(', ');
	runtime.warnOnce(
		ctx,
		`other address ${node.key} ${list}`,
		`${others.length} webhooks of the service have the path of "${ctx.getNode().name}" at another address. They stay, because they may belong to another n8n. If the address is a former one of this n8n, remove them with the operation 'Delete Many' and this filter for the target URL: ${list}`,
	);
}

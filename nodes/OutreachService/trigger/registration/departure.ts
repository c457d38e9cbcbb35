/** What happens when n8n calls `delete`: the end of an active workflow, or the beginning of a publication (D103). */
import type { IHookFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { createClient } from '../../api/client';
import { registrationKey, type ActiveNode, type Departure } from '../../runtime/activeNodes';
import type { RegisteredWebhook } from '../../domain/registration';
import type { Runtime } from '../../runtime/runtime';
import { settle } from '../../utils/settle';
import { REMOVAL } from './occasions';
import { reconcile } from './reconcile';
import { Removals } from './removals';
import { writeRegistration } from '../staticData';

/**
 * How long the removal waits for a `create`, in milliseconds. n8n tells a `delete` neither that a change is published nor
 * that the workflow ends. While a change is published, `create` follows at once.
 */
const GRACE_MS = 2_000;

/** How long the removal waits before it looks again for what an open create has made, in milliseconds (D81). */
const LOOK_AGAIN_MS = 60_000;

type Registered = Pick<ActiveNode, 'base' | 'webhooks' | 'service'>;

/** A node that n8n has called `delete` for. */
type Left = { registered: Registered; departure: Departure };

/**
 * Notes that the node is no longer active, and has its webhooks removed in the background, unless n8n calls `create` by
 * then. Never throws: n8n would keep the route of the webhook.
 */
export async function depart(
	ctx: IHookFunctions,
	runtime: Runtime,
	registered: Registered,
): Promise<void> {
	const { activeNodes } = runtime;
	activeNodes.cancel(ctx, registered.base);
	const { webhooks, service } = registered;
	const registration = { webhooks, service, isLeaving: true, lost: [] };
	writeRegistration(ctx, ctx.getWorkflowStaticData('node'), registration);
	const options = { policy: REMOVAL.policy };
	const departure = { client: createClient(ctx, runtime, options) };
	activeNodes.leave(ctx, departure);
	const { node } = activeNodes.known(ctx) ?? {};
	const key = registrationKey(ctx, registered.base);
	const isFailedActivation = node?.hasBeenLive === false;
	if (isFailedActivation && webhooks.length === 0 && runtime.openCreates.of(key).length === 0) {
		activeNodes.forget(ctx);
		return;
	}
	// n8n evaluates the expressions of a credential only until this returns. One that cannot be read now may be readable
	// when the removal begins.
	const isRead = (await settle(departure.client.connect())).ok;
	if (!isRead) departure.client = createClient(ctx, runtime, options);
	void removeLater(ctx, runtime, { registered, departure });
}

/** Removes the webhooks of a node that has not become active again. Never throws. */
async function removeLater(ctx: IHookFunctions, runtime: Runtime, left: Left): Promise<void> {
	const { activeNodes } = runtime;
	const { base } = left.registered;
	let waitMs = GRACE_MS;
	let isOver = false;
	while (!isOver) {
		await sleep(waitMs);
		const removal = activeNodes.exclusively(ctx, base, async (signal) => {
			if (!activeNodes.isLeaving(ctx, left.departure)) return true;
			return await removeAll(ctx, runtime, left, signal);
		});
		isOver = await removal;
		waitMs = LOOK_AGAIN_MS;
	}
}

/** Reconciles to nothing. @returns whether nothing is left to wait for */
async function removeAll(
	ctx: IHookFunctions,
	runtime: Runtime,
	{ registered, departure }: Left,
	signal: AbortSignal,
): Promise<boolean> {
	const { activeNodes, openCreates } = runtime;
	const key = registrationKey(ctx, registered.base);
	const { webhooks, service } = activeNodes.known(ctx)?.node ?? registered;
	const done = await reconcile(
		ctx,
		runtime,
		{ base: registered.base, selection: undefined, webhooks, service, hasBeenComplete: false },
		REMOVAL,
		{ signal, client: departure.client.cancelledBy(signal) },
	);
	const remaining = new Set(done.webhooks.map(({ id }) => id));
	if (!activeNodes.isLeaving(ctx, departure)) {
		// A change is published: what this has removed is not gone by itself.
		const now = activeNodes.known(ctx)?.node?.webhooks ?? [];
		activeNodes.update(ctx, { webhooks: now.filter(({ id }) => remaining.has(id)) });
		return true;
	}
	activeNodes.update(ctx, { webhooks: done.webhooks });
	openCreates.closeExpired(key);
	if (openCreates.of(key).length > 0) return false;
	const failure = done.failure ?? [...done.refused.values()][0];
	if (!failure || remaining.size === 0) {
		activeNodes.forget(ctx);
		return true;
	}
	activeNodes.leaveBehind(done.webhooks);
	ctx.logger.warn(
		`The webhooks of "${ctx.getNode().name}" could not be removed after the workflow was deactivated: ${failure.message}. They stay at the service: ${[...remaining].join(', ')}. The next check or activation of a trigger with the same API key removes them; or use the operation 'Delete'.`,
		{ workflowId: ctx.getWorkflow().id },
	);
	return true;
}

/** What is registered with the credential that a node has now, and a function that removes the rest. */
type TakenOver = Pick<ActiveNode, 'webhooks' | 'service'> & { removeRest: () => void };

/**
 * Takes over what was registered before `delete`, or gives it up if the node has another credential now: its key may be
 * that of another team, which does not see the webhooks. They are removed with the credential that registered them.
 */
export async function takeOver(
	ctx: IHookFunctions,
	runtime: Runtime,
	before: Pick<ActiveNode, 'webhooks' | 'service'>,
): Promise<TakenOver> {
	const departure = runtime.activeNodes.departure(ctx);
	const kept = { ...before, removeRest: () => undefined };
	if (!departure) return kept;
	const accountBefore = await settle(departure.client.account());
	const account = await settle(createClient(ctx, runtime).account());
	if (!accountBefore.ok || !account.ok || accountBefore.value === account.value) return kept;
	return {
		webhooks: [],
		service: undefined,
		removeRest: () => void removeAtEarlierAccount(ctx, runtime, departure, before.webhooks),
	};
}

/** Never throws. */
async function removeAtEarlierAccount(
	ctx: IHookFunctions,
	runtime: Runtime,
	{ client }: Departure,
	webhooks: readonly RegisteredWebhook[],
): Promise<void> {
	const removals = new Removals(client, runtime.activeNodes);
	await removals.send(webhooks.map(({ id, targetUrl }) => ({ _id: id, targetUrl })));
	const [failure] = removals.refused.values();
	if (!failure) return;
	ctx.logger.warn(
		`The webhooks of "${ctx.getNode().name}" could not be removed with the earlier credential: ${failure.message}. They stay at the service: ${[...removals.refused.keys()].join(', ')}. Delete them with that credential.`,
		{ workflowId: ctx.getWorkflow().id },
	);
}

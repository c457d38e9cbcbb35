/** A first activation: a person activates a workflow that was not active. */
import type { IHookFunctions } from 'n8n-workflow';

import { RequestError } from '../../api/errors';
import { NEW_NODE, type ActiveNode } from '../../runtime/activeNodes';
import type { Runtime } from '../../runtime/runtime';
import { readSelection } from '../readSelection';
import { finishCheck } from './checks';
import { takeOver } from './credentialChange';
import { registeredBefore, storedRegistration, storeRegistration } from './earlier';
import { ACTIVATION } from './occasions';
import { reconcile } from './reconcile';
import { webhookUrl } from './webhookUrl';

/**
 * Registers all desired webhooks, or fails. After a failure, n8n calls `delete`, which removes what was created.
 * @throws NodeOperationError for what a person must correct; RequestError when a request failed
 */
export async function activate(ctx: IHookFunctions, runtime: Runtime): Promise<void> {
	const { activeNodes } = runtime;
	const selection = readSelection(ctx);
	const base = webhookUrl(ctx);
	const wasRemoved = storedRegistration(ctx).isLeaving && !activeNodes.entryOf(ctx)?.node;
	const { webhooks, service, removeRest } = await takeOver(
		ctx,
		runtime,
		registeredBefore(ctx, runtime),
	);
	activeNodes.cancel(ctx, base);
	const node: ActiveNode = {
		...NEW_NODE,
		base,
		selection: { ok: true, value: selection },
		// An earlier process had begun to remove the stored webhooks, so they are most likely gone.
		webhooks: wasRemoved ? [] : webhooks,
		service,
	};
	activeNodes.open(ctx, node);
	await activeNodes.exclusively(ctx, base, async (signal) => {
		const registration = { ...node, hasBeenComplete: false };
		const result = await reconcile(ctx, runtime, registration, ACTIVATION, { signal });
		activeNodes.update(ctx, { webhooks: result.webhooks, service: result.service });
		removeRest();
		// If only creates of n8n's earlier attempt are still open, that attempt has shown the error: the node goes live, and
		// its checks wait for these creates.
		if (result.failure && !result.isOnlyWaiting) throw withAdvice(result.failure);
		activeNodes.update(ctx, { hasBeenLive: true });
		// Lost events are not reported: the user has just activated the workflow, and knows that it was not active before.
		finishCheck(ctx, runtime, node, { ...result, lost: [] }, ACTIVATION);
		storeRegistration(ctx, result);
	});
}

/**
 * Adds to the message of a failure that passes by itself what to do about it: when an activation fails, n8n 2 shows the
 * message alone.
 */
function withAdvice(failure: Error): Error {
	const isPassing =
		failure instanceof RequestError && ['server', 'busy', 'rateLimited'].includes(failure.kind);
	if (!isPassing) return failure;
	const { kind, description, details } = failure;
	const message = `${failure.message}: publish the workflow again later`;
	return new RequestError(kind, { message, description }, details);
}

/** An activation: a person activates a workflow that was not active. */
import type { IHookFunctions } from 'n8n-workflow';

import { cancelledError, RequestError } from '../../api/errors';
import { NEW_NODE, type TriggerNode } from '../../runtime/triggerNodes';
import type { Runtime } from '../../runtime/runtime';
import { now } from '../../utils/moment';
import { readSelection } from '../readSelection';
import { dropEarlierCredentials, setAsideEarlierCredential } from './credentialChange';
import { healthAfterActivation } from './health';
import { logProblems } from './logProblems';
import type { NodeBefore } from './nodeBefore';
import { ACTIVATION } from './occasions';
import { reconcile } from './reconcile';
import { readBase } from './base';
import { storeRegistration } from './storeRegistration';

/**
 * Registers all desired webhooks, or fails, unless it only waits for creates that an earlier attempt has sent. After a failure, n8n
 * calls `delete`: what was created is removed, unless n8n soon tries again.
 * @throws NodeOperationError for what a person must correct; RequestError when a request failed or the activation was cancelled;
 *   n8n's own error when it gives no credential
 */
export async function activate(
	ctx: IHookFunctions,
	runtime: Runtime,
	before: NodeBefore,
): Promise<void> {
	const { triggerNodes } = runtime;
	// The node of an earlier activation may still be known, because its removal is pending. If the parameters cannot be read now, the
	// next attempt is no publication either.
	triggerNodes.update(ctx, { wasActivated: false });
	const selection = readSelection(ctx);
	const base = readBase(ctx);
	const node: TriggerNode = {
		...NEW_NODE,
		base,
		selection: { ok: true, value: selection },
		webhooks: before.webhooks,
		earlierCredentials: before.earlierCredentials,
	};
	triggerNodes.goLive(ctx, node);
	await triggerNodes.exclusively(ctx, base, async (signal) => {
		await setAsideEarlierCredential(ctx, runtime, before);
		// An earlier change, which has just ended, may have created or removed webhooks, or found lost events.
		const current = triggerNodes.active(ctx);
		// n8n has called `delete` meanwhile, or has ended the trigger; or it has called `create` again, and the node has another base.
		if (current?.base !== base) throw cancelledError();
		// If n8n has called `create` again meanwhile, the node has the selection of that call, which waits for this one, and then
		// compares the webhooks once more.
		if (!current.selection.ok) throw current.selection.error;
		const nodeNow = { ...current, selection: current.selection.value };
		const result = await reconcile(ctx, runtime, nodeNow, ACTIVATION, signal);
		triggerNodes.update(ctx, { webhooks: result.webhooks });
		if (signal.aborted) throw cancelledError();
		// If only creates that an earlier attempt has sent are still open, the activation succeeds, and the checks wait for
		// them: otherwise each attempt would fail until the service has responded (D81).
		const { failure } = result;
		if (failure && failure.kind !== 'waits') throw withAdvice(failure.error);
		logProblems(ctx, runtime, current.health, result);
		const health = healthAfterActivation(current.health, result, now());
		triggerNodes.update(ctx, { wasActivated: true, health });
		if (!failure) dropEarlierCredentials(ctx, runtime);
		// What this activation has found lost is not reported, because the workflow was not active before. But what an earlier change
		// has found may still have to be.
		storeRegistration(ctx, runtime, health.lost);
	});
}

/**
 * Adds to the message of a failure that passes by itself what to do about it: when an activation fails, n8n 2 shows the
 * message alone.
 */
function withAdvice(error: Error): Error {
	if (!(error instanceof RequestError) || !error.passes) return error;
	return error.withMessage(`${error.message}: publish the workflow again later`);
}

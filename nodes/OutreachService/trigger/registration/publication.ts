/** A change of an active workflow is published: n8n has called `delete`, and calls `create` at once (D103). */
import type { IHookFunctions } from 'n8n-workflow';

import { RequestError } from '../../api/errors';
import { NEW_NODE, type TriggerNode } from '../../runtime/triggerNodes';
import type { Runtime } from '../../runtime/runtime';
import { readSelection } from '../readSelection';
import { firstCheck } from './checks';
import { setAsideEarlierCredential } from './credentialChange';
import { allLost, dueAtOnce } from './health';
import type { NodeBefore } from './nodeBefore';
import { PUBLICATION } from './occasions';
import { readBase } from './base';
import { storeRegistration } from './storeRegistration';

/**
 * Makes the node live again with the changed parameters and the registered webhooks, and runs its first check: webhooks that
 * are still desired stay, and new ones are created before any is removed. If the service fails, the workflow stays active
 * (D79).
 * @throws NodeOperationError for what a person must correct
 */
export async function publish(
	ctx: IHookFunctions,
	runtime: Runtime,
	before: NodeBefore,
): Promise<void> {
	const { triggerNodes } = runtime;
	const selection = readSelection(ctx);
	const base = readBase(ctx);
	const { health } = before.node ?? NEW_NODE;
	const node: TriggerNode = {
		base,
		selection: { ok: true, value: selection },
		webhooks: before.webhooks,
		earlierCredentials: before.earlierCredentials,
		wasActivated: true,
		// Until the credential has been read, the secrets of the webhooks that were desired before are accepted.
		desired: before.node?.desired ?? 'notRead',
		// What the checks have found before is still to be reported.
		health: dueAtOnce({ ...health, lost: allLost(health.lost, before.stored.lost) }),
	};
	triggerNodes.goLive(ctx, node);
	await triggerNodes.exclusively(
		ctx,
		base,
		async () => await setAsideEarlierCredential(ctx, runtime, before),
	);
	const result = await firstCheck(ctx, runtime, PUBLICATION);
	// What is wrong with a request may pass by itself. Anything else, such as a URL of n8n that the service cannot reach, does not.
	const error = result?.failure?.error;
	if (error && !(error instanceof RequestError)) throw error;
	// The next check reports these. If n8n is killed before that, the next process does.
	storeRegistration(ctx, runtime, triggerNodes.known(ctx)?.health.lost ?? []);
}

import type { IWebhookFunctions } from 'n8n-workflow';

import { createClient } from '../../api/client';
import { targetUrlOf, webhookBase, type TriggerUrl, type WebhookBase } from '../../domain/n8nUrls';
import { digestOf, isOneOf, type Digest } from '../../domain/secret';
import { nodeKey } from '../../runtime/activeNodes';
import type { Runtime } from '../../runtime/runtime';
import { settle } from '../../utils/settle';
import { readRegistration } from '../staticData';

/** A secret of ours: nothing else is worth hashing. */
const SECRET = /^[\da-f]{64}$/;

/** Whether a delivery comes from the service; `unverifiable` while the credential cannot be read. */
export type Verification = 'verified' | 'forged' | 'unverifiable';

type WithOwnUrl = Pick<IWebhookFunctions, 'getNodeWebhookUrl'> & {
	getWebhookResourceUrl?: IWebhookFunctions['getNodeWebhookUrl'];
};

/** The URL that n8n gives this node for its webhooks. Older versions of n8n know no test URL here. */
function ownBase(ctx: WithOwnUrl): WebhookBase {
	const getUrl = ctx.getWebhookResourceUrl ?? ctx.getNodeWebhookUrl;
	return webhookBase(getUrl.call(ctx, 'default') ?? '');
}

/**
 * Verifies that a delivery carries the secret of the webhook that it claims to come from (§6.4.5). Accepted are the
 * secrets of the webhooks that this process registered; while it registers some, and in a process without the active
 * node, such as a webhook process, also what the credential gives now, and there those that n8n saved (D67).
 * @param target what the webhook delivers, as its target URL says
 */
export async function verify(
	ctx: IWebhookFunctions,
	runtime: Runtime,
	target: Omit<TriggerUrl, 'base'>,
	secret: unknown,
): Promise<Verification> {
	if (typeof secret !== 'string' || !SECRET.test(secret)) return 'forged';
	const digest = digestOf(secret);
	const hasDigest = (webhooks: ReadonlyArray<{ event: string; digest: Digest }>) =>
		isOneOf(
			digest,
			webhooks.flatMap((one) => (one.event === target.event ? [one.digest] : [])),
		);
	const isTest = ctx.getMode() === 'manual';
	const sample = isTest ? runtime.activeNodes.testRun(ctx)?.sample : undefined;
	if (sample && hasDigest([sample])) return 'verified';
	const active = isTest ? undefined : runtime.activeNodes.get(ctx);
	const registered =
		active?.webhooks ?? readRegistration(ctx, ctx.getWorkflowStaticData('node')).webhooks;
	if (hasDigest(registered)) return 'verified';
	// A webhook may deliver before the response to its create arrives, so the secrets of those that are created are known.
	if (active?.expected) return hasDigest(active.expected) ? 'verified' : 'forged';

	const node = nodeKey(ctx);
	const base = ownBase(ctx);
	// A test run and the published version may have different credentials.
	const used = JSON.stringify([node, base, ctx.getNode().credentials]);
	const client = runtime.verifyingClients.get(used, () => createClient(ctx, runtime));
	const derived = await settle(client.secretFor(targetUrlOf({ base, ...target })));
	if (derived.ok) return isOneOf(digest, [digestOf(derived.value)]) ? 'verified' : 'forged';
	if (runtime.once(`unverifiable ${node}`)) {
		ctx.logger.warn(
			`A delivery to "${ctx.getNode().name}" could not be verified: ${derived.error.message}. Further ones are not logged until n8n restarts.`,
		);
	}
	return 'unverifiable';
}

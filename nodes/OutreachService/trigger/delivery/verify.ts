import type { IWebhookFunctions } from 'n8n-workflow';

import { createClient } from '../../api/client';
import { digestOf, isOneOf } from '../../model/secret';
import type { Digests } from '../../runtime/derivedDigests';
import { nodeKey } from '../../runtime/activeNodes';
import type { Runtime } from '../../runtime/runtime';
import { settle } from '../../utils/settle';
import { readSelection } from '../parameters';
import { desiredWebhooks } from '../registration/desired';
import { readRegistered } from '../registration/staticData';

/** A secret of ours has 64 characters; nothing much longer is worth hashing. */
const LONGEST_SECRET = 1_000;

/** Whether a delivery comes from the service; `unverifiable` while the credential cannot be read. */
export type Verification = 'verified' | 'forged' | 'unverifiable';

type WithOwnUrl = Pick<IWebhookFunctions, 'getNodeWebhookUrl'> & {
	getWebhookResourceUrl?: IWebhookFunctions['getNodeWebhookUrl'];
};

/** The URL of this node's webhooks, without the event. Older versions of n8n know no test URL here. */
function ownUrl(ctx: WithOwnUrl): string {
	return (ctx.getWebhookResourceUrl ?? ctx.getNodeWebhookUrl).call(ctx, 'default') ?? '';
}

async function deriveDigests(
	ctx: IWebhookFunctions,
	runtime: Runtime,
	base: string,
): Promise<Digests> {
	const client = createClient(ctx, runtime);
	const desired = desiredWebhooks(readSelection(ctx), base);
	return await Promise.all(
		desired.map(async ({ event, targetUrl }) => ({
			event,
			digest: digestOf(await client.secretFor(targetUrl)),
		})),
	);
}

/**
 * Verifies that a delivery carries the secret of the webhook that it claims to come from (§6.4.5). Accepted are
 * the secrets of the webhooks that this process registered; in a process without the active node, such as a webhook
 * process, those that n8n saved, and what the credential gives now (D67).
 */
export async function verify(
	ctx: IWebhookFunctions,
	runtime: Runtime,
	event: string,
	secret: unknown,
): Promise<Verification> {
	if (typeof secret !== 'string' || secret === '' || secret.length > LONGEST_SECRET)
		return 'forged';
	const digest = digestOf(secret);
	const hasDigest = (webhooks: Digests) => {
		const ofEvent = webhooks.filter((webhook) => webhook.event === event);
		return isOneOf(
			digest,
			ofEvent.map((webhook) => webhook.digest),
		);
	};
	const isTest = ctx.getMode() === 'manual';
	const sample = isTest ? runtime.activeNodes.sampleRun(ctx) : undefined;
	if (sample && hasDigest([sample])) return 'verified';
	const active = isTest ? undefined : runtime.activeNodes.get(ctx);
	const registered = active?.webhooks ?? readRegistered(ctx, ctx.getWorkflowStaticData('node'));
	if (hasDigest(registered)) return 'verified';
	// Unless its registration is incomplete, the process knows every webhook that counts.
	if (active && !active.retrySoon) return 'forged';

	const base = ownUrl(ctx);
	const current = await settle(
		runtime.derivedDigests.get(
			// Test and production have different URLs, and a changed selection has other webhooks.
			`${nodeKey(ctx)}\n${base}\n${digestOf(JSON.stringify(ctx.getNode().parameters))}`,
			async () => await deriveDigests(ctx, runtime, base),
			({ message }) =>
				ctx.logger.warn(`A delivery to "${ctx.getNode().name}" could not be verified: ${message}`),
		),
	);
	if (!current.ok) return 'unverifiable';
	return hasDigest(current.value) ? 'verified' : 'forged';
}

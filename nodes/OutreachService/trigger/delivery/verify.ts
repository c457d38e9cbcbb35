/** Whether a delivery comes from the service. */
import type { IWebhookFunctions } from 'n8n-workflow';

import { createClient } from '../../api/client';
import { hasFormOfSecret, isSecret, secretOf } from '../../domain/secret';
import { targetUrlOf } from '../../domain/triggerUrl';
import { testRunOf } from '../../runtime/triggerNodes';
import { msSince, now } from '../../utils/moment';
import type { Delivery } from './delivery';

/** The result of a verification: `unverifiable` while the credential is needed and cannot be read. */
export type Verification = 'verified' | 'forged' | 'unverifiable';

/**
 * Verifies that a delivery carries the secret of the webhook that it claims to come from (§6.4.5), in every process in the same way:
 * the called URL names the API key and what the webhook delivers, and the secret follows from both (D113).
 */
export async function verify(delivery: Delivery): Promise<Verification> {
	const verification = await verifySecret(delivery);
	if (verification === 'forged' && delivery.liveNode) doubt(delivery, delivery.liveNode);
	return verification;
}

async function verifySecret(delivery: Delivery): Promise<Verification> {
	const { ctx, runtime, nodeKey, isTest, liveNode, query, body } = delivery;
	const secret = body?.secret;
	if (!hasFormOfSecret(secret)) return 'forged';
	const key = await runtime.acceptedKeys.findOrRead(
		isTest ? testRunOf(nodeKey) : nodeKey,
		query.keyId,
		async () => await createClient(ctx, runtime).webhookKey(),
		{ isTold: liveNode !== undefined },
	);
	if (!key.ok) {
		runtime.warnOnce(
			ctx,
			`unverifiable ${nodeKey}`,
			`A delivery to "${ctx.getNode().name}" could not be verified: ${key.error.message}. Further ones are not logged until n8n restarts.`,
		);
		return 'unverifiable';
	}
	if (!key.value) return 'forged';
	const expected = secretOf(key.value, ownBase(ctx), query);
	return isSecret(secret, expected) ? 'verified' : 'forged';
}

/** How often a delivery with a wrong secret has a webhook replaced at most, in milliseconds: anybody can send one. */
const DOUBT_EVERY_MS = 24 * 60 * 60_000;

/**
 * A delivery with a wrong secret at the URL of a webhook may mean that somebody has replaced that webhook while n8n was down. The next
 * check replaces it, unless this process has created it itself.
 */
function doubt({ query }: Delivery, node: NonNullable<Delivery['liveNode']>): void {
	if (node.doubtedAt && msSince(node.doubtedAt) < DOUBT_EVERY_MS) return;
	if (node.known.doubt(targetUrlOf(node.base, query))) node.doubtedAt = now();
}

type WithOwnUrl = Pick<IWebhookFunctions, 'getNodeWebhookUrl'> & {
	getWebhookResourceUrl?: IWebhookFunctions['getNodeWebhookUrl'];
};

/** The URL that n8n gives this node for its webhooks. n8n 1 knows no test URL here, but the route is the same. */
function ownBase(ctx: WithOwnUrl): string {
	const getUrl = ctx.getWebhookResourceUrl ?? ctx.getNodeWebhookUrl;
	return getUrl.call(ctx, 'default') ?? '';
}

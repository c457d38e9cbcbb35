/** Whether a delivery comes from the service. */
import type { IWebhookFunctions } from 'n8n-workflow';

import { createClient } from '../../api/client';
import { targetUrlOf, webhookBase, type WebhookBase } from '../../domain/triggerUrl';
import { digestOf, hasFormOfSecret, isOneOf, type Digest } from '../../domain/secret';
import {
	allWebhooksOf,
	knownDesired,
	registrationKey,
	type TriggerNode,
} from '../../runtime/triggerNodes';
import { settle } from '../../utils/settle';
import { readRegistration } from '../staticData';
import type { Delivery } from './delivery';

/** The result of a verification: `unverifiable` while the credential is needed and cannot be read. */
export type Verification = 'verified' | 'forged' | 'unverifiable';

/** The digest of a secret with which deliveries for an event are accepted. */
type AcceptedDigest = { event: string; digest: Digest };

/**
 * Verifies that a delivery carries the secret of the webhook that it claims to come from (§6.4.5). These secrets are
 * accepted:
 *
 * 1. the secret of the sample that a test run of this process has sent;
 * 2. the secrets of the registered webhooks, as this process knows them, or else as n8n has saved them, also those of an
 *    earlier credential;
 * 3. the secrets of webhooks that this process has removed a moment ago (`RemovedWebhooks`), except with *First Event Only*;
 * 4. the secrets of the desired webhooks, which this process may be registering just now (D81);
 * 5. if this process does not know these, as in a webhook process, the secret that the credential gives now (D67).
 */
export async function verify(delivery: Delivery): Promise<Verification> {
	const { ctx, runtime, isTest, liveNode, query, body } = delivery;
	const secret = body?.secret;
	// Nothing else is worth hashing.
	if (typeof secret !== 'string' || !hasFormOfSecret(secret)) return 'forged';
	const digest = digestOf(secret);
	const isIn = (accepted: readonly AcceptedDigest[]): boolean => {
		const ofEvent = accepted.filter(({ event }) => event === query.event);
		const digests = ofEvent.map((one) => one.digest);
		return isOneOf(digest, digests);
	};

	const awaitedSample = isTest ? runtime.testRuns.of(ctx)?.awaitedSample : undefined;
	if (awaitedSample && isIn([awaitedSample])) return 'verified';

	const accepted = liveNode
		? digestsOf(liveNode, runtime.removedWebhooks.of(registrationKey(ctx, liveNode.base)))
		: readRegistration(ctx, ctx.getWorkflowStaticData('node')).webhooks;
	if (isIn(accepted)) return 'verified';

	// Once this process has read the credential, it notes each secret as desired before it sends the create: so it knows them all. If
	// the node has another credential than before, which no change has read yet, only the secrets above count.
	if (liveNode && liveNode.desired !== 'notRead') return 'forged';

	const derived = await derivedDigest(delivery);
	if (derived === undefined) return 'unverifiable';
	return isOneOf(digest, [derived]) ? 'verified' : 'forged';
}

/** The digests of all secrets that this process knows of a node. @param removed those of webhooks that it has just removed */
function digestsOf(node: TriggerNode, removed: readonly AcceptedDigest[]): AcceptedDigest[] {
	const { selection } = node;
	// With *First Event Only*, the service may begin a new count with the new webhook: one lead could have two first events.
	const isFirst = selection.ok && selection.value.isFirst;
	const ofRemoved = isFirst ? [] : removed;
	return [...allWebhooksOf(node), ...ofRemoved, ...knownDesired(node)];
}

/** The digest of the secret that is derived from the credential now; undefined when the credential cannot be read. */
async function derivedDigest({
	ctx,
	runtime,
	nodeKey,
	query,
}: Delivery): Promise<Digest | undefined> {
	const base = ownBase(ctx);
	// It contains the credentials, because a test run and the published version may have different ones.
	const clientKey = JSON.stringify([nodeKey, base, ctx.getNode().credentials]);
	const client = runtime.verifyingClients.get(clientKey, () => createClient(ctx, runtime));
	const secret = await settle(client.secretFor(targetUrlOf({ base, ...query })));
	if (secret.ok) return digestOf(secret.value);
	runtime.warnOnce(
		ctx,
		`unverifiable ${nodeKey}`,
		`A delivery to "${ctx.getNode().name}" could not be verified: ${secret.error.message}. Further ones are not logged until n8n restarts.`,
	);
	return undefined;
}

type WithOwnUrl = Pick<IWebhookFunctions, 'getNodeWebhookUrl'> & {
	getWebhookResourceUrl?: IWebhookFunctions['getNodeWebhookUrl'];
};

/** The URL that n8n gives this node for its webhooks. n8n 1 knows no test URL here. */
function ownBase(ctx: WithOwnUrl): WebhookBase {
	const getUrl = ctx.getWebhookResourceUrl ?? ctx.getNodeWebhookUrl;
	return webhookBase(getUrl.call(ctx, 'default') ?? '');
}

import { asTriggerUrl, isTriggerUrl } from '../../model/n8nUrls';
import type { Webhook } from '../../model/schemas';
import { digestOf } from '../../model/secret';
import { isSameUrl } from '../../model/targetUrl';
import type { Item } from '../operation';

/** The secret of a webhook, or why it is not known. */
export type DeliverySecret =
	| { note: string }
	| {
			secret: string;
			/** Said when the receiver refuses it: what may be wrong with the secret. */
			ifRefused?: string;
	  };

const OTHER_KEY =
	'Sent with the secret that follows from the API key of this credential, and refused: the trigger may have a credential with another API key, or the secret of the webhook was rotated.';

const note = (because: string): DeliverySecret => ({
	note: `Sent without a secret: ${because}. A receiver that verifies the secret refuses this event.`,
});

/**
 * The secret with which the service would deliver to a webhook (§6.4.5). The service never shows one, so only that of a
 * trigger's webhook is known: the trigger derives it from its API key and its target URL. A derived secret is good for
 * that target URL alone, and what listens there has it already.
 */
export async function deliverySecret(item: Item, webhook: Webhook): Promise<DeliverySecret> {
	const { client, runtime } = item;
	const { targetUrl } = webhook;
	const trigger = runtime.activeNodes.using(webhook);
	if (!trigger) {
		return isTriggerUrl(targetUrl)
			? { secret: await client.secretFor(asTriggerUrl(targetUrl)), ifRefused: OTHER_KEY }
			: note('the service does not show the secret of a webhook, and no trigger derives this one');
	}
	// The service may write the URL in another form than the trigger, which derives from its own (D29).
	const { targetUrl: own } =
		[...trigger.webhooks, ...trigger.desired].find((one) => isSameUrl(one.targetUrl, targetUrl)) ??
		webhook;
	const secret = await client.secretFor(own);
	const digest = digestOf(secret);
	const isAccepted = trigger.webhooks.some((registered) => registered.digest === digest);
	return isAccepted
		? { secret }
		: note('it was rotated, or the trigger has a credential with another API key');
}

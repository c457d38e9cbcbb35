/** A create of the action node, and what its user is told when nobody knows its outcome. */
import type { Client } from '../../api/client';
import { settleRequest } from '../../api/errors';
import { hasSettings, type Webhook, type WebhookSettings } from '../../domain/webhook';
import { firstOf } from '../changes';

/**
 * Creates a webhook (§4.2).
 *
 * If the outcome is not known, the list is read. No webhook in it is returned as the result, because somebody else may have
 * created it with the same settings (D108): the error says what the list shows. Only if the connection was cut off and the
 * list has no such webhook, the create is sent a second time.
 * @param before the webhooks that are known to have existed before
 * @throws RequestError that says what the list shows, unless nothing was created
 */
export async function createWebhook(
	client: Client,
	settings: WebhookSettings,
	before: readonly Webhook[] = [],
): Promise<Webhook> {
	const first = await settleRequest(client.create(settings));
	if (first.ok) return first.value;
	// The service has refused it, or nothing was sent.
	if (!first.error.maybeDone) throw first.error;

	const newIds = async (): Promise<string[] | undefined> => {
		const listed = (await client.listIfPossible())?.filter((one) => hasSettings(one, settings));
		const ids = listed?.map(({ _id }) => _id);
		return ids?.filter((id) => !before.some(({ _id }) => _id === id));
	};
	const ids = await newIds();
	// After any other failure, the create may still be under way, and another one would make a second webhook.
	const isLost = first.error.failure === 'cutOff' && ids?.length === 0;
	if (!isLost) throw first.error.with(describeOutcome(ids));

	const second = await settleRequest(client.create(settings));
	if (second.ok) return second.value;
	// Whatever the second create fails with, the first one may have worked.
	throw second.error.asMaybeDone().with(describeOutcome(await newIds()));
}

/**
 * What an error says of a create whose outcome is not known.
 * @param ids of the listed webhooks that may be the new one; undefined when the webhooks could not be listed
 */
function describeOutcome(ids: readonly string[] | undefined): string {
	const sentences = ['Whether the new webhook was created is not known.'];
	if (ids && ids.length > 0) {
		sentences.push(
			`The list has webhooks with these settings: ${firstOf(ids)}. One of them may be the new one.`,
		);
	} else if (ids) {
		sentences.push('The list shows no new one with these settings yet.');
	}
	sentences.push("Check with the operation 'Get Many' before you try again.");
	return sentences.join(' ');
}

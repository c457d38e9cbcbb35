/** A create of the action node, and what its user is told when nobody knows its outcome. */
import { settleRequest } from '../../api/errors';
import { hasSettings, type Webhook, type WebhookSettings } from '../../domain/webhook';
import { firstOf } from '../changes';
import type { Item } from '../operation';

/**
 * Creates a webhook (§4.2).
 *
 * If the outcome is not known, the list is read. No webhook in it is returned as the result, because somebody else may have
 * created it with the same settings (D108): the error says what the list shows. Only if the connection was cut off and the
 * list has no such webhook, the create is sent a second time.
 * @param old the webhook that the new one replaces, with the same settings
 * @throws RequestError that says what the list shows, unless nothing was created
 */
export async function createWebhook(
	{ client }: Pick<Item, 'client'>,
	settings: WebhookSettings,
	old?: Webhook,
): Promise<Webhook> {
	const first = await settleRequest(client.create(settings));
	if (first.ok) return first.value;
	// The service has refused it, or nothing was sent.
	if (!first.error.maybeDone) throw first.error;

	const isNew = (webhook: Webhook): boolean =>
		webhook._id !== old?._id && hasSettings(webhook, settings);
	const listed = await client.listIfPossible();
	// After any other failure, the create may still be under way, and another one would make a second webhook.
	const isLost = first.error.failure === 'cutOff' && listed !== undefined && !listed.some(isNew);
	if (!isLost) throw first.error.with(describeList(listed, isNew, old));

	const second = await settleRequest(client.create(settings));
	if (second.ok) return second.value;
	// Whatever the second create fails with, the first one may have worked.
	throw second.error.asMaybeDone().with(describeList(await client.listIfPossible(), isNew, old));
}

/**
 * What an error says of a create whose outcome is not known.
 * @param listed undefined when the webhooks could not be listed
 * @param isNew whether a webhook may be the new one
 */
function describeList(
	listed: readonly Webhook[] | undefined,
	isNew: (webhook: Webhook) => boolean,
	old: Webhook | undefined,
): string {
	const sentences = ['Whether the new webhook was created is not known.'];
	const ids = listed?.filter(isNew).map(({ _id }) => _id) ?? [];
	if (old) sentences.push('If it was, delete it, because nobody has seen its secret.');
	if (listed && old) {
		const isThere = listed.some(({ _id }) => _id === old._id);
		sentences.push(`The old webhook ${old._id} is ${isThere ? 'still' : 'no longer'} listed.`);
	}
	if (ids.length > 0) {
		sentences.push(
			`The list has webhooks with these settings: ${firstOf(ids)}. One of them may be the new one.`,
		);
	} else if (listed) {
		sentences.push('The list shows no new one with these settings yet.');
	}
	sentences.push("Check with the operation 'Get Many' before you try again.");
	return sentences.join(' ');
}

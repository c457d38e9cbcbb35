/** A create of the action node, and what its user is told when the response is lost. */
import type { Client } from '../../api/client';
import { conflictError, settleRequest } from '../../api/errors';
import { normalizeUrl } from '../../domain/targetUrl';
import { hasSettings, type Webhook, type WebhookSettings } from '../../domain/webhook';
import { settle } from '../../utils/settle';
import type { Item } from '../operation';

/**
 * Creates a webhook (§4.2).
 *
 * If the response is lost, the outcome is not known, and the list is read. No webhook in it is returned as the result,
 * because somebody else may have created it with the same settings (D108): the error names those that there are. Only if
 * the connection was cut off and the list has no such webhook, the create is sent a second time.
 *
 * In this process, creates at the same target URL run one at a time. Otherwise, the list might show the webhook of
 * another create that is under way.
 * @param existingIds the IDs of the webhooks that existed before
 * @throws RequestError that says when the outcome is not known; a `conflict` when the service returns an existing webhook
 */
export async function createWebhook(
	{ client, runtime }: Pick<Item, 'client' | 'runtime'>,
	settings: WebhookSettings,
	existingIds: ReadonlySet<string> = new Set(),
): Promise<Webhook> {
	const key = `create/${await client.accountId()}/${normalizeUrl(settings.targetUrl)}`;
	return await runtime.mutex.run(key, async () => {
		const created = createOrExplain(client, settings, existingIds);
		const webhook = await created.finally(client.forgetList);
		// A webhook that existed before has another secret: the service has the target URL already (D7).
		if (!existingIds.has(webhook._id)) return webhook;
		throw conflictError({ status: 409, existingId: webhook._id });
	});
}

/** Sends a create. @throws RequestError that says whether there may be a webhook */
async function createOrExplain(
	client: Client,
	settings: WebhookSettings,
	existingIds: ReadonlySet<string>,
): Promise<Webhook> {
	const first = await settleRequest(client.create(settings));
	if (first.ok) return first.value;
	// The service has refused it, or nothing was sent.
	if (!first.error.maybeDone) throw first.error;

	// The create may have worked all the same. The list cannot prove that, but it can show that nothing was created.
	const candidates = await listedLike(client, settings, existingIds);
	const isNothingListed = candidates !== undefined && candidates.length === 0;
	// After any other failure, the create may have worked or may still be under way, and another one would make a second webhook.
	const wasCutOff = first.error.failure === 'cutOff';
	if (!wasCutOff || !isNothingListed) throw first.error.with(createdOrNot(candidates));

	const second = await settleRequest(client.create(settings));
	if (second.ok) return second.value;
	// Whatever the second create fails with, the first one may have worked.
	const candidatesNow = await listedLike(client, settings, existingIds);
	throw second.error.asMaybeDone().with(createdOrNot(candidatesNow));
}

/** The IDs of the listed webhooks that a create with these settings may have made; undefined without a list. */
async function listedLike(
	client: Client,
	settings: WebhookSettings,
	existingIds: ReadonlySet<string>,
): Promise<string[] | undefined> {
	const listed = await settle(client.listAgain());
	if (!listed.ok) return undefined;
	return listed.value
		.filter((webhook) => !existingIds.has(webhook._id) && hasSettings(webhook, settings))
		.map(({ _id }) => _id);
}

/** The maximum number of webhooks that an error names. */
const MAX_NAMED = 5;

/**
 * What an error says of a create whose outcome is not known.
 * @param listed the IDs of listed webhooks with the same settings; undefined when they could not be listed
 */
function createdOrNot(listed: readonly string[] | undefined): string {
	const unknown = 'Whether the new webhook was created is not known.';
	const check = "Check with the operation 'Get Many' before you try again.";
	if (listed === undefined) return `${unknown} ${check}`;
	if (listed.length === 0)
		return `${unknown} The list shows no new one with these settings yet. ${check}`;
	const more = listed.length > MAX_NAMED ? ` and ${listed.length - MAX_NAMED} more` : '';
	return `${unknown} The list has webhooks with these settings: ${listed.slice(0, MAX_NAMED).join(', ')}${more}. One of them may be the new one. ${check}`;
}

/** The webhooks that open creates have made, as a list shows them. */
import type { Client } from '../../api/client';
import type { RegisteredWebhook } from '../../domain/registration';
import { isSameUrl } from '../../domain/targetUrl';
import type { Webhook } from '../../domain/webhook';
import type { OpenCreate, OpenCreates } from '../../runtime/openCreates';
import type { Occasion } from './occasions';

/** The webhook that an open create has made, as a list shows it; undefined while the list shows none. */
export const resultIn = (
	listed: readonly Webhook[],
	{ desired, listedBefore }: OpenCreate,
	registeredIds: ReadonlySet<string>,
): Webhook | undefined =>
	listed.find(
		(webhook) =>
			!listedBefore.has(webhook._id) &&
			!registeredIds.has(webhook._id) &&
			isSameUrl(webhook.targetUrl, desired.targetUrl),
	);

/** A webhook that a create has made, as a registered webhook. */
export const registeredAs = (
	{ desired: { event, targetUrl, digest, serviceId } }: OpenCreate,
	{ _id: id }: Webhook,
): RegisteredWebhook => ({ id, event, targetUrl, digest, serviceId, evidence: 'created' });

/**
 * Lists the webhooks, finds those that open creates have made, and closes the creates whose outcome the list tells (D81).
 * @param key identifies the node's webhooks, see `registrationKey`
 * @param registered the webhooks that are registered already, and so are no results of these creates
 * @param occasion of the change that lists the webhooks
 * @returns the list, and the webhooks that these creates have made
 * @throws RequestError when the webhooks cannot be listed
 */
export async function listAndClose(
	client: Client,
	openCreates: OpenCreates,
	key: string,
	registered: readonly RegisteredWebhook[],
	{ desiresNothing }: Occasion,
): Promise<{ listed: Webhook[]; results: RegisteredWebhook[] }> {
	const failedBefore = openCreates.of(key).filter(({ hasFailed }) => hasFailed);
	const listed = await client.listAgain();

	const results: RegisteredWebhook[] = [];
	const takenIds = new Set(registered.map(({ id }) => id));
	const open = openCreates.of(key);
	for (const create of likeliestFirst(open)) {
		const result = isSecretKnown(create, open) ? resultIn(listed, create, takenIds) : undefined;
		if (result) {
			takenIds.add(result._id);
			results.push(registeredAs(create, result));
			openCreates.close(key, create);
			continue;
		}
		// In a removal, it stays open: no create follows that it would hold up, and a list that comes late may show its webhook.
		if (desiresNothing) continue;
		// The service was done with it before the list was requested, and the list shows no webhook.
		if (failedBefore.includes(create)) openCreates.close(key, create);
	}
	openCreates.closeExpired(key);
	return { listed, results };
}

/**
 * Open creates, those that have not failed first: after a failure, a create may have been sent once more, and the second one
 * has more likely made the webhook.
 */
function likeliestFirst(open: readonly OpenCreate[]): OpenCreate[] {
	const failed = open.filter(({ hasFailed }) => hasFailed);
	const others = open.filter(({ hasFailed }) => !hasFailed);
	return [...others, ...failed];
}

/**
 * Whether it is known which secret a webhook at the target URL of a create has, which a list does not show. If the API key has
 * changed meanwhile, creates with two secrets may be open for that URL.
 */
const isSecretKnown = ({ desired }: OpenCreate, open: readonly OpenCreate[]): boolean =>
	open
		.filter((other) => other.desired.targetUrl === desired.targetUrl)
		.every((other) => other.desired.digest === desired.digest);

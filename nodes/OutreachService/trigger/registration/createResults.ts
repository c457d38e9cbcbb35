/** The webhooks that open creates have made, as a list shows them. */
import type { Client } from '../../api/client';
import type { RegisteredWebhook } from '../../domain/registration';
import { isSameUrl } from '../../domain/targetUrl';
import type { Webhook } from '../../domain/webhook';
import type { TriggerNode } from '../../runtime/triggerNodes';
import type { OpenCreate } from '../../runtime/openCreates';
import type { Runtime } from '../../runtime/runtime';
import type { Context } from './context';

/**
 * Whether a create can have made a webhook that is listed or was returned: one that existed before is no result of it.
 * @param registeredIds see {@link idsRegisteredBy}
 */
export const mayBeResultOf = (
	{ listedBefore }: OpenCreate,
	{ _id: id }: Webhook,
	registeredIds: ReadonlySet<string>,
): boolean => !listedBefore.has(id) && !registeredIds.has(id);

/**
 * The IDs of the webhooks that a node has registered, or another active node at the same service: one that has the path of this
 * node now may have registered a webhook at the same URL.
 */
export function idsRegisteredBy(
	ctx: Context,
	{ triggerNodes }: Runtime,
	webhooks: readonly RegisteredWebhook[],
	serviceId: string,
): Set<string> {
	const ofOthers = triggerNodes.webhooksOfOthers(ctx).filter((one) => one.serviceId === serviceId);
	return new Set([...webhooks, ...ofOthers].map(({ id }) => id));
}

/** The webhook that an open create has made, as a list shows it; undefined while the list shows none. */
export const resultIn = (
	listed: readonly Webhook[],
	open: OpenCreate,
	registeredIds: ReadonlySet<string>,
): Webhook | undefined =>
	listed.find(
		(webhook) =>
			mayBeResultOf(open, webhook, registeredIds) &&
			isSameUrl(webhook.targetUrl, open.desired.targetUrl),
	);

/** A webhook that a create has made, as a registered webhook. */
export const registeredAs = (
	{ desired: { event, targetUrl, digest, serviceId } }: OpenCreate,
	{ _id: id }: Webhook,
): RegisteredWebhook => ({ id, event, targetUrl, digest, serviceId, evidence: 'created' });

/**
 * Lists the webhooks, finds those that the node's open creates have made, and closes the creates whose outcome the list tells
 * (D81).
 * @param node its registered webhooks are no results of these creates
 * @param options.isRemoval whether all webhooks of the node are to be removed
 * @returns the list, and the webhooks that these creates have made
 * @throws RequestError when the webhooks cannot be listed
 */
export async function listAndClose(
	ctx: Context,
	runtime: Runtime,
	{ base, webhooks }: Pick<TriggerNode, 'base' | 'webhooks'>,
	client: Client,
	{ isRemoval }: { isRemoval: boolean },
): Promise<{ listed: Webhook[]; results: RegisteredWebhook[] }> {
	const { openCreates } = runtime;
	// The service is done with these before the list is requested. So if it shows no webhook of one of them, none is expected any more.
	const doneBeforeList = new Set(
		openCreates.of(ctx, base).filter(({ isDoneWithout }) => isDoneWithout),
	);
	const listed = await client.listAgain();

	const results: RegisteredWebhook[] = [];
	const takenIds = idsRegisteredBy(ctx, runtime, webhooks, await client.serviceId());
	// Not the ones of before: the list may have taken long, and some may have expired meanwhile.
	const open = openCreates.of(ctx, base);
	for (const create of likeliestFirst(open)) {
		const result = isSecretKnown(create, open) ? resultIn(listed, create, takenIds) : undefined;
		if (result) {
			takenIds.add(result._id);
			results.push(registeredAs(create, result));
			openCreates.close(create);
			continue;
		}
		// In a removal, it stays open: no create follows that it would hold up, and a list that comes late may show its webhook.
		if (!isRemoval && doneBeforeList.has(create)) openCreates.close(create);
	}
	openCreates.closeExpired();
	return { listed, results };
}

/**
 * Open creates, those that have returned no webhook last: another one may have been sent in their place, and has more likely
 * made the webhook.
 */
function likeliestFirst(open: readonly OpenCreate[]): OpenCreate[] {
	const withoutResult = open.filter(({ isDoneWithout }) => isDoneWithout);
	const others = open.filter(({ isDoneWithout }) => !isDoneWithout);
	return [...others, ...withoutResult];
}

/**
 * Whether it is known which secret a webhook at the target URL of a create has, which a list does not show. If the API key has
 * changed meanwhile, creates with two secrets may be open for that URL.
 */
const isSecretKnown = ({ desired }: OpenCreate, open: readonly OpenCreate[]): boolean =>
	open
		.filter((other) => other.desired.targetUrl === desired.targetUrl)
		.every((other) => other.desired.digest === desired.digest);

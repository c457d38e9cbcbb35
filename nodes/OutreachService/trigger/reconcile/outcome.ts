/** What follows from a plan that was carried out as far as possible. Pure. */
import type { DesiredWebhook, RegisteredWebhook } from '../../model/registration';
import type { Webhook } from '../../model/schemas';
import { normalizeUrl } from '../../model/targetUrl';
import type { ActiveNode } from '../../runtime/activeNodes';
import type { Applied } from './apply';
import { isAsDesired } from './plan';

/**
 * The events of webhooks that had to be created again, and that no other has delivered until then (D59).
 * @param working the listed webhooks whose deliveries were accepted, as far as they are as desired
 * @param urls the target URLs at which something may have been lost; without them, all
 */
export const lostEvents = (
	created: readonly RegisteredWebhook[],
	working: readonly Webhook[],
	urls?: ReadonlySet<string>,
): string[] =>
	created
		.filter(({ targetUrl }) => urls?.has(targetUrl) !== false)
		.filter((one) => !working.some((webhook) => isAsDesired(webhook, one)))
		.map(({ event }) => event);

/**
 * The registered webhooks that are still there although they should be gone. Also those whose URL such a webhook has: a
 * repair before a restart created it with the same secret, and its ID was not saved.
 */
export function leftoversOf(
	{ webhooks, remaining }: Applied,
	registered: readonly RegisteredWebhook[],
): RegisteredWebhook[] {
	const inForce = new Set(webhooks.map(({ id }) => id));
	const ids = new Set(remaining.map(({ _id }) => _id));
	const urls = new Set(remaining.map(({ targetUrl }) => normalizeUrl(targetUrl)));
	return registered.filter(
		({ id, targetUrl }) => !inForce.has(id) && (ids.has(id) || urls.has(normalizeUrl(targetUrl))),
	);
}

/** What is left of a plan that could not be carried out completely. */
export function restOf(
	{ remaining, removalFailures }: Applied,
	desired: readonly DesiredWebhook[],
): Pick<ActiveNode, 'failedRemovals' | 'delivering'> {
	// A node can have hundreds of webhooks: each is compared only with those at its URL.
	const atUrl = new Map<string, Webhook[]>();
	for (const webhook of remaining) {
		const url = normalizeUrl(webhook.targetUrl);
		atUrl.set(url, [...(atUrl.get(url) ?? []), webhook]);
	}
	const isDelivered = (one: DesiredWebhook): boolean =>
		atUrl.get(normalizeUrl(one.targetUrl))?.some((webhook) => isAsDesired(webhook, one)) === true;
	return {
		failedRemovals: new Set(removalFailures.length === 0 ? [] : remaining.map(({ _id }) => _id)),
		delivering: new Set(desired.filter(isDelivered).map(({ targetUrl }) => targetUrl)),
	};
}

/** Why a plan could not be carried out completely, each reason once. */
export const reasonsIn = ({ failure, removalFailures }: Applied): string =>
	[
		...new Set([...(failure ? [failure] : []), ...removalFailures].map(({ message }) => message)),
	].join('; ');

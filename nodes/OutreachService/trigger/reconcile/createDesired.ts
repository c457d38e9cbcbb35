import { NodeApiError } from 'n8n-workflow';

import type { DesiredWebhook, RegisteredWebhook } from '../../model/registration';
import type { Hook } from '../../model/schemas';
import { isSameUrl, normalizeUrl } from '../../model/targetUrl';
import { readCredential } from '../../api/credential';
import { createWebhook, deleteWebhook, listWebhooks, tryCreateWebhook } from '../../api/webhooks';
import type { RegistrationContext } from './apply';
import { deriveSecret, digestOf } from '../state/secret';
import { hookSettings } from './desired';

/** Services that allow a URL only once may compare it without its query, in which a node's webhooks differ alone. */
const addressOf = (url: string): string =>
	normalizeUrl(url).replace(/\?.*$/, '').replace(/\/+$/, '').toLowerCase();

function conflictError(
	ctx: RegistrationContext,
	wanted: DesiredWebhook,
	hooks: Hook[],
): NodeApiError {
	const other = hooks.find(({ targetUrl }) => addressOf(targetUrl) === addressOf(wanted.targetUrl));
	return new NodeApiError(
		ctx.getNode(),
		{},
		{
			httpCode: '409',
			// When an activation fails, n8n 2 shows the message alone and n8n 1 the description alone: the webhook is in both.
			message: `The service refuses the address of this workflow: ${other ? `the webhook ${other._id}` : 'another webhook'} has it already`,
			description: other
				? `The address of this workflow belongs to the webhook ${other._id}: ${other.targetUrl}. Delete it if nobody needs it. If it belongs to this workflow, set the option 'Subscription' to 'One Webhook for Everything'.`
				: 'The address of this workflow belongs to a webhook that is not in the list of your team, so it belongs to another one. Give this workflow a new trigger node: it gets an address of its own.',
		},
	);
}

export type CreateOptions = {
	/** IDs of the webhooks that existed before. */
	known: ReadonlySet<string>;
	/** IDs of the webhooks of other nodes, which are never removed. */
	others: ReadonlySet<string>;
	/** Ends the wait for a slot in the limit; a create that was sent runs to its end. */
	signal?: AbortSignal | undefined;
};

/**
 * Creates a webhook of this node with its derived secret (§4.2). Where the service allows a URL only once and an
 * earlier webhook of this node has it, that one is replaced (D7).
 * @throws NodeApiError
 */
export async function createDesired(
	ctx: RegistrationContext,
	desired: DesiredWebhook,
	{ known, others, signal }: CreateOptions,
): Promise<RegisteredWebhook> {
	const { apiKey } = await readCredential(ctx);
	const secret = deriveSecret(apiKey, desired.targetUrl);
	const settings = hookSettings(desired, secret);
	const where = { known, signal, cancellable: 'untilSent' } as const;
	const created = await tryCreateWebhook(ctx, settings, where);
	const registered = ({ _id: id }: Hook) => ({ id, digest: digestOf(secret), ...desired });
	if (!(created instanceof NodeApiError)) return registered(created);
	const hooks = await listWebhooks(ctx);
	const leftovers = hooks.filter(
		({ _id, targetUrl }) => isSameUrl(targetUrl, desired.targetUrl) && !others.has(_id),
	);
	if (leftovers.length === 0) throw conflictError(ctx, desired, hooks);
	for (const { _id } of leftovers) await deleteWebhook(ctx, _id);
	return registered(await createWebhook(ctx, settings, where));
}

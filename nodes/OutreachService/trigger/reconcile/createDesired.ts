import type { Client } from '../../api/createClient';
import type { CreateOptions } from '../../api/createWebhook';
import { isConflict, RequestError } from '../../api/errors';
import type { DesiredWebhook, RegisteredWebhook } from '../../model/registration';
import type { Webhook } from '../../model/schemas';
import { digestOf } from '../../model/secret';
import { isSameUrl, normalizeUrl } from '../../model/targetUrl';
import { settle } from '../../utils/settle';
import { webhookSettings } from './desired';

/** Services that allow a target URL only once may compare it without its query, in which a node's webhooks differ. */
const withoutQuery = (url: string): string =>
	normalizeUrl(url).replace(/\?.*/, '').replace(/\/+$/, '').toLowerCase();

function conflictError(desired: DesiredWebhook, webhooks: Webhook[]): RequestError {
	const url = withoutQuery(desired.targetUrl);
	const other = webhooks.find(({ targetUrl }) => withoutQuery(targetUrl) === url);
	return RequestError.forResponse(
		{ status: 409 },
		{
			// When an activation fails, n8n 2 shows the message alone and n8n 1 the description alone: the webhook is in both.
			message: `The service refuses the target URL of this workflow: ${other ? `the webhook ${other._id}` : 'another webhook'} already has it`,
			description: other
				? `The target URL of this workflow belongs to the webhook ${other._id}: ${other.targetUrl}. Delete it if nobody needs it. If it belongs to this workflow, set the option 'Subscription' to 'One Webhook for Everything'.`
				: 'Another team has a webhook with the target URL of this workflow. Add a new trigger node to this workflow: it gets a different target URL.',
		},
	);
}

export type CreateDesiredOptions = {
	/** IDs of the webhooks that existed before. */
	known: ReadonlySet<string>;
	/** IDs of the webhooks of other nodes, which are never removed. */
	others: ReadonlySet<string>;
} & Pick<CreateOptions, 'onPossibleDuplicate'>;

/**
 * Creates a webhook of this node with its derived secret (§4.2). Where the service allows a target URL only once and an
 * earlier webhook of this node has it, that one is replaced (D7). A create that was sent runs to its end.
 * @throws RequestError
 */
export async function createDesired(
	client: Client,
	desired: DesiredWebhook,
	{ known, others, onPossibleDuplicate }: CreateDesiredOptions,
): Promise<RegisteredWebhook> {
	const secret = await client.secretFor(desired.targetUrl);
	const settings = webhookSettings(desired, secret);
	const options = {
		known,
		cancellable: 'untilSent',
		...(onPossibleDuplicate ? { onPossibleDuplicate } : {}),
	} as const;
	const registered = ({ _id: id }: Webhook) => ({ id, digest: digestOf(secret), ...desired });
	const created = await settle(client.createWebhook(settings, options));
	if (created.ok) return registered(created.value);
	if (!isConflict(created.error)) throw created.error;
	const webhooks = await client.listWebhooks();
	const leftovers = webhooks.filter(
		({ _id, targetUrl }) => isSameUrl(targetUrl, desired.targetUrl) && !others.has(_id),
	);
	if (leftovers.length === 0) throw conflictError(desired, webhooks);
	for (const { _id } of leftovers) await client.deleteWebhook(_id);
	return registered(await client.createWebhook(settings, options));
}

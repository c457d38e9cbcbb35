/** What a change or a removal of a node's webhooks finds at the service, and whose it is. */
import type { Client } from '../../api/client';
import { isLeaving, isReplaced, type RegisteredWebhook } from '../../domain/registration';
import type { Webhook } from '../../domain/webhook';
import type { TriggerNode } from '../../runtime/triggerNodes';
import type { Runtime } from '../../runtime/runtime';
import type { Context } from './context';
import { listAndClose } from './createResults';
import { ownershipOf, type Whose } from './ownership';

/** What is at the service, as a node sees it. */
export type Situation = {
	/** All webhooks of the team. */
	listed: readonly Webhook[];
	/** The node's webhooks that are registered at this service, also those that a list has just shown to be made. */
	registered: readonly RegisteredWebhook[];
	/** Tells whose a webhook is. */
	whose: (webhook: Webhook) => Whose;
};

/**
 * Lists the webhooks (§4.1), and tells which of the node's are registered at the service, and whose a webhook is.
 * The list also tells the outcome of open creates, which are closed.
 * @param options.isRemoval whether all webhooks of the node are to be removed
 * @throws RequestError when the webhooks cannot be listed
 */
export async function findSituation(
	ctx: Context,
	runtime: Runtime,
	node: Pick<TriggerNode, 'base' | 'webhooks'>,
	client: Client,
	{ isRemoval }: { isRemoval: boolean },
): Promise<Situation> {
	const { base, webhooks } = node;
	const { listed, results } = await listAndClose(ctx, runtime, node, client, { isRemoval });
	const serviceId = await client.serviceId();
	const atService = registeredAtService(ctx, webhooks, serviceId, listed);
	// The list shows these, wherever their creates were sent.
	const created = results.map((webhook) => ({ ...webhook, serviceId }));
	const registered = [...atService, ...created];
	const serviceUrl = await client.baseUrl();
	const whose = ownershipOf(ctx, runtime, { base, registered, serviceUrl, isRemoval });
	return { listed, registered, whose };
}

/**
 * The node's webhooks that are registered at the service that the credential names now. Another Base URL is another service
 * (D106): webhooks at the earlier one cannot be removed with this credential, and are named in n8n's log. But if the list
 * shows a webhook, it is the same service under another URL.
 */
function registeredAtService(
	ctx: Context,
	webhooks: readonly RegisteredWebhook[],
	serviceId: string,
	listed: readonly Webhook[],
): RegisteredWebhook[] {
	const listedIds = new Set(listed.map(({ _id }) => _id));
	const atService: RegisteredWebhook[] = [];
	const atOtherService: string[] = [];
	for (const webhook of webhooks) {
		const isListed = listedIds.has(webhook.id);
		// An earlier process, or another main process, may have removed the webhooks of a node that was leaving. One that
		// was replaced is no longer needed, whoever has removed it.
		if (!isListed && (isLeaving(webhook) || isReplaced(webhook))) continue;
		if (isListed || webhook.serviceId === serviceId) atService.push({ ...webhook, serviceId });
		else atOtherService.push(webhook.id);
	}
	if (atOtherService.length > 0) {
		ctx.logger.warn(
			`The credential of "${ctx.getNode().name}" has another Base URL now. These webhooks stay at the service of the earlier one: ${atOtherService.join(', ')}. Their deliveries are refused, unless the API key is the same at both services. Delete them with a credential that has the earlier Base URL.`,
			{ workflowId: ctx.getWorkflow().id },
		);
	}
	return atService;
}

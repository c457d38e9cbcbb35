/** The base of a node: the URL that n8n gives it for its webhooks. */
import type { IHookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { baseIn, webhookBase, type WebhookBase } from '../../domain/triggerUrl';
import type { RegisteredWebhook } from '../../domain/registration';
import { parseUrl } from '../../utils/parseUrl';

/** The base of registered webhooks; empty when none is registered. */
export const baseOf = ([first]: readonly RegisteredWebhook[]): WebhookBase =>
	baseIn(first?.targetUrl ?? '');

/**
 * Whether n8n recognizes the path of a base when it is called there (D85). For a node without a webhook ID, n8n
 * stores a path with the encoded name of the node, and compares it with the decoded path of each request. If the name
 * changes when it is decoded, every event gets 404.
 */
function isRouted(url: string): boolean {
	const nodePath = new URL(url).pathname.split('/').slice(-3).join('/');
	try {
		return decodeURIComponent(nodePath) === nodePath;
	} catch {
		return false;
	}
}

/**
 * The base that n8n gives the node now, in production or for a test run.
 * @throws NodeOperationError when n8n gives none, or one at which it does not route
 */
export function readBase(ctx: IHookFunctions): WebhookBase {
	const url = ctx.getNodeWebhookUrl('default');
	const node = ctx.getNode();
	if (url === undefined || !parseUrl(url)) {
		throw new NodeOperationError(node, 'n8n provided no webhook URL for this node', {
			description:
				'Save the workflow, then publish (activate) it again. Check that WEBHOOK_URL is a valid URL.',
		});
	}
	if (!isRouted(url)) {
		throw new NodeOperationError(
			node,
			// n8n 2 shows the message alone when an activation fails, so what to do must be in it.
			`n8n cannot receive events for "${node.name}": the node has no webhook ID. Open the workflow in the editor, move the node, and publish the workflow again`,
			{
				description:
					"The workflow was imported on the command line from a file without the node's webhook ID. So the webhook URL contains the name of the node, and n8n does not recognize it when the service calls it. n8n gives the node an ID when the workflow is saved in the editor: open it, move the node, and publish (activate) it again.",
			},
		);
	}
	return webhookBase(url);
}

/** The base of a node: the URL that n8n gives it for its webhooks. */
import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { isOutOfReach } from '../../domain/targetUrl';
import { baseIn, webhookBase, type WebhookBase } from '../../domain/triggerUrl';
import type { TriggerNode } from '../../runtime/triggerNodes';
import { parseUrl } from '../../utils/parseUrl';

/** n8n's context in `create`, in `delete` and in `trigger()`. */
export type Context = IHookFunctions | ITriggerFunctions;

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

/** The error for a base that another active node has: each would remove the webhooks of the other. */
export const baseTakenError = (ctx: Context, other: TriggerNode): NodeOperationError =>
	new NodeOperationError(
		ctx.getNode(),
		// n8n 2 shows the message alone when an activation fails, so what to do must be in it.
		`"${other.title}" is active with the same webhook URL: delete the node "${ctx.getNode().name}" in this workflow, and add it again`,
		{
			description: `A trigger that is pasted into another workflow keeps its webhook URL, and n8n sends the events at one URL to one workflow alone. Delete the node "${ctx.getNode().name}" and add a new one, which gets another URL. Or unpublish (deactivate) the other workflow: ${other.title}.`,
		},
	);

/**
 * Refuses a base that the service cannot reach: the workflow would be active, and never start (D33).
 * @param serviceUrl the Base URL of the credential
 * @throws NodeOperationError
 */
export function refuseOutOfReach(ctx: Context, base: WebhookBase, serviceUrl: string): void {
	if (!isOutOfReach(base, serviceUrl)) return;
	throw new NodeOperationError(
		ctx.getNode(),
		// n8n 2 shows the message alone when an activation fails, so what to do must be in it.
		`The service cannot reach this n8n at ${new URL(baseIn(base)).origin}: set WEBHOOK_URL to its public URL`,
		{
			description:
				"n8n's webhook URLs begin with this URL, which works only on the machine that runs n8n. Set the environment variable WEBHOOK_URL to the URL at which n8n can be reached from the internet, such as https://n8n.example.com/, and restart n8n. On your own computer, use a tunnel. Test runs have the URL of the editor where N8N_EDITOR_BASE_URL is set: then set N8N_WEBHOOK_URL as well, which applies to both.",
		},
	);
}

/** What a change of a node's webhooks finds: what is desired, and what the service lists. */
import { NodeOperationError } from 'n8n-workflow';

import type { Client } from '../../api/client';
import type { WebhookBase } from '../../domain/triggerUrl';
import type { DesiredWebhook, RegisteredWebhook, Registration } from '../../domain/registration';
import type { WebhookSettings } from '../../domain/webhook';
import { digestOf } from '../../domain/secret';
import { isLocalUrl } from '../../domain/targetUrl';
import { registrationKey, type ActiveNode } from '../../runtime/activeNodes';
import type { Runtime } from '../../runtime/runtime';
import type { Context } from './context';
import { listAndClose } from './creates';
import { desiredWebhooks } from './desired';
import type { Occasion } from './occasions';
import { ownershipOf } from './ownership';
import type { Situation } from './plan';

/** What the desired webhooks of a node are; none at its end, or when its parameters cannot be used. */
export const desiredOf = (
	{ base, selection }: ActiveNode,
	{ desiresNothing }: Occasion,
): WebhookSettings[] =>
	desiresNothing || !selection.ok ? [] : desiredWebhooks(selection.value, base);

/**
 * Reads the credential, lists the webhooks (§4.1), and tells whose each of them is. From now on, the secrets of the desired
 * webhooks are accepted, and creates whose outcome the list shows are closed.
 * @throws RequestError when the credential cannot be used or the webhooks cannot be listed; NodeOperationError when the
 *   service cannot reach this n8n
 */
export async function findSituation(
	ctx: Context,
	runtime: Runtime,
	node: ActiveNode,
	occasion: Occasion,
	client: Client,
): Promise<Situation> {
	const { activeNodes, openCreates, testRuns } = runtime;
	const { base } = node;
	const serviceUrl = await client.baseUrl();
	const desired: DesiredWebhook[] = [];
	for (const webhook of desiredOf(node, occasion)) {
		desired.push({ ...webhook, digest: digestOf(await client.secretFor(webhook.targetUrl)) });
	}
	if (desired.length > 0 && isLocalUrl(base) && !isLocalUrl(serviceUrl)) {
		throw outOfReachError(ctx, base);
	}
	// From now on, deliveries with these secrets are accepted: a webhook may deliver before the response to its create
	// arrives (D81). A removal keeps those that were desired before it: n8n may still call `create`, for which the credential
	// perhaps cannot be read.
	const isOfActiveNode = !testRuns.isBaseOf(ctx, base) && !occasion.desiresNothing;
	if (isOfActiveNode) activeNodes.update(ctx, { desired });

	const key = registrationKey(ctx, base);
	const { webhooks } = node;
	const { listed, results } = await listAndClose(client, openCreates, key, webhooks, occasion);
	const listedIds = new Set(listed.map(({ _id }) => _id));
	// An earlier process may have removed the webhooks of a node that was leaving.
	const present = {
		...node,
		webhooks: webhooks.filter(({ id, evidence }) => evidence !== 'leaving' || listedIds.has(id)),
	};
	const atService = registeredAtService(ctx, present, await client.serviceId(), listedIds);
	const registered = [...atService, ...results];
	return {
		desired,
		listed,
		registered,
		whose: ownershipOf(ctx, runtime, { base, registered, serviceUrl, occasion }),
	};
}

/**
 * The node's webhooks that are registered at the service that the credential names now. Another Base URL is another service
 * (D106): webhooks at the earlier one cannot be removed with this credential, and are named in n8n's log. But if the list
 * shows a webhook, it is the same service under another URL.
 */
function registeredAtService(
	ctx: Context,
	{ webhooks, serviceId: before }: Registration,
	serviceId: string,
	listedIds: ReadonlySet<string>,
): RegisteredWebhook[] {
	if (before === undefined || before === serviceId) return [...webhooks];
	const atService = webhooks.filter(({ id }) => listedIds.has(id));
	const elsewhere = webhooks.filter(({ id }) => !listedIds.has(id));
	if (elsewhere.length > 0) {
		const ids = elsewhere.map(({ id }) => id).join(', ');
		ctx.logger.warn(
			`The credential of "${ctx.getNode().name}" has another Base URL now. The webhooks that were registered at the earlier one stay there, and their deliveries are refused: ${ids}. Delete them with a credential that has the earlier Base URL.`,
			{ workflowId: ctx.getWorkflow().id },
		);
	}
	return atService;
}

/** The error for a base that the service cannot reach: the workflow would be active, and never start (D33). */
const outOfReachError = (ctx: Context, base: WebhookBase): NodeOperationError =>
	new NodeOperationError(
		ctx.getNode(),
		// n8n shows the message alone when an activation fails, so what to do must be in it.
		`The service cannot reach this n8n at ${new URL(base).origin}: set WEBHOOK_URL to its public URL`,
		{
			description:
				"n8n's webhook URLs begin with this URL, which works only on the machine that runs n8n. Set the environment variable WEBHOOK_URL to the URL at which n8n can be reached from the internet, such as https://n8n.example.com/, and restart n8n. On your own computer, use a tunnel. Test runs have the URL of the editor where N8N_EDITOR_BASE_URL is set: then set N8N_WEBHOOK_URL as well, which applies to both.",
		},
	);

/** The webhooks that the parameters and the credential of a node need. */
import { NodeOperationError } from 'n8n-workflow';

import type { Client } from '../../api/client';
import { EVENTS } from '../../domain/eventTypes';
import type { DesiredWebhook } from '../../domain/registration';
import { digestOf } from '../../domain/secret';
import { isOutOfReach } from '../../domain/targetUrl';
import { targetUrlOf, type WebhookBase } from '../../domain/triggerUrl';
import { subscribedEvents } from '../../parameters/chosenEvents';
import type { Selection } from '../../parameters/selection';
import type { Context } from './context';

/** What the parameters alone tell of a desired webhook. */
export type SelectedWebhook = Omit<DesiredWebhook, 'digest' | 'serviceId'>;

/** The event of a third party's reply (§6.6). */
const REPLY = 'emailsReplied';

/**
 * Whether the webhook of an event can be tied to a campaign. A webhook of a campaign may deliver only activities that have
 * a campaign (D70), and a third party's reply may have left its campaign (§6.6, D80). So the webhook for either of these is
 * not tied, and the node itself filters by campaign. A type that the nodes do not know counts as one that has a campaign.
 */
function isOfOneCampaign(event: string, { isFirst, thirdPartyReplies }: Selection): boolean {
	const mayLeaveCampaign = event === REPLY && !isFirst && thirdPartyReplies !== 'exclude';
	return !mayLeaveCampaign && (EVENTS.get(event)?.hasCampaign ?? true);
}

/**
 * The webhooks that a selection needs (§4.2, §6.3): one for each event, or one for each campaign of an event that can be
 * tied to a campaign (D70). For other events and for `*`, the node itself filters by campaign.
 */
export function selectedWebhooks(selection: Selection, base: WebhookBase): SelectedWebhook[] {
	const { campaignIds, isFirst } = selection;
	return subscribedEvents(selection).flatMap((event) => {
		const isTied = campaignIds.length > 0 && isOfOneCampaign(event, selection);
		const campaigns = isTied ? campaignIds : [undefined];
		return campaigns.map((campaignId) => {
			const settings = { event, campaignId, isFirst };
			return { ...settings, targetUrl: targetUrlOf({ base, ...settings }) };
		});
	});
}

/**
 * The desired webhooks of a node: those that a selection needs, with what the credential says of them now.
 * @throws RequestError when the credential cannot be used; NodeOperationError when the service cannot reach this n8n
 */
export async function desiredWebhooks(
	ctx: Context,
	base: WebhookBase,
	selection: Selection,
	client: Client,
): Promise<DesiredWebhook[]> {
	const serviceUrl = await client.baseUrl();
	const serviceId = await client.serviceId();
	const desired: DesiredWebhook[] = [];
	for (const webhook of selectedWebhooks(selection, base)) {
		const digest = digestOf(await client.secretFor(webhook.targetUrl));
		desired.push({ ...webhook, digest, serviceId });
	}
	if (isOutOfReach(base, serviceUrl)) throw outOfReachError(ctx, base);
	return desired;
}

/** The error for a base that the service cannot reach: the workflow would be active, and never start (D33). */
const outOfReachError = (ctx: Context, base: WebhookBase): NodeOperationError =>
	new NodeOperationError(
		ctx.getNode(),
		// n8n 2 shows the message alone when an activation fails, so what to do must be in it.
		`The service cannot reach this n8n at ${new URL(base).origin}: set WEBHOOK_URL to its public URL`,
		{
			description:
				"n8n's webhook URLs begin with this URL, which works only on the machine that runs n8n. Set the environment variable WEBHOOK_URL to the URL at which n8n can be reached from the internet, such as https://n8n.example.com/, and restart n8n. On your own computer, use a tunnel. Test runs have the URL of the editor where N8N_EDITOR_BASE_URL is set: then set N8N_WEBHOOK_URL as well, which applies to both.",
		},
	);

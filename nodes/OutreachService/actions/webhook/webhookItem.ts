/** What the item of a webhook shows. */
import type { IDataObject } from 'n8n-workflow';

import { EVENTS } from '../../domain/eventTypes';
import { settingsOf, type Webhook, type WebhookSettings } from '../../domain/webhook';
import { isSameUrl } from '../../domain/targetUrl';

/**
 * The item of a webhook: what the operation did, and the service's own object. The fields of the result come first, because
 * the editor's table has a column for each field, and the last columns are out of sight. They also come last, so that they
 * replace fields of the webhook with the same name.
 */
export const webhookItem = (result: IDataObject, webhook: IDataObject): IDataObject => ({
	...result,
	...webhook,
	...result,
});

/**
 * The item of a webhook that was created with a secret (D98): the documented fields alone (§2.1). Another server in the
 * place of the service may repeat the secret in any field, so a text is shown only if it is what was sent, an event type
 * of the service, or a date.
 * @param sent the settings with which it was created
 */
export function createdItem(
	result: IDataObject,
	webhook: Webhook,
	sent: WebhookSettings,
): IDataObject {
	const { targetUrl, type, campaignId, createdAt, toolLinkId, isFirst } = settingsOf(webhook);
	const item: IDataObject = {
		...result,
		_id: webhook._id,
		targetUrl: isSameUrl(targetUrl, sent.targetUrl) ? targetUrl : sent.targetUrl,
	};
	// Also an event other than the one that was sent, because an item without a type means all events: a service may return
	// the webhook that it already has at the target URL.
	if (type !== undefined && (type === sent.event || EVENTS.has(type))) item.type = type;
	if (campaignId !== undefined && campaignId === sent.campaignId) item.campaignId = campaignId;
	if (createdAt !== undefined && IS_DATE.test(createdAt)) item.createdAt = createdAt;
	if (toolLinkId !== undefined) item.toolLinkId = toolLinkId;
	if (isFirst !== undefined) item.isFirst = isFirst;
	return { ...item, ...result };
}

/** A date-time of ISO 8601 (§2.1), and nothing else. */
const IS_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/;

/** What the item of a webhook shows. */
import type { IDataObject } from 'n8n-workflow';

import { eventOf, settingsOf, type Webhook, type WebhookSettings } from '../../domain/webhook';
import { isSameUrl } from '../../domain/targetUrl';
import { pathInN8n } from '../../domain/triggerUrl';
import type { Item } from '../operation';

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

/** What finds out who uses a webhook. @returns the field for its item, which is empty if nobody is known to */
export function usersOf({ ctx, runtime }: Item): (webhook: Webhook) => { usedBy?: string } {
	const ownerOf = runtime.triggerNodes.owners();
	const restApiUrl = ctx.getRestApiUrl();
	return (webhook) => {
		const owner = ownerOf(webhook);
		if (owner !== undefined) return { usedBy: owner };
		const isOurs = pathInN8n(webhook.targetUrl, restApiUrl) !== undefined;
		return isOurs ? { usedBy: 'this n8n' } : {};
	};
}

/** A date-time of ISO 8601 (§2.1), and nothing else. */
const IS_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/;
/** What a service has returned otherwise than it was sent. A field that is not in the response contradicts nothing. */
export function differencesOf(webhook: Webhook, sent: WebhookSettings): string[] {
	const { targetUrl, campaignId, isFirst } = settingsOf(webhook);
	const differs = {
		'target URL': !isSameUrl(targetUrl, sent.targetUrl),
		event: 'type' in webhook && eventOf(webhook) !== sent.event,
		campaign: campaignId !== undefined && campaignId !== sent.campaignId,
		"'isFirst'": isFirst !== undefined && isFirst !== (sent.isFirst ?? false),
	};
	return Object.entries(differs).flatMap(([name, isOther]) => (isOther ? [name] : []));
}

/**
 * The item of a webhook that was created (D98): the documented fields alone (§2.1), as the service has returned them. Another
 * server in the place of the service may repeat the secret in any field, so a text is shown only if it is what was sent, or
 * a date. If the service has returned something else, a `note` names the fields.
 * @param sent the settings with which it was created
 * @param notes sentences for the field `note`
 */
export function createdItem(
	result: IDataObject,
	webhook: Webhook,
	sent: WebhookSettings,
	notes: readonly string[] = [],
): IDataObject {
	const { targetUrl, type, campaignId, createdAt = '', toolLinkId, isFirst } = settingsOf(webhook);
	const others = differencesOf(webhook, sent);
	const difference = `The service returned a webhook with another ${others.join(' and another ')} than the node has sent: check it with the operation 'Get'.`;
	const allNotes = others.length > 0 ? [...notes, difference] : notes;
	const item = {
		...result,
		note: allNotes.join(' ') || undefined,
		_id: webhook._id,
		targetUrl: isSameUrl(targetUrl, sent.targetUrl) ? targetUrl : undefined,
		type: type === sent.event ? type : undefined,
		campaignId: campaignId === sent.campaignId ? campaignId : undefined,
		createdAt: IS_DATE.test(createdAt) ? createdAt : undefined,
		toolLinkId,
		isFirst,
	};
	return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));
}

/** Points to the notes: in the editor's table, other fields push them out of sight. */
export function hintAtNote({ hints }: Item, { note }: IDataObject): void {
	if (note === undefined) return;
	hints.add('Read the note in the output. It says what else you must know or do.');
}

/** What the item of a webhook shows. */
import type { IDataObject } from 'n8n-workflow';

import { eventOf, settingsOf, type Webhook, type WebhookSettings } from '../../domain/webhook';
import { isHttpUrl, isSameUrl } from '../../domain/targetUrl';
import { pathInN8n } from '../../domain/triggerUrl';
import { decoded } from '../../domain/targetUrl';
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
/** The form of an event type or a campaign ID. */
const IS_NAME = /^[\w.:-]{1,100}$/;

const lettersOf = (text: string): string =>
	decoded(text)
		.replace(/[^\p{L}\d]/gu, '')
		.toLowerCase();

/**
 * The item of a webhook that was created (D98): the documented fields alone (§2.1), as the service has returned them. If
 * they are not what was sent, a `note` says so. Another server in the place of the service may repeat the secret in any
 * field, so a text that was not sent is shown only if it has the form of its field, and the secret is not in it.
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
	const secret = lettersOf(sent.secret ?? '');
	const isSafe = (text: string): boolean => secret === '' || !lettersOf(text).includes(secret);
	const isSafeName = (text: string): boolean => IS_NAME.test(text) && isSafe(text);
	const isSentUrl = isSameUrl(targetUrl, sent.targetUrl);

	const item: IDataObject = { _id: webhook._id };
	const isShownUrl = isSentUrl || (isHttpUrl(targetUrl) && isSafe(targetUrl));
	item.targetUrl = isShownUrl ? targetUrl : sent.targetUrl;
	if (type === sent.event || isSafeName(type ?? '')) item.type = type;
	if (campaignId === sent.campaignId || isSafeName(campaignId ?? '')) item.campaignId = campaignId;
	if (IS_DATE.test(createdAt)) item.createdAt = createdAt;
	item.toolLinkId = toolLinkId;
	item.isFirst = isFirst;

	const differences: string[] = [];
	if (!isSentUrl) differences.push('target URL');
	if (eventOf(webhook) !== sent.event) differences.push('event');
	if (campaignId !== undefined && campaignId !== sent.campaignId) differences.push('campaign');
	if (isFirst !== undefined && isFirst !== (sent.isFirst ?? false)) differences.push("'isFirst'");
	const allNotes = [...notes];
	if (differences.length > 0) {
		allNotes.push(
			`The service returned a webhook with another ${differences.join(' and another ')} than the node has sent: check it with the operation 'Get'.`,
		);
	}
	const noted = { ...result };
	if (allNotes.length > 0) noted.note = allNotes.join(' ');
	const known = Object.entries(item).filter(([, value]) => value !== undefined);
	return webhookItem(noted, Object.fromEntries(known));
}

/** Points to the notes: in the editor's table, other fields push them out of sight. */
export function hintAtNote({ hints }: Item, { note }: IDataObject): void {
	if (note === undefined) return;
	hints.set('note', 'Read the note in the output. It says what else you must know or do.');
}

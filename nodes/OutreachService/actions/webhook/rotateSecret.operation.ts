/** The operation *Rotate Secret* of webhooks. */
import { randomBytes } from 'crypto';
import type { IDataObject, NodeOperationError } from 'n8n-workflow';

import { isConflict, settleRequest } from '../../api/errors';
import { ALL_EVENTS } from '../../domain/eventTypes';
import { triggerUrlIn } from '../../domain/triggerUrl';
import { notice } from '../../parameters/notice';
import { eventOf, settingsOf, type Webhook, type WebhookSettings } from '../../domain/webhook';
import { secretParameter } from '../../parameters/values';
import { firstOf } from '../changes';
import { itemError, type Item, type Operation } from '../operation';
import { createWebhook } from './createWebhook';
import { findWebhook, readWebhookId, webhookIdField } from './fields';
import { createdItem, differencesOf, hintAtNote } from './webhookItem';

/** Replaces a webhook with one that has the same settings and a new secret: a secret cannot be changed (§6.4.4). */
export const rotateSecret: Operation = {
	value: 'rotateSecret',
	name: 'Rotate Secret',
	action: 'Rotate webhook secret',
	description: 'Replace a webhook with one that has the same settings and a new secret',
	builderHint: {
		propertyHint:
			'The item has the new webhook with a new _id and, only this once, its secret: hand it to the receiver in the next node. Not needed for webhooks of an Outreach Service Trigger.',
	},
	properties: [
		notice(
			'rotateNotice',
			'Only the output shows the new secret, so copy it or pass it on. The webhook gets a new ID. Webhooks of a trigger are refused, because the trigger manages their secrets.',
		),
		webhookIdField,
		{
			displayName: 'New Secret',
			name: 'secret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description: 'If you leave this empty, the node generates a random secret of 64 characters',
		},
	],
	async run(item) {
		const id = readWebhookId(item);
		const secret = item.parameters.read('secret', secretParameter.optional());
		// Several items may name the same webhook. One rotation at a time: the second one finds no webhook, and creates none.
		return await item.runtime.mutex.run(`rotation/${id}`, async () => [
			await rotate(item, id, secret),
		]);
	},
};

/**
 * Rotates the secret of one webhook: creates the new webhook, then deletes the old one, so that no event falls into a gap.
 * Once the new one may exist, nothing cancels the rest: no webhook must remain with a secret that nobody has seen.
 * @param chosen the new secret; undefined for a random one
 * @returns the item of the new webhook, with its secret
 */
async function rotate(item: Item, id: string, chosen: string | undefined): Promise<IDataObject> {
	const listed = await item.client.listWebhooks();
	const old = findWebhook(listed, id);
	refuseWebhookOfTrigger(item, old);
	refuseUnknownSettings(item, old);
	const client = item.client.uncancellable();
	const secret = chosen ?? randomBytes(32).toString('hex');
	const event = eventOf(old) ?? ALL_EVENTS;
	const settings: WebhookSettings = { ...settingsOf(old), event, secret };

	const created = await settleRequest(createWebhook(client, settings, listed));
	if (!created.ok) {
		const { error } = created;
		// The text for a *Create* would advise to find the other webhook, which is the one to rotate.
		const refusal = isConflict(error) ? error.but({ description: ONLY_ONE }) : error;
		throw refusal.with(
			error.maybeDone
				? `The node did not delete the webhook ${id}. If there is a new one, delete that, because nobody has seen its secret.`
				: `Nothing was changed. The webhook ${id} has its old secret.`,
		);
	}
	const { value: webhook } = created;
	item.changes.done.push(webhook._id);
	// Some services update the webhook that has the target URL already: to delete it then would lose its events.
	if (listed.some(({ _id }) => _id === webhook._id)) {
		throw notReplaceableError(item, id, webhook, 'existed before');
	}
	const differences = differencesOf(webhook, settings);
	if (differences.length > 0) {
		const others = differences.join(' and another ');
		throw notReplaceableError(item, id, webhook, `has another ${others}`);
	}
	if (chosen === undefined) {
		// Only the output shows it, which is lost if another item fails.
		item.changes.consequences.push(
			`Nobody has seen the new secret of the webhook ${webhook._id}, so rotate it again.`,
		);
	}

	const notes: string[] = [];
	const deleted = await settleRequest(client.deleteWebhook(id, { wasListed: true }));
	if (!deleted.ok) {
		notes.push(
			`The node could not delete the old webhook ${id}: ${deleted.error.message}. If it is still listed, it delivers with its old secret: delete it.`,
		);
		item.changes.consequences.push(...notes);
	}
	const lost = uncopiedFields(old);
	if (lost.length > 0) {
		notes.push(
			`The new webhook does not have these fields of the old one, which the API does not document: ${firstOf(lost)}.`,
		);
	}
	const rotated = createdItem({ secret, replacedWebhookId: id }, webhook, settings, notes);
	hintAtNote(item, rotated);
	return rotated;
}

/** What to do at a service that has one webhook for a target URL at the most. */
const ONLY_ONE =
	'If the service allows only one webhook for a target URL, delete it, then create it again with the same settings and a new secret. Events in between are lost.';

/** The error for a service that returns what cannot replace the old webhook. @param problem what it is or has */
function notReplaceableError(
	item: Item,
	oldId: string,
	{ _id }: Webhook,
	problem: string,
): NodeOperationError {
	const consequence = `The webhook ${_id} may have the new secret, which nobody has seen if the node has generated it.`;
	// If another item fails first, n8n shows that error alone.
	item.changes.consequences.push(consequence);
	return itemError(
		item,
		`The service returned no webhook that can replace the webhook ${oldId}`,
		`It returned the webhook ${_id}, which ${problem}, so the node deleted nothing. ${consequence} Check both with the operation 'Get'. ${ONLY_ONE}`,
	);
}

/**
 * Refuses a webhook of a trigger, in whatever n8n: its target URL says that it is one, and the trigger would refuse deliveries
 * with any other secret than the one that it derives.
 * @throws NodeOperationError
 */
function refuseWebhookOfTrigger(item: Item, { _id, targetUrl }: Webhook): void {
	if (triggerUrlIn(targetUrl) === undefined) return;
	throw itemError(
		item,
		`The webhook ${_id} belongs to a trigger`,
		'An Outreach Service Trigger derives the secrets of its webhooks, and needs no rotation. They change with the API key.',
	);
}

/** The settings that the new webhook gets from the old one, beside the target URL. */
const COPIED = ['type', 'campaignId', 'isFirst', 'toolLinkId'] as const;
/** The fields that it does not get, because the service gives it its own. */
const OWN = ['_id', 'targetUrl', 'createdAt'];

/**
 * Refuses a webhook with a setting whose value is not what the API documents (§2.1). Elsewhere, such a setting counts as
 * absent. But a new webhook without it would be a different one, such as one for all events.
 * @throws NodeOperationError
 */
function refuseUnknownSettings(item: Item, webhook: Webhook): void {
	const settings = settingsOf(webhook);
	const unreadable = COPIED.find(
		(name) => (webhook[name] ?? '') !== '' && settings[name] === undefined,
	);
	if (unreadable === undefined) return;
	throw itemError(
		item,
		`The webhook ${webhook._id} has a setting that cannot be copied`,
		`Its field '${unreadable}' has a value that the API does not document, so the node cannot copy it. Create a webhook with the settings that you want, then delete this one.`,
	);
}

/** The names of the fields of a webhook that have a value, and that the API does not document (§2.1). */
const uncopiedFields = (webhook: Webhook): string[] =>
	Object.keys(webhook).filter(
		(name) => Boolean(webhook[name]) && ![...COPIED, ...OWN].includes(name),
	);

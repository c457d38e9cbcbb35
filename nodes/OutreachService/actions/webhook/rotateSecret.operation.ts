import { randomBytes } from 'crypto';

import type { Client } from '../../api/client';
import { cancelledError, isConflict, onlyRequestError, RequestError } from '../../api/errors';
import { pathInN8n, triggerUrlIn } from '../../model/n8nUrls';
import { notice } from '../../model/notice';
import { settingsOf, type Webhook } from '../../model/schemas';
import { itemError, readParameter, secretSchema, type Item, type Operation } from '../operation';
import { findWebhook, notFoundError, readWebhookId, webhookIdField } from './fields';
import { webhookItem } from './webhookItem';

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
			'The new secret is in the output, once: pass it on, or copy it. The webhook gets a new ID. Webhooks of an Outreach Service Trigger are refused: it manages their secrets.',
		),
		webhookIdField,
		{
			displayName: 'New Secret',
			name: 'secret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description: 'Leave empty to have a random one of 64 characters generated',
		},
	],
	async run(item) {
		const { ctx, runtime, changes } = item;
		const id = readWebhookId(item);
		const given = readParameter(item, 'secret', secretSchema.optional());
		const secret = given ?? randomBytes(32).toString('hex');
		// An execution may name a webhook twice: the second time it is gone, and gets no second successor.
		return await runtime.mutex.run(`rotation/${id}`, async () => {
			const listed = await item.client.listWebhooks();
			const old = findWebhook(listed, id);
			refuseOfTrigger(item, old);
			refuseUnknownSettings(item, old);
			const settings = { ...settingsOf(old), secret };
			const known = new Set(listed.map(({ _id }) => _id));
			// The successor first, so that no event falls into a gap. From here on nothing is cut off: no webhook must remain
			// with a secret that nobody has seen.
			const client = item.client.uncancellable();
			const successor = await client.createWebhook(settings, known).catch((error: unknown) => {
				throw stillThere(onlyRequestError(error), id);
			});
			if (ctx.getExecutionCancelSignal()?.aborted === true) {
				throw await undone(client, successor, stillThere(cancelledError(false), id));
			}
			const removed = await client.deleteWebhook(id).catch(onlyRequestError);
			const isLeft = removed instanceof RequestError;
			// Another execution may have replaced it, or it is no longer wanted.
			if (!isLeft && !removed.wasFound) throw await undone(client, successor, notFoundError(id));
			const note = `Delete the webhook ${id} if it is still listed: it could not be removed, and delivers with its old secret, too.`;
			changes.done.push(successor._id);
			changes.open.push(
				'The new secret was not output: unless you chose it yourself, rotate it again.',
				...(isLeft ? [note] : []),
			);
			const result = { secret, replacedWebhookId: id, ...(isLeft ? { note } : {}) };
			return [webhookItem(result, successor, settings)];
		});
	},
};

function stillThere(error: RequestError, id: string): RequestError {
	const byHand = isConflict(error) ? ' To change the secret, delete it, then create it again.' : '';
	return error.with(`The webhook ${id} is still there with its old secret.${byHand}`);
}

/**
 * Removes the successor, whose secret nobody has seen.
 * @returns the error, which names the successor if that is still there
 */
async function undone(
	client: Client,
	{ _id }: Webhook,
	error: RequestError,
): Promise<RequestError> {
	const removed = await client.deleteWebhook(_id).catch(onlyRequestError);
	if (!(removed instanceof RequestError)) return error;
	return error.with(
		`Delete the webhook ${_id} if it is still listed: it has the new secret, and could not be removed again.`,
	);
}

/**
 * Refuses a webhook of a trigger of this n8n, which would refuse the deliveries: one that an active trigger of this process
 * uses, or whose URL has the form, because a worker in queue mode knows no triggers. No process can tell a webhook that a
 * trigger of another n8n uses.
 * @throws NodeOperationError
 */
function refuseOfTrigger(item: Item, webhook: Webhook): void {
	const isOurs = pathInN8n(webhook.targetUrl, item.ctx.getRestApiUrl()) !== undefined;
	const hasForm = isOurs && triggerUrlIn(webhook.targetUrl) !== undefined;
	if (!hasForm && !item.runtime.activeNodes.isUsed(webhook)) return;
	throw itemError(
		item,
		`The webhook ${webhook._id} belongs to a trigger of this n8n`,
		'An Outreach Service Trigger derives the secrets of its webhooks, and needs no rotation. They change with the API key.',
	);
}

const COPIED = ['type', 'campaignId', 'isFirst', 'toolLinkId'] as const;

/**
 * Refuses a webhook with a setting that is not what the API documents (§2.1): it counts as absent elsewhere, but a copy
 * without it would be another webhook, such as one for all events.
 * @throws NodeOperationError
 */
function refuseUnknownSettings(item: Item, webhook: Webhook): void {
	const settings = settingsOf(webhook);
	const lost = COPIED.find((name) => (webhook[name] ?? '') !== '' && settings[name] === undefined);
	if (lost === undefined) return;
	throw itemError(
		item,
		`The webhook ${webhook._id} has a setting that cannot be copied`,
		`Its field '${lost}' does not hold what the API documents, so its successor would not be the same. Create a webhook with the settings that you want, then delete this one.`,
	);
}

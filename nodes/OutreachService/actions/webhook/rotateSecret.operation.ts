import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeApiError, sleep } from 'n8n-workflow';
import { randomBytes } from 'crypto';

import type { Hook, HookSettings } from '../../model/schemas';
import { settle } from '../../transport/settle';
import { createWebhook, deleteWebhook, tryCreateWebhook } from '../../transport/webhooks';
import { asItem } from '../filters';
import type { Operation } from '../operation';
import { readParameter, readWebhookId, secretSchema } from '../parameters';
import { webhookIdField } from './fields';
import { findWebhook } from './find';

/** Before a create is tried again after a failure, in ms. */
const PAUSE_MS = 1000;

const settingsOf = ({ targetUrl, type, campaignId, isFirst, toolLinkId }: Hook): HookSettings => ({
	targetUrl,
	type: type ?? undefined,
	campaignId: campaignId ?? undefined,
	isFirst: isFirst ?? undefined,
	toolLinkId: toolLinkId ?? undefined,
});

function say(error: Error, words: string): Error {
	if (error instanceof NodeApiError) error.description = `${words} ${error.description ?? ''}`;
	return error;
}

/** Removes the old webhook once its successor is there; if that fails, the successor goes again. */
async function removeOld(
	ctx: IExecuteFunctions,
	old: Hook,
	successor: Hook,
	itemIndex: number,
): Promise<void> {
	const removed = await settle(deleteWebhook(ctx, old._id, { itemIndex }));
	if (removed.ok) return;
	const undone = await settle(deleteWebhook(ctx, successor._id, { itemIndex }));
	throw say(
		removed.error,
		undone.ok
			? `The webhook ${old._id} could not be removed, so it stays as it was, with its old secret.`
			: `Neither the webhook ${old._id} nor its successor ${successor._id} could be removed: both call the address now. Delete one of them.`,
	);
}

/**
 * For a service that allows an address only once: the old webhook goes first. Then something has to take its place,
 * with the new secret if at all possible.
 */
async function replaceInPlace(
	ctx: IExecuteFunctions,
	old: Hook,
	settings: HookSettings,
	itemIndex: number,
): Promise<Hook> {
	await deleteWebhook(ctx, old._id, { itemIndex });
	const first = await settle(createWebhook(ctx, settings, { itemIndex }));
	if (first.ok) return first.value;
	await sleep(PAUSE_MS);
	const again = await settle(createWebhook(ctx, settings, { itemIndex }));
	if (again.ok) return again.value;
	await sleep(PAUSE_MS);
	const restored = await settle(
		createWebhook(ctx, { ...settings, secret: undefined }, { itemIndex }),
	);
	throw say(
		first.error,
		restored.ok
			? `The webhook ${old._id} is replaced by ${restored.value._id} with the same settings but without a secret, because the service refused the new one. Rotate the secret of ${restored.value._id}.`
			: `The webhook ${old._id} had to be removed, and could not be created again. Create one for ${old.targetUrl} (event: ${old.type ?? 'all'}).`,
	);
}

/** Replaces a webhook by one with the same settings and a new secret: a secret cannot be changed (§6.4.4). */
export const rotateSecret: Operation = {
	value: 'rotateSecret',
	name: 'Rotate Secret',
	action: 'Rotate the secret of a webhook',
	description: 'Replace a webhook by one with the same settings and a new secret',
	properties: [
		{
			displayName:
				'The webhook gets a new ID, and its secret is shown this once: pass it on in the workflow, or copy it from the output. Webhooks of an Outreach Service Trigger need no rotation by hand.',
			name: 'rotateNotice',
			type: 'notice',
			default: '',
		},
		webhookIdField,
		{
			displayName: 'New Secret',
			name: 'secret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description: 'When empty, a random one of 64 characters is made',
		},
	],
	async run(ctx, itemIndex) {
		const labels = { secret: 'New Secret' };
		const id = readWebhookId(ctx, itemIndex);
		const given = readParameter(ctx, itemIndex, 'secret', secretSchema.optional(), labels);
		const secret = given || randomBytes(32).toString('hex');
		const old = await findWebhook(ctx, id, itemIndex);
		const settings = { ...settingsOf(old), secret };
		const created = await tryCreateWebhook(ctx, settings, { itemIndex });
		if (created instanceof NodeApiError) {
			const hook = await replaceInPlace(ctx, old, settings, itemIndex);
			return [{ ...asItem(hook), secret, replacedWebhookId: old._id }];
		}
		await removeOld(ctx, old, created, itemIndex);
		return [{ ...asItem(created), secret, replacedWebhookId: old._id }];
	},
};

import { NodeApiError } from 'n8n-workflow';
import { randomBytes } from 'crypto';

import { settingsOf, type Hook } from '../../model/schemas';
import { unstoppable } from '../../transport/context';
import { oneAtATime } from '../../transport/oneAtATime';
import { settle } from '../../transport/settle';
import { listWebhooks, tryCreateWebhook } from '../../transport/webhooks';
import type { Operation } from '../operation';
import { readParameter, readWebhookId } from '../parameters';
import { secretSchema } from '../values';
import { webhookIdField } from './fields';
import { findWebhook } from './find';
import { removeOld, replaceInPlace, withStanding, type Rotation } from './rotation';

/**
 * The successor first, so that no event falls into a gap; where an address may be used only once, the other order.
 * @returns the webhook that is in force now
 * @throws NodeApiError that says which webhook is in force, and with which secret
 */
async function rotate(rotation: Rotation): Promise<Hook> {
	const { ctx, old, settings, known, itemIndex } = rotation;
	const created = await settle(tryCreateWebhook(ctx, settings, { itemIndex, known }));
	if (!created.ok) {
		const standing = `The webhook ${old._id} is still there with its old secret.`;
		throw withStanding(created.error, standing);
	}
	if (created.value instanceof NodeApiError) return await replaceInPlace(rotation);
	await removeOld(rotation, created.value);
	return created.value;
}

/** Replaces a webhook by one with the same settings and a new secret: a secret cannot be changed (§6.4.4). */
export const rotateSecret: Operation = {
	value: 'rotateSecret',
	name: 'Rotate Secret',
	action: 'Rotate webhook secret',
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
		const given = readParameter(ctx, itemIndex, 'secret', secretSchema.nullish(), labels);
		const secret = given || randomBytes(32).toString('hex');
		// An execution may name a webhook twice: the second time it is gone, and gets no second successor.
		const [old, hook] = await oneAtATime(`rotation/${id}`, async () => {
			const hooks = await listWebhooks(ctx, { itemIndex });
			const found = findWebhook(ctx, hooks, id, itemIndex);
			const successor = await rotate({
				// Stopping the execution half-way could leave no webhook at all.
				ctx: unstoppable(ctx),
				old: found,
				settings: { ...settingsOf(found), secret },
				known: new Set(hooks.map(({ _id }) => _id)),
				itemIndex,
			});
			return [found, successor];
		});
		return [{ ...hook, secret, replacedWebhookId: old._id }];
	},
};

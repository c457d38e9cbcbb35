import { randomBytes } from 'crypto';

import { digestOf } from '../../model/digest';
import { settingsOf } from '../../model/schemas';
import { exclusivelyForUser } from '../../runtime/activeNodes';
import { expectSuccessor, NOBODYS_SUCCESSOR } from '../../runtime/successor';
import { oneAtATime } from '../../utils/oneAtATime';
import { listWebhooks } from '../../api/webhooks';
import type { Operation } from '../operation';
import { readParameter, readWebhookId } from '../parameters';
import { secretSchema, truth } from '../values';
import { checkCopiable } from './copiable';
import { webhookIdField } from './fields';
import { findWebhook } from './find';
import { rotate } from './rotation';
import { NOT_TOLD, usedBy, usedByTriggerError } from './usedByTrigger';

const LABELS = { secret: 'New Secret', allowActiveTrigger: 'Allow Active Trigger' };

/** Replaces a webhook by one with the same settings and a new secret: a secret cannot be changed (§6.4.4). */
export const rotateSecret: Operation = {
	value: 'rotateSecret',
	name: 'Rotate Secret',
	action: 'Rotate webhook secret',
	description: 'Replace a webhook by one with the same settings and a new secret',
	properties: [
		{
			displayName:
				'The webhook gets a new ID, and its secret is shown this once: pass it on in the workflow, or copy it from the output. Webhooks of an Outreach Service Trigger need no rotation by hand, and are refused while the trigger is active.',
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
		{
			displayName: 'Allow Active Trigger',
			name: 'allowActiveTrigger',
			type: 'boolean',
			default: false,
			description:
				'Whether to rotate also the secret of a webhook that an active Outreach Service Trigger of this n8n uses. The trigger accepts the new secret at once, or, when it runs in another process, after its next check.',
		},
	],
	changes: true,
	lostOutput:
		'Their new secrets were not output: unless you chose them yourself, rotate the secrets of these webhooks again.',
	async run(ctx, itemIndex) {
		const id = readWebhookId(ctx, itemIndex);
		const given = readParameter(ctx, itemIndex, 'secret', secretSchema.nullish(), LABELS);
		const allowed = readParameter(ctx, itemIndex, 'allowActiveTrigger', truth, LABELS) ?? false;
		const secret = given || randomBytes(32).toString('hex');
		// An execution may name a webhook twice: the second time it is gone, and gets no second successor.
		return await oneAtATime(`rotation/${id}`, async () => {
			const listed = await listWebhooks(ctx, { itemIndex });
			const hook = findWebhook(ctx, listed, id, itemIndex);
			return await exclusivelyForUser(hook, async (trigger) => {
				const user = usedBy(ctx, hook);
				if (user !== undefined && !allowed) throw usedByTriggerError(ctx, hook, itemIndex);
				// A check of the trigger that went before may have replaced the webhook.
				const hooks = trigger ? await listWebhooks(ctx, { itemIndex }) : listed;
				const old = findWebhook(ctx, hooks, id, itemIndex);
				checkCopiable(ctx, old, itemIndex);
				const successor = await rotate({
					ctx,
					old,
					settings: { ...settingsOf(old), secret },
					known: new Set(hooks.map(({ _id }) => _id)),
					itemIndex,
					told: trigger ? expectSuccessor(trigger, old, digestOf(secret)) : NOBODYS_SUCCESSOR,
				});
				const note = user === 'another process' ? { note: NOT_TOLD } : {};
				return [{ ...successor, secret, replacedWebhookId: old._id, ...note }];
			});
		});
	},
};

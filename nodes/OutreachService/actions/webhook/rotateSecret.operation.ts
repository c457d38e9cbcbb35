import { randomBytes } from 'crypto';

import { settingsOf } from '../../model/schemas';
import { NO_LISTENER } from '../../runtime/successor';
import { resultFirst } from '../resultFirst';
import type { Operation } from '../operation';
import { readParameter, readWebhookId } from '../parameters';
import { secretSchema } from '../values';
import { checkCopiable } from './copiable';
import { webhookIdField } from './fields';
import { findWebhook } from './find';
import { rotate } from './rotation';
import { usedBy, usedByTriggerError } from './usedByTrigger';

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
		{
			displayName:
				'The webhook gets a new ID, and its secret is shown only once: pass it on in the workflow, or copy it from the output. An Outreach Service Trigger manages the secrets of its own webhooks: while it is active, they are rejected here.',
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
			placeholder: 'Leave empty to generate one',
			description: 'When empty, a random one of 64 characters is generated',
		},
	],
	changes: true,
	lostOutput:
		'Their new secrets were not output: unless you chose them yourself, rotate the secrets of these webhooks again.',
	async run(item) {
		const { client, runtime } = item;
		const id = readWebhookId(item);
		const given = readParameter(item, 'secret', secretSchema.optional());
		const secret = given || randomBytes(32).toString('hex');
		// An execution may name a webhook twice: the second time it is gone, and gets no second successor.
		return await runtime.mutex.run(`rotation/${id}`, async () => {
			const listed = await client.listWebhooks();
			const old = findWebhook(listed, id);
			if (usedBy(item, old) !== undefined) throw usedByTriggerError(item, old);
			checkCopiable(item, old);
			const successor = await rotate({
				client,
				recentCreates: runtime.recentCreates,
				old,
				settings: { ...settingsOf(old), secret },
				known: new Set(listed.map(({ _id }) => _id)),
				listener: NO_LISTENER,
			});
			return [resultFirst({ secret, replacedWebhookId: old._id }, successor)];
		});
	},
};

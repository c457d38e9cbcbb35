import { randomBytes } from 'crypto';
import { NodeOperationError } from 'n8n-workflow';

import { RequestError } from '../../api/errors';
import { REQUEST_TIMEOUT_MS } from '../../api/limits';
import { EVENT_OPTIONS, eventName } from '../../model/eventOptions';
import { ALL_EVENTS, SAMPLE_EVENT } from '../../model/eventTypes';
import { sampleActivity } from '../../model/sampleActivity';
import { settingsOf, type Webhook } from '../../model/schemas';
import { isHttpUrl } from '../../model/targetUrl';
import type { Item, Operation } from '../operation';
import { readParameter, readWebhookId } from '../parameters';
import { eventOrOwnSchema, OWN_EVENT } from '../values';
import { deliverySecret } from './deliverySecret';
import { webhookIdField } from './fields';
import { findWebhook } from './find';
import { BLOCKED, whyUnreachable } from '../../api/targetStatus';

function eventFor(webhook: Webhook, chosen: string): string {
	const isOwn = chosen === OWN_EVENT || chosen === ALL_EVENTS;
	return isOwn ? (settingsOf(webhook).type ?? SAMPLE_EVENT) : chosen;
}

const notSent = ({ ctx, index }: Item, { _id }: Webhook, description: string): NodeOperationError =>
	new NodeOperationError(
		ctx.getNode(),
		`Nothing was sent to the target URL of the webhook ${_id}`,
		{ itemIndex: index, description },
	);

const unreachable = ({ _id }: Webhook, code: string): RequestError =>
	RequestError.unreachable(code, {
		message: `The target URL of the webhook ${_id} could not be reached`,
		description: `${whyUnreachable(code, REQUEST_TIMEOUT_MS)} Check that what receives the events is running, and that n8n can reach it. The target URL of a webhook cannot be changed: when it is wrong, delete the webhook and create another.`,
	});

/** A receiver that does not accept the secret. */
const isRefusal = (status: number): boolean => status === 401 || status === 403;

/**
 * Posts a sample activity to the target URL of a webhook, as the service does (§6.3, D47). Whatever the target URL
 * responds is the result: to find it out is what the operation is for.
 */
export const sendTest: Operation = {
	value: 'sendTest',
	name: 'Send Test Event',
	action: 'Send test event to webhook',
	description: 'Post a sample event to the target URL of a webhook, and see how it responds',
	properties: [
		{
			displayName:
				'Whatever listens at the target URL handles the sample like an event of the service: an active workflow runs. Its IDs, names and addresses say that it is a sample. Anybody with the API key can register a target URL, also one of a host that only n8n can reach.',
			name: 'sendTestNotice',
			type: 'notice',
			default: '',
		},
		webhookIdField,
		{
			displayName: 'Event',
			name: 'event',
			type: 'options',
			default: 'own',
			options: [
				{
					name: 'Event of the Webhook',
					value: 'own',
					description: `For a webhook for all events: "${eventName(SAMPLE_EVENT)}"`,
				},
				...EVENT_OPTIONS.map(({ name, value, description = '' }) => ({ name, value, description })),
			],
			description: 'The event to send a sample of',
		},
	],
	async run(item) {
		const id = readWebhookId(item);
		const chosen = readParameter(item, 'event', eventOrOwnSchema);
		const webhook = findWebhook(await item.client.listWebhooks(), id);
		const { targetUrl } = webhook;
		if (!isHttpUrl(targetUrl)) {
			throw notSent(item, webhook, 'It does not begin with http:// or https://.');
		}
		const activity = sampleActivity(eventFor(webhook, chosen), {
			_id: `act_sample_${randomBytes(12).toString('hex')}`,
			createdAt: new Date().toISOString(),
			campaignId: settingsOf(webhook).campaignId,
		});
		const known = await deliverySecret(item, webhook);
		const secret = 'secret' in known ? { secret: known.secret } : {};
		const from = performance.now();
		const response = await item.targets.post(targetUrl, { ...activity, ...secret });
		const milliseconds = Math.round(performance.now() - from);
		if (response.kind === 'blocked') throw notSent(item, webhook, BLOCKED);
		if (response.kind === 'unreachable') throw unreachable(webhook, response.code);
		const { status } = response;
		const ifRefused = 'secret' in known ? known.ifRefused : known.note;
		const note = 'note' in known || isRefusal(status) ? ifRefused : undefined;
		return [{ status, milliseconds, activity, ...(note ? { note } : {}) }];
	},
};

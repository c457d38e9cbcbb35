/** The operation *Send Test Event* of webhooks. */
import { randomBytes } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import { RequestError } from '../../api/errors';
import { unusable } from '../../targets/targets';
import { ALL_EVENTS, EVENT_OPTIONS, eventName, SAMPLE_EVENT } from '../../domain/eventTypes';
import { secretOf } from '../../domain/secret';
import { triggerUrlIn } from '../../domain/triggerUrl';
import { notice } from '../../parameters/notice';
import { SAMPLE_ID, sampleActivity } from '../../domain/sample';
import { eventOf, settingsOf, type Webhook } from '../../domain/webhook';
import type { Operation } from '../operation';
import { eventSchema, findWebhook, OWN_EVENT, readWebhookId, webhookIdField } from './fields';

/** The event type of the sample. @param chosen the value of the field *Event* */
function sampleTypeFor(webhook: Webhook, chosen: string): string {
	if (chosen !== OWN_EVENT && chosen !== ALL_EVENTS) return chosen;
	const event = eventOf(webhook) ?? ALL_EVENTS;
	// No activity has the type '*'.
	return event === ALL_EVENTS ? SAMPLE_EVENT : event;
}

/** What to do about a wrong target URL. */
const WRONG_URL =
	'The target URL of a webhook cannot be changed: when it is wrong, delete the webhook and create another.';

/** What to do when nothing responds there. */
const CHECK_RECEIVER = `Check that what receives the events is running, and that n8n can reach it. ${WRONG_URL}`;

/** The error for a target URL that cannot be used, or has sent no complete response. */
const targetError = (message: string, detail: string, advice: string): RequestError =>
	new RequestError('unreachable', { message, description: `${detail} ${advice}` });

const NO_TRIGGER =
	'Sent without a secret: the webhook is not that of a trigger, and the service does not show its secret. A receiver that verifies the secret refuses this event.';

const OTHER_KEY =
	'Sent without a secret: the target URL says that a trigger has created the webhook with another API key than that of this credential. The trigger refuses this event if it verifies the secret.';

/**
 * Posts a sample activity to the target URL of a webhook, as the service does (§6.3, D47). Any response is a result, even
 * one with an error status: the operation exists to show it.
 */
export const sendTest: Operation = {
	value: 'sendTest',
	name: 'Send Test Event',
	action: 'Send test event to webhook',
	description: 'Send a sample event to the target URL of a webhook, and see how it responds',
	properties: [
		notice(
			'sendTestNotice',
			'The receiver handles the sample like a real event, so an active workflow runs.',
		),
		webhookIdField,
		{
			displayName: 'Event',
			name: 'event',
			type: 'options',
			default: OWN_EVENT,
			options: [
				{
					name: 'Event of the Webhook',
					value: OWN_EVENT,
					description: `If the webhook is for all events, the sample is "${eventName(SAMPLE_EVENT)}"`,
				},
				...EVENT_OPTIONS.map(({ name, value, description = '' }) => ({ name, value, description })),
			],
			description: 'The event of which a sample is sent',
		},
	],
	async run(item) {
		const id = readWebhookId(item);
		const chosen = item.parameters.read('event', eventSchema.default(OWN_EVENT));
		const webhook = findWebhook(await item.client.listWebhooks(), id);
		const { targetUrl } = webhook;
		const problem = unusable(targetUrl);
		if (problem) {
			throw targetError(
				`The target URL of the webhook ${id} cannot be used`,
				problem.detail,
				WRONG_URL,
			);
		}
		const activity = sampleActivity(sampleTypeFor(webhook, chosen), {
			_id: `${SAMPLE_ID}${randomBytes(12).toString('hex')}`,
			createdAt: new Date().toISOString(),
			campaignId: settingsOf(webhook).campaignId,
		});
		// The service shows no secret (§6.4.3), but the secret of a trigger's webhook follows from the API key and its
		// target URL, which names the key.
		const key = await item.client.webhookKey();
		const query = triggerUrlIn(targetUrl)?.query;
		const secret = query?.keyId === key.id ? secretOf(key, targetUrl, query) : undefined;
		const startedAt = performance.now();
		const body = secret ? { ...activity, secret } : activity;
		const response = await item.targets.post(targetUrl, body);
		const milliseconds = Math.round(performance.now() - startedAt);
		if ('target' in response) {
			throw targetError(
				`The target URL of the webhook ${id} could not be reached`,
				response.detail,
				response.target === 'unreachable'
					? CHECK_RECEIVER
					: 'This says nothing about the target URL itself.',
			);
		}
		const { status } = response;
		const result: IDataObject = { status, milliseconds, activity };
		if (secret === undefined) result.note = query ? OTHER_KEY : NO_TRIGGER;
		return [result];
	},
};

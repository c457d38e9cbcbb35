import { randomBytes } from 'crypto';
import { NodeOperationError } from 'n8n-workflow';
import { z } from 'zod';

import { RequestError } from '../../api/errors';
import { ALL_EVENTS, EVENT_OPTIONS, eventName, SAMPLE_EVENT } from '../../model/eventTypes';
import { asTriggerUrl, isTriggerUrl } from '../../model/n8nUrls';
import { sampleActivity } from '../../model/sample';
import { settingsOf, type Webhook } from '../../model/schemas';
import { digestOf } from '../../model/secret';
import { isHttpUrl, isSameUrl } from '../../model/targetUrl';
import type { Item, Operation } from '../operation';
import { readParameter } from '../parameters';
import { eventSchema, OWN_EVENT } from './event';
import { findWebhook, readWebhookId, webhookIdField } from './webhookId';

/** What is left empty, as AI models do, is the webhook's own. */
const eventOrOwnSchema = z.preprocess(
	(given) => given || undefined,
	eventSchema.default(OWN_EVENT),
);

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

const unreachable = ({ _id }: Webhook, why: string): RequestError =>
	new RequestError('network', {
		message: `The target URL of the webhook ${_id} could not be reached`,
		description: `${why} Check that what receives the events is running, and that n8n can reach it. The target URL of a webhook cannot be changed: when it is wrong, delete the webhook and create another.`,
	});

/** The secret of a webhook, or why it is not known. */
type DeliverySecret =
	| { note: string }
	| {
			secret: string;
			/** Said when the receiver refuses it: what may be wrong with the secret. */
			ifRefused?: string;
	  };

const OTHER_KEY =
	'Sent with the secret that follows from the API key of this credential, and refused: the trigger may have a credential with another API key, or the secret of the webhook was rotated.';

const note = (because: string): DeliverySecret => ({
	note: `Sent without a secret: ${because}. A receiver that verifies the secret refuses this event.`,
});

/**
 * The secret with which the service would deliver to a webhook (§6.4.5). The service never shows one, so only that of a
 * trigger's webhook is known: the trigger derives it from its API key and its target URL. A derived secret is good for
 * that target URL alone, and what listens there has it already.
 */
async function deliverySecret(item: Item, webhook: Webhook): Promise<DeliverySecret> {
	const { client, runtime } = item;
	const { targetUrl } = webhook;
	const trigger = runtime.activeNodes.using(webhook);
	if (!trigger) {
		return isTriggerUrl(targetUrl)
			? { secret: await client.secretFor(asTriggerUrl(targetUrl)), ifRefused: OTHER_KEY }
			: note('the service does not show the secret of a webhook, and no trigger derives this one');
	}
	// The service may write the URL in another form than the trigger, which derives from its own (D29).
	const { targetUrl: own } =
		[...trigger.webhooks, ...trigger.desired].find((one) => isSameUrl(one.targetUrl, targetUrl)) ??
		webhook;
	const secret = await client.secretFor(own);
	const digest = digestOf(secret);
	const isAccepted = trigger.webhooks.some((registered) => registered.digest === digest);
	return isAccepted
		? { secret }
		: note('it was rotated, or the trigger has a credential with another API key');
}

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
	description:
		'Post a sample event from n8n to the target URL of a webhook, and see how it responds',
	properties: [
		{
			displayName:
				'Whatever listens at the target URL handles the sample like an event of the service: an active workflow runs. Its IDs, names and addresses say that it is a sample. n8n sends it from its own network, internal addresses included, and anybody with the API key can register a target URL.',
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
		if (response.kind === 'blocked') throw notSent(item, webhook, response.why);
		if (response.kind === 'unreachable') throw unreachable(webhook, response.why);
		const { status } = response;
		const ifRefused = 'secret' in known ? known.ifRefused : known.note;
		const note = 'note' in known || isRefusal(status) ? ifRefused : undefined;
		return [{ status, milliseconds, activity, ...(note ? { note } : {}) }];
	},
};

import { NOT_HTTP } from '../../api/targets';
import { kindInN8n } from '../../model/n8nUrls';
import type { Webhook } from '../../model/schemas';
import { isHttpUrl } from '../../model/targetUrl';
import { mapConcurrently } from '../../utils/mapConcurrently';
import type { Item, Operation } from '../operation';
import { filtersField, selectWebhooks } from './filters';
import { webhookItem } from './webhookItem';

const KINDS = {
	production: 'A production webhook of this n8n.',
	test: 'A test webhook of this n8n.',
	other: 'A URL of this n8n.',
};

/**
 * Whose webhook it is, in a sentence; undefined for that of another host, or of an n8n that runs under another address.
 * A worker in queue mode runs no triggers, so it goes by the URL alone.
 */
function describeOwner(
	{ ctx, runtime: { activeNodes } }: Item,
	webhook: Webhook,
): string | undefined {
	const workflow = activeNodes.workflowUsing(webhook);
	if (workflow !== undefined) {
		return workflow === ctx.getWorkflow().id
			? 'A webhook of the active trigger of this workflow.'
			: 'A webhook of an active trigger of this n8n.';
	}
	const kind = kindInN8n(webhook.targetUrl, ctx.getRestApiUrl());
	return kind && KINDS[kind];
}

/** Finds out where deliveries still arrive. It starts nothing there (D46). */
export const checkMany: Operation = {
	value: 'check',
	name: 'Check Many',
	action: 'Check many webhooks',
	description: 'Check which target URLs still accept events, by asking them from n8n',
	properties: [
		{
			displayName:
				'n8n asks each target URL from its own network, internal addresses included, with a request that starts nothing there. Anybody with the API key can register a target URL.',
			name: 'checkNotice',
			type: 'notice',
			default: '',
		},
		{
			...filtersField,
			description: 'Which webhooks to check; without a filter, all of them',
		},
	],
	async run(item) {
		const webhooks = await selectWebhooks(item);
		return await mapConcurrently(webhooks, async (webhook) => {
			const { targetUrl } = webhook;
			const { target, detail } = isHttpUrl(targetUrl)
				? await item.targets.ask(targetUrl)
				: NOT_HTTP;
			const owner = describeOwner(item, webhook);
			const targetDetail = owner === undefined ? detail : `${owner} ${detail}`;
			return webhookItem({ target, targetDetail }, webhook);
		});
	},
};

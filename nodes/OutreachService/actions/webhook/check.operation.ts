/** The operation *Check Many* of webhooks. */
import { unusable } from '../../targets/targets';
import { pathInN8n } from '../../domain/triggerUrl';
import { notice } from '../../parameters/notice';
import type { Webhook } from '../../domain/webhook';
import { mapConcurrently } from '../../utils/concurrency';
import type { Operation } from '../operation';
import { filtersField, selectWebhooks } from './filters';
import { webhookItem } from './webhookItem';

/** Whose webhook it is, in a sentence; empty for a webhook whose target URL is not below the base of this n8n's URLs. */
function describeOwner(
	owner: string | undefined,
	{ targetUrl }: Webhook,
	restApiUrl: string,
): string {
	if (owner !== undefined) return `A webhook of the active trigger '${owner}' of this n8n. `;
	return pathInN8n(targetUrl, restApiUrl) === undefined ? '' : 'A webhook of this n8n. ';
}

/** Asks the target URLs of webhooks whether they still accept events. The requests start nothing there (D46). */
export const checkMany: Operation = {
	value: 'check',
	name: 'Check Many',
	action: 'Check many webhooks',
	description: 'Check whether the target URLs of webhooks still accept events',
	properties: [
		notice(
			'checkNotice',
			'n8n sends requests to each target URL. No workflow starts. People with this credential can have n8n call URLs in its own network, so share it with care.',
		),
		{
			...filtersField,
			description: 'Which webhooks to check; without a filter, all of them',
		},
	],
	async run(item) {
		const webhooks = await selectWebhooks(item);
		const targets = item.runtime.targets.of(item.ctx);
		const ownerOf = item.runtime.triggerNodes.owners();
		const restApiUrl = item.ctx.getRestApiUrl();
		return await mapConcurrently(webhooks, async (webhook) => {
			const { targetUrl } = webhook;
			const { target, detail } = unusable(targetUrl) ?? (await targets.ask(targetUrl));
			const owner = describeOwner(ownerOf(webhook), webhook, restApiUrl);
			const targetDetail = `${owner}${detail}`;
			return webhookItem({ target, targetDetail }, webhook);
		});
	},
};

/** The operation *Check Many* of webhooks. */
import { unusable } from '../../targets/targets';
import { notice } from '../../parameters/notice';
import { mapConcurrently } from '../../utils/concurrency';
import type { Operation } from '../operation';
import { filtersField, selectWebhooks } from './filters';
import { usersOf, webhookItem } from './webhookItem';

/** Asks the target URLs of webhooks whether they still accept events. The requests start nothing there (D46). */
export const checkMany: Operation = {
	value: 'check',
	name: 'Check Many',
	action: 'Check many webhooks',
	description: 'Check whether the target URLs of webhooks still accept events',
	properties: [
		notice('checkNotice', 'n8n sends requests to each target URL. No workflow starts.'),
		{
			...filtersField,
			description: 'Which webhooks to check; without a filter, all of them',
		},
	],
	async run(item) {
		const webhooks = await selectWebhooks(item);
		const userOf = usersOf(item);
		item.hints.add(COLUMNS);
		return await mapConcurrently(webhooks, async (webhook) => {
			const { targetUrl } = webhook;
			const { target, detail } = unusable(targetUrl) ?? (await item.targets.ask(targetUrl));
			return webhookItem({ target, targetDetail: detail, ...userOf(webhook) }, webhook);
		});
	},
};

const COLUMNS =
	"'target' says whether the target URL accepts events: live (yes), gone (no), unreachable (no response) or unknown (the response does not tell). Before you delete webhooks that are gone, check again.";

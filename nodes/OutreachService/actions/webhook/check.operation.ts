import type { Webhook } from '../../model/schemas';
import { isHttpUrl } from '../../model/targetUrl';
import { mapConcurrently } from '../../utils/mapConcurrently';
import { filterFields, select } from './filters';
import { resultFirst } from '../resultFirst';
import type { Item, Operation } from '../operation';
import { readParameter } from '../parameters';
import { filtersSchema } from '../values';
import { describeOwner } from './owner';
import { judge, NOT_HTTP, type Verdict } from '../../api/targetStatus';

/** The same URL without a slash at the end of its path: n8n takes deliveries at both, but lists the methods at one. */
function withoutSlash(url: string): string | undefined {
	const { pathname } = new URL(url);
	const shorter = pathname.replace(/\/+$/, '');
	return shorter === pathname || shorter === ''
		? undefined
		: Object.assign(new URL(url), { pathname: shorter }).href;
}

async function check({ targets }: Item, { targetUrl }: Webhook): Promise<Verdict> {
	if (!isHttpUrl(targetUrl)) return NOT_HTTP;
	const verdict = judge(await targets.ask(targetUrl));
	const other = withoutSlash(targetUrl);
	return verdict.target === 'gone' && other !== undefined
		? judge(await targets.ask(other))
		: verdict;
}

/** Finds out where deliveries still arrive. It starts nothing there (D46). */
export const checkMany: Operation = {
	value: 'check',
	name: 'Check Many',
	action: 'Check many webhooks',
	description: 'Check which target URLs still accept events',
	properties: [
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add filter',
			default: {},
			options: filterFields,
			description: 'Which webhooks to check; without a filter, all of them',
		},
	],
	async run(item) {
		const filters = readParameter(item, 'filters', filtersSchema.optional()) ?? {};
		const listed = await item.client.listWebhooks();
		const webhooks = select(item, listed, filters);
		return await mapConcurrently(webhooks, async (webhook) => {
			const { target, detail } = await check(item, webhook);
			const owner = describeOwner(item, webhook);
			const targetDetail = owner === undefined ? detail : `${owner} ${detail}`;
			return resultFirst({ target, targetDetail }, webhook);
		});
	},
};

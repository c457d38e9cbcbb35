import { kindInN8n } from '../../model/n8nUrls';
import type { Webhook } from '../../model/schemas';
import type { Item } from '../operation';

const KINDS = {
	production: 'A production webhook of this n8n.',
	test: 'A test webhook of this n8n.',
	other: 'A URL of this n8n.',
};

/**
 * Whose webhook it is, in a sentence; undefined for that of another host, or of an n8n that runs under another address.
 * A worker in queue mode runs no triggers, so it goes by the URL alone.
 */
export function describeOwner(
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

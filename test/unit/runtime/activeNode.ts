import type { RegisteredWebhook } from '../../../nodes/OutreachService/model/registration';
import type { ActiveNode } from '../../../nodes/OutreachService/runtime/activeNodes';

/** A webhook that a trigger has registered. */
export const registered = (
	id: string,
	{ event = 'emailsReplied', ...more }: Partial<RegisteredWebhook> = {},
): RegisteredWebhook => ({
	id,
	event,
	targetUrl: `http://n8n.test/webhook/1/webhook?event=${event}&id=${id}`,
	digest: `digest of ${id}`,
	...more,
});

/** An active trigger with these webhooks. */
export const activeNode = (webhooks: RegisteredWebhook[] = []): ActiveNode => ({
	base: 'http://n8n.test/webhook/1/webhook',
	desired: webhooks.map(({ event, targetUrl, campaignId, isFirst }) => ({
		event,
		targetUrl,
		campaignId,
		isFirst,
	})),
	webhooks,
	leftovers: [],
	unsaved: new Set(),
	incomplete: false,
	health: { failures: 0, isReported: false, restored: [] },
});

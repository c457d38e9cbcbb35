/** The webhooks at a base that do not stay: what they deliver until then, and their removal. */
import type { Client } from '../../api/client';
import { ALL_EVENTS, isLeadState } from '../../domain/eventTypes';
import { triggerUrlIn } from '../../domain/triggerUrl';
import { hasSettings, type Webhook } from '../../domain/webhook';
import { mapConcurrently } from '../../utils/concurrency';
import { settle } from '../../utils/settle';
import type { DesiredWebhook } from './desired';

export class Leftovers {
	/** Those that deliver, by event and campaign: each is read once, however often it is asked for. */
	private readonly delivering = new Map<
		string,
		Array<{ webhook: Webhook; isFirst?: boolean | undefined }>
	>();

	/** Those that still exist. */
	private readonly left: Set<Webhook>;

	/** Why a webhook could not be removed, by its ID. */
	readonly errors = new Map<string, Error>();

	/** @param isAccepted whether n8n accepts the deliveries with an API key's fingerprint */
	constructor(
		private readonly client: Client,
		webhooks: readonly Webhook[],
		isAccepted: (keyId: string) => boolean = () => false,
	) {
		this.left = new Set(webhooks);
		for (const webhook of webhooks) {
			const { targetUrl } = webhook;
			const { query } = triggerUrlIn(targetUrl) ?? {};
			// Somebody may have changed it, so that it does not deliver what its URL says.
			if (!query || !isAccepted(query.keyId)) continue;
			if (!hasSettings(webhook, { ...query, targetUrl })) continue;
			const key = `${query.event} ${query.campaignId ?? ''}`;
			const others = this.delivering.get(key) ?? [];
			others.push({ webhook, isFirst: query.isFirst });
			this.delivering.set(key, others);
		}
	}

	/**
	 * The webhooks that deliver an event as desired.
	 * @param event the selected event: with one webhook for everything, each selected event by itself
	 */
	for(event: string, { campaignId, isFirst }: DesiredWebhook): Webhook[] {
		const campaigns = campaignId === undefined ? [''] : ['', campaignId];
		// A webhook for all events does not tell which activities belong to a lead state (D8).
		const subscribed = isLeadState(event) ? [event] : [event, ALL_EVENTS];
		return subscribed
			.flatMap((one) => campaigns.map((id) => `${one} ${id}`))
			.flatMap((key) => this.delivering.get(key) ?? [])
			.filter((one) => this.left.has(one.webhook) && (!one.isFirst || isFirst === true))
			.map(({ webhook }) => webhook);
	}

	/** The webhooks that still exist, except some. */
	except(needed: ReadonlySet<Webhook>): Webhook[] {
		return [...this.left].filter((webhook) => !needed.has(webhook));
	}

	/** Removes webhooks. @returns whether any is gone now. Never throws. */
	async remove(webhooks: readonly Webhook[]): Promise<boolean> {
		const before = this.left.size;
		await mapConcurrently(webhooks, async (webhook) => {
			const removal = await settle(this.client.deleteWebhook(webhook._id, { wasListed: true }));
			if (removal.ok) this.left.delete(webhook);
			if (removal.ok) this.errors.delete(webhook._id);
			else this.errors.set(webhook._id, removal.error);
		});
		return this.left.size < before;
	}
}

/** The webhooks at a base that do not stay: what they deliver until then, and their removal. */
import type { Client } from '../../api/client';
import { ALL_EVENTS, isLeadState } from '../../domain/eventTypes';
import { triggerUrlIn, type TargetQuery } from '../../domain/triggerUrl';
import { hasSettings, type Webhook } from '../../domain/webhook';
import { mapConcurrently } from '../../utils/concurrency';
import { settle } from '../../utils/settle';
import type { DesiredWebhook } from './desired';

export class Leftovers {
	/** Those that deliver what their target URLs say. */
	private readonly delivering: ReadonlyArray<{ webhook: Webhook; query: TargetQuery }>;

	/** Those that still exist. */
	private readonly left: Set<Webhook>;

	/** Why a webhook could not be removed, by its ID. */
	readonly errors = new Map<string, Error>();

	constructor(
		private readonly client: Client,
		webhooks: readonly Webhook[],
	) {
		this.left = new Set(webhooks);
		this.delivering = webhooks.flatMap((webhook) => {
			const { targetUrl } = webhook;
			const { query } = triggerUrlIn(targetUrl) ?? {};
			// Somebody may have changed it, so that it does not deliver what its URL says.
			return query && hasSettings(webhook, { ...query, targetUrl }) ? [{ webhook, query }] : [];
		});
	}

	/**
	 * The webhooks that deliver an event completely.
	 * @param event the selected event: with one webhook for everything, each selected event by itself
	 */
	for(event: string, { campaignId, isFirst }: DesiredWebhook): Webhook[] {
		return this.delivering
			.filter(
				({ webhook, query }) =>
					this.left.has(webhook) &&
					// A webhook for all events does not tell which activities belong to a lead state (D8).
					(query.event === event || (query.event === ALL_EVENTS && !isLeadState(event))) &&
					(query.campaignId === undefined || query.campaignId === campaignId) &&
					(!query.isFirst || isFirst === true),
			)
			.map(({ webhook }) => webhook);
	}

	/** The webhooks that still exist and have no event in common with desired ones, in whatever campaign. */
	withoutEventOf(desired: readonly DesiredWebhook[]): Webhook[] {
		const events = new Set(desired.map(({ event }) => event));
		const isAnyForAll = [...events].some((event) => !isLeadState(event));
		const needed = new Set(
			this.delivering
				.filter(
					({ query: { event } }) =>
						events.has(event) ||
						(event === ALL_EVENTS && isAnyForAll) ||
						(events.has(ALL_EVENTS) && !isLeadState(event)),
				)
				.map(({ webhook }) => webhook),
		);
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

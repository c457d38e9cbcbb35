/** The removals of a change (§4.3), and the outcome of each. */
import type { Client } from '../../api/client';
import type { Webhook } from '../../domain/webhook';
import { mapConcurrently } from '../../utils/concurrency';
import { settle } from '../../utils/settle';

export class Removals {
	/** The IDs of the webhooks that no longer exist. */
	readonly done = new Set<string>();

	/** Why a webhook could not be removed, by ID. */
	readonly errors = new Map<string, Error>();

	constructor(private readonly client: Client) {}

	/** Removes listed webhooks, without those that it has removed already. @returns whether any is gone now. Never throws. */
	async removeAll(webhooks: readonly Webhook[]): Promise<boolean> {
		const remaining = webhooks.filter(({ _id }) => !this.done.has(_id));
		const results = await mapConcurrently(
			remaining,
			async ({ _id }) => await this.remove(_id, { wasListed: true }),
		);
		return results.some((wasFound) => wasFound !== undefined);
	}

	/** @returns whether the service still had it; undefined if it could not be removed. Never throws. */
	async remove(id: string, options: { wasListed: boolean }): Promise<boolean | undefined> {
		const outcome = await settle(this.client.deleteWebhook(id, options));
		if (!outcome.ok) {
			this.errors.set(id, outcome.error);
			return undefined;
		}
		this.done.add(id);
		this.errors.delete(id);
		return outcome.value.wasFound;
	}
}

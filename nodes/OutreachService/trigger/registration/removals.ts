/** The removals of a change, and the outcome of each. */
import type { Client } from '../../api/client';
import { isCancelled, progressOf } from '../../api/errors';
import type { Webhook } from '../../domain/webhook';
import type { LeftBehind } from '../../runtime/leftBehind';
import { mapConcurrently } from '../../utils/concurrency';
import { settle } from '../../utils/settle';

/** Whether a removal was cancelled before its request was sent: then nothing has happened to the webhook. */
const wasNeverSent = (error: Error): boolean =>
	isCancelled(error) && progressOf(error) === 'notDone';

/** The removals of a change (§4.3). A webhook that cannot be removed is left behind, for the next change of any node. */
export class Removals {
	/** The IDs of the webhooks that no longer exist. */
	readonly done = new Set<string>();

	/** Those that the service no longer had when they were to be removed. */
	private readonly notFound = new Set<string>();

	/** Why a webhook could not be removed, by ID. */
	readonly errors = new Map<string, Error>();

	constructor(
		private readonly client: Client,
		private readonly leftBehind: LeftBehind,
	) {}

	/** Whether a webhook was removed, and the service still had it. */
	foundAndRemoved(id: string): boolean {
		return this.done.has(id) && !this.notFound.has(id);
	}

	/** Whether the service no longer had a webhook that was to be removed. */
	foundGone(id: string): boolean {
		return this.notFound.has(id);
	}

	/** Removes webhooks, without those that it has removed already. Never throws. */
	async removeAll(webhooks: readonly Webhook[]): Promise<void> {
		const remaining = webhooks.filter(({ _id }) => !this.done.has(_id));
		await mapConcurrently(remaining, async ({ _id: id, targetUrl }) => {
			const result = await settle(this.client.deleteWebhook(id));
			if (result.ok) {
				this.done.add(id);
				if (!result.value.wasFound) this.notFound.add(id);
				// An earlier attempt of the same change may have failed.
				this.errors.delete(id);
				this.leftBehind.delete(id);
				return;
			}
			this.errors.set(id, result.error);
			if (!wasNeverSent(result.error)) this.leftBehind.add([{ id, targetUrl }]);
		});
	}
}

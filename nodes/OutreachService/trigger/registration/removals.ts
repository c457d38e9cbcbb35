/** The removals of a change, and the outcome of each. */
import type { Client } from '../../api/client';
import { isCancelled, mayBeDone } from '../../api/errors';
import type { RegisteredWebhook } from '../../domain/registration';
import type { WebhookBase } from '../../domain/triggerUrl';
import type { Webhook } from '../../domain/webhook';
import type { Runtime } from '../../runtime/runtime';
import { registrationKey, webhooksOfEarlierCredentials } from '../../runtime/triggerNodes';
import { mapConcurrently } from '../../utils/concurrency';
import { settle } from '../../utils/settle';
import type { Context } from './context';
import type { Situation } from './situation';

/** Whether a removal was cancelled before its request was sent: then nothing has happened to the webhook. */
const wasCancelledUnsent = (error: Error): boolean => isCancelled(error) && !mayBeDone(error);

/** What a change has found before it removes webhooks. */
type Found = Pick<Situation, 'listed' | 'registered'> & { base: WebhookBase };

/**
 * The removals of a change (§4.3). With each of them, the last deliveries of the webhook are noted, and the webhook is forgotten if
 * it is of an earlier credential. A webhook that cannot be removed is left behind, for the next change of any node, unless the
 * removal was cancelled before its request was sent.
 */
export class Removals {
	/** The IDs of the webhooks that no longer exist. */
	readonly done = new Set<string>();

	/** Those that the service no longer had when they were to be removed. */
	private readonly notFound = new Set<string>();

	/** Why a webhook could not be removed, by ID. */
	readonly errors = new Map<string, Error>();

	constructor(
		private readonly ctx: Context,
		private readonly runtime: Runtime,
		private readonly client: Client,
		/** Undefined if it has not listed the webhooks. */
		private readonly found?: Found,
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
		const { leftBehind } = this.runtime;
		const listedIds = new Set(this.found?.listed.map(({ _id }) => _id));
		const remaining = webhooks.filter(({ _id }) => !this.done.has(_id));
		await mapConcurrently(remaining, async ({ _id: id, targetUrl }) => {
			const wasListed = listedIds.has(id);
			const result = await settle(this.client.deleteWebhook(id, { wasListed }));
			if (result.ok) {
				this.done.add(id);
				if (result.value.wasFound) this.noteLastDeliveries(id);
				else this.notFound.add(id);
				this.forgetOfEarlierCredentials(id);
				// An earlier attempt of the same change may have failed.
				this.errors.delete(id);
				leftBehind.delete(id);
				return;
			}
			this.errors.set(id, result.error);
			if (!wasCancelledUnsent(result.error)) leftBehind.add([{ id, targetUrl }]);
		});
	}

	/** Notes that the last deliveries of a registered webhook, or of one of an earlier credential, may still be on their way. */
	private noteLastDeliveries(removedId: string): void {
		const { triggerNodes, removedWebhooks } = this.runtime;
		const { found } = this;
		const note = (base: WebhookBase, webhooks: readonly RegisteredWebhook[]): void => {
			const removed = webhooks.filter(({ id }) => id === removedId);
			removedWebhooks.add(registrationKey(this.ctx, base), removed);
		};
		if (found) note(found.base, found.registered);
		const node = triggerNodes.known(this.ctx);
		if (node) note(node.base, webhooksOfEarlierCredentials(node.earlierCredentials));
	}

	/** Forgets a webhook of an earlier credential, which a list of the current one may show, so that it is never found lost. */
	private forgetOfEarlierCredentials(removedId: string): void {
		const { triggerNodes } = this.runtime;
		const { earlierCredentials = [] } = triggerNodes.known(this.ctx) ?? {};
		if (earlierCredentials.length === 0) return;
		const remaining = earlierCredentials.map(({ client, webhooks }) => ({
			client,
			webhooks: webhooks.filter(({ id }) => id !== removedId),
		}));
		triggerNodes.update(this.ctx, { earlierCredentials: remaining });
	}
}

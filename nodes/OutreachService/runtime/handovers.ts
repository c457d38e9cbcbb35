import type { Webhook } from '../model/schemas';

/** How long a list is recent enough for the `create` that n8n calls right after `checkExists`, in milliseconds. */
const HANDOVER_MS = 10_000;

/** What of an activation failed: the list of the webhooks, before which nothing was changed, or something else. */
export type Failed = 'list' | 'other';

/**
 * Hands the list of webhooks from `checkExists` to the `create` after it, so that one request serves both. n8n gives
 * both the same static data object; nothing else tells an activation from a test run that begins at the same time.
 */
export class Handovers {
	private readonly lists = new WeakMap<object, { webhooks: Webhook[]; at: number }>();

	private readonly failures = new Map<string, { failed: Failed; at: number }>();

	/** The number of failed activations. The lists end with the static data that they belong to. */
	get size(): number {
		return this.failures.size;
	}

	/**
	 * Notes that an activation failed, unless that is noted already. n8n calls `delete` next, some versions with other
	 * static data.
	 * @param key of the node, and of its target URLs
	 */
	leaveFailure(key: string, failed: Failed): void {
		const now = performance.now();
		for (const [other, { at }] of this.failures) {
			if (now - at >= HANDOVER_MS) this.failures.delete(other);
		}
		if (!this.failures.has(key)) this.failures.set(key, { failed, at: now });
	}

	/** What has just failed, if anything has. */
	takeFailure(key: string): Failed | undefined {
		const failure = this.failures.get(key);
		this.failures.delete(key);
		return failure && performance.now() - failure.at < HANDOVER_MS ? failure.failed : undefined;
	}

	leave(staticData: object, webhooks: Webhook[]): void {
		this.lists.set(staticData, { webhooks, at: performance.now() });
	}

	/** @returns undefined when there is no list, or an old one */
	take(staticData: object): Webhook[] | undefined {
		const list = this.lists.get(staticData);
		this.lists.delete(staticData);
		return list && performance.now() - list.at < HANDOVER_MS ? list.webhooks : undefined;
	}
}

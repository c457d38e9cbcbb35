/** Longer than any create takes, in milliseconds: after that, a webhook is too old to be the result of a lost create. */
const REMEMBERED_MS = 10 * 60_000;
/** As many creates as the rate limit allows one key in that time (§8.1); with several keys, some are forgotten early. */
const MAX_REMEMBERED = 6_000;

/** The webhooks that creates of this process returned lately: no other create can have made them (D72). */
export class RecentCreates {
	/** From the ID to when it is forgotten, on the clock of `performance.now()`; the oldest first. */
	private readonly until = new Map<string, number>();

	get size(): number {
		return this.until.size;
	}

	add(webhookId: string): void {
		const now = performance.now();
		this.until.delete(webhookId);
		this.until.set(webhookId, now + REMEMBERED_MS);
		for (const [id, until] of this.until) {
			if (until > now && this.until.size <= MAX_REMEMBERED) return;
			this.until.delete(id);
		}
	}

	has(webhookId: string): boolean {
		return (this.until.get(webhookId) ?? 0) > performance.now();
	}
}

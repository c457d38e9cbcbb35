/** More than any create overlaps with: as many as the rate limit allows one key in ten minutes (§8.1). */
const MAX_REMEMBERED = 6_000;

/** The webhooks that creates of this process returned lately: no other create can have made them (D72). */
export class RecentCreates {
	private readonly ids = new Set<string>();

	get size(): number {
		return this.ids.size;
	}

	add(webhookId: string): void {
		this.ids.add(webhookId);
		const [oldest] = this.ids;
		if (this.ids.size > MAX_REMEMBERED && oldest !== undefined) this.ids.delete(oldest);
	}

	has(webhookId: string): boolean {
		return this.ids.has(webhookId);
	}
}

/** The webhooks that were left behind: nobody needs them, and they could not be removed. */
import { isSameUrl } from '../domain/targetUrl';

/** The maximum number of webhooks that are remembered; beyond that, the oldest are forgotten. */
const MAX_LEFT_BEHIND = 5_000;

/** The webhooks that were left behind. The next change of any node whose list shows one of them removes it. */
export class LeftBehind {
	/** Their target URLs, by ID. */
	private readonly urls = new Map<string, string>();

	get size(): number {
		return this.urls.size;
	}

	/** Whether a webhook was left behind. At another service, another webhook may have its ID. */
	has(id: string, targetUrl: string): boolean {
		const url = this.urls.get(id);
		return url !== undefined && isSameUrl(url, targetUrl);
	}

	/** Notes webhooks that could not be removed. */
	add(webhooks: ReadonlyArray<{ id: string; targetUrl: string }>): void {
		for (const { id, targetUrl } of webhooks) this.urls.set(id, targetUrl);
		for (const oldest of this.urls.keys()) {
			if (this.urls.size <= MAX_LEFT_BEHIND) break;
			this.urls.delete(oldest);
		}
	}

	/** Forgets a webhook that no longer exists. */
	delete(id: string): void {
		this.urls.delete(id);
	}
}

/** Webhooks that were removed a moment ago: their last deliveries may still be on their way. */
import type { RegisteredWebhook } from '../domain/registration';
import { msSince, now, type Moment } from '../utils/moment';

/**
 * How long the deliveries of a removed webhook are accepted, in milliseconds: the service may have sent them before the removal,
 * and they may wait for n8n.
 */
const LAST_DELIVERIES_MS = 60_000;

/** What tells the deliveries of a removed webhook, and when it was removed. */
type RemovedWebhook = Pick<RegisteredWebhook, 'event' | 'digest'> & { removedAt: Moment };

const isRecent = ({ removedAt }: RemovedWebhook): boolean =>
	msSince(removedAt) < LAST_DELIVERIES_MS;

/**
 * The webhooks whose removal by this process has begun or ended within the last minute. Those of a test run are remembered apart
 * from those of the active node, because their base is another one.
 */
export class RemovedWebhooks {
	private readonly byKey = new Map<string, readonly RemovedWebhook[]>();

	/** The number of nodes and bases of which webhooks are remembered. Old ones are forgotten at the next removal. */
	get size(): number {
		return this.byKey.size;
	}

	/** Those of a node at a base. @param key see `registrationKey` */
	of(key: string): readonly RemovedWebhook[] {
		return (this.byKey.get(key) ?? []).filter(isRecent);
	}

	/** Notes webhooks of a node at a base that were removed, or whose removal begins now. @param key see `registrationKey` */
	add(key: string, webhooks: ReadonlyArray<Pick<RegisteredWebhook, 'event' | 'digest'>>): void {
		this.forgetOld();
		if (webhooks.length === 0) return;
		const removedAt = now();
		const removed = webhooks.map(({ event, digest }) => ({ event, digest, removedAt }));
		this.byKey.set(key, [...this.of(key), ...removed]);
	}

	/** Forgets what is no longer needed, also of nodes that nobody changes any more. */
	private forgetOld(): void {
		for (const key of this.byKey.keys()) {
			const recent = this.of(key);
			if (recent.length > 0) this.byKey.set(key, recent);
			else this.byKey.delete(key);
		}
	}
}

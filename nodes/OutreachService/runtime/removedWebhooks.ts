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

/** The webhooks of each node that this process has removed within the last minute. */
export class RemovedWebhooks {
	private readonly byNode = new Map<string, readonly RemovedWebhook[]>();

	/** The number of nodes of which webhooks are remembered. Old ones are forgotten at the next removal. */
	get size(): number {
		return this.byNode.size;
	}

	/** Those of a node. @param nodeKey see `nodeKey` */
	of(nodeKey: string): readonly RemovedWebhook[] {
		return (this.byNode.get(nodeKey) ?? []).filter(isRecent);
	}

	/** Notes webhooks of a node that were removed, or whose removal begins now. @param nodeKey see `nodeKey` */
	add(nodeKey: string, webhooks: ReadonlyArray<Pick<RegisteredWebhook, 'event' | 'digest'>>): void {
		this.forgetOld();
		if (webhooks.length === 0) return;
		const removedAt = now();
		const removed = webhooks.map(({ event, digest }) => ({ event, digest, removedAt }));
		this.byNode.set(nodeKey, [...this.of(nodeKey), ...removed]);
	}

	/** Forgets what is no longer needed, also of nodes that nobody changes any more. */
	private forgetOld(): void {
		for (const nodeKey of this.byNode.keys()) {
			const recent = this.of(nodeKey);
			if (recent.length > 0) this.byNode.set(nodeKey, recent);
			else this.byNode.delete(nodeKey);
		}
	}
}

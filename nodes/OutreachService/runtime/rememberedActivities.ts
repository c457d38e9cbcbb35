import { createHash } from 'crypto';

import { MAX_REMEMBERED } from './limits';

/** How long an activity is remembered, in milliseconds: a day. */
export const REMEMBERED_MS = 24 * 60 * 60 * 1000;

/**
 * What identifies an activity of a node: the webhook that delivers it, its type and its ID. A hash, because the fields
 * come from outside and may be megabytes long.
 */
export function activityKey(event: string, type: string | undefined, id: string): string {
	const hash = createHash('sha256').update(JSON.stringify([event, type]));
	return hash.update('\n').update(id).digest().subarray(0, 16).toString('base64');
}

/** From the key of an activity to when it was added, oldest first. */
type Activities = Map<string, number>;

/**
 * The activities that have started a workflow, for each node on its own. When there are too many, the node that holds
 * the most loses its oldest, so that a flood in one workflow evicts nothing of another.
 */
export class RememberedActivities {
	private readonly nodes = new Map<string, Activities>();

	private count = 0;

	get size(): number {
		return this.count;
	}

	has(node: string, key: string): boolean {
		const at = this.nodes.get(node)?.get(key);
		return at !== undefined && !isExpired(at);
	}

	/** Remembers an activity of a node from now on. */
	add(node: string, key: string): void {
		const activities = this.nodes.get(node) ?? new Map<string, number>();
		this.nodes.set(node, activities);
		// Deleted first: a map keeps the position of a key that is set again, and the order is by age.
		if (activities.delete(key)) this.count -= 1;
		activities.set(key, performance.now());
		this.count += 1;
		if (this.count > MAX_REMEMBERED) this.evict();
	}

	private evict(): void {
		for (const [node, activities] of this.nodes) {
			for (const [key, at] of activities) {
				if (!isExpired(at)) break;
				this.remove(node, activities, key);
			}
		}
		if (this.count <= MAX_REMEMBERED) return;
		let [largest] = this.nodes;
		for (const entry of this.nodes) if (entry[1].size > (largest?.[1].size ?? 0)) largest = entry;
		const [oldest] = largest?.[1].keys() ?? [];
		if (largest && oldest !== undefined) this.remove(...largest, oldest);
	}

	private remove(node: string, activities: Activities, key: string): void {
		activities.delete(key);
		this.count -= 1;
		if (activities.size === 0) this.nodes.delete(node);
	}
}

const isExpired = (at: number): boolean => performance.now() - at >= REMEMBERED_MS;

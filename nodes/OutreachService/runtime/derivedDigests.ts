import { settle } from '../utils/settle';

/**
 * How long derived digests are kept, in milliseconds: the credential may have got another key, and neither a burst nor a
 * flood of forged deliveries must cost a read of the database each (D67).
 */
const KEPT_MS = 3_000;
/** The same for a failure to read the credential: the next delivery is verified as soon as the database is back. */
const FAILED_MS = 200;
/** The maximum number of nodes; beyond that, all are derived again. */
const MAX_NODES = 500;

/** The digests of the secrets that the credential gives now, each with the event of its webhook. */
export type Digests = ReadonlyArray<{ event: string; digest: string }>;

type Entry = { until: number; digests: Promise<Digests>; isFailed: boolean };

/** The digests of derived secrets that a process keeps. */
export class DerivedDigests {
	private readonly entries = new Map<string, Entry>();

	get size(): number {
		return this.entries.size;
	}

	/**
	 * The digests of a node, derived when they are not kept, or too old.
	 * @param key names the node and all that is known to have an influence
	 * @param onOutage told of the first failure to derive them, and of no further one until it has worked in between
	 * @throws what `derive` throws
	 */
	async get(
		key: string,
		derive: () => Promise<Digests>,
		onOutage: (error: Error) => void,
	): Promise<Digests> {
		const kept = this.entries.get(key);
		const now = performance.now();
		if (kept && kept.until >= now) return await kept.digests;
		const entry: Entry = { until: now + KEPT_MS, digests: derive(), isFailed: false };
		if (this.entries.size >= MAX_NODES) this.entries.clear();
		this.entries.set(key, entry);
		const derived = await settle(entry.digests);
		if (!derived.ok) {
			entry.until = performance.now() + FAILED_MS;
			entry.isFailed = true;
			if (!kept?.isFailed) onOutage(derived.error);
		}
		return await entry.digests;
	}
}

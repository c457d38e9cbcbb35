import { settle } from '../utils/settle';

/** How long derived digests are kept, in milliseconds. */
const DERIVED_MS = 60_000;
/**
 * How long they are kept at least, whatever secret a delivery has, in milliseconds: the credential may just have got
 * another key, and a flood of forged deliveries must not cost a read of the database each (D67).
 */
const FRESH_MS = 3_000;
/**
 * How long a failure to read the credential is kept, in milliseconds: short, so that the next delivery is verified as
 * soon as the database is back, and long enough that a flood of forged deliveries costs five reads a second.
 */
const FAILED_MS = 200;
/** The maximum number of nodes; beyond that, all are derived again. */
const MAX_NODES = 500;

/** The digests of the secrets that the credential gives now, each with the event of its webhook. */
export type Digests = ReadonlyArray<{ event: string; digest: string }>;

type Entry = { at: number; until: number; digests: Promise<Digests>; isFailed: boolean };

/** The digests of derived secrets that a process keeps. */
export class DerivedDigests {
	private readonly entries = new Map<string, Entry>();

	get size(): number {
		return this.entries.size;
	}

	/** Has the digests of a node derived again: the credential may have changed since. */
	forget(node: string): void {
		for (const key of this.entries.keys()) {
			if (key.startsWith(`${node}\n`)) this.entries.delete(key);
		}
	}

	/**
	 * The digests of a node, derived when they are not kept, too old, or not those that are looked for.
	 * @param key begins with that of the node and a line break, and names all that is known to have an influence
	 * @param isWanted whether digests are those that are looked for
	 * @param onOutage told of the first failure to derive them, and of no further one until it has worked in between
	 * @throws what `derive` throws
	 */
	async get(
		key: string,
		derive: () => Promise<Digests>,
		isWanted: (digests: Digests) => boolean,
		onOutage: (error: Error) => void,
	): Promise<Digests> {
		const now = performance.now();
		const kept = this.entries.get(key);
		if (kept && kept.until >= now) {
			const isFresh = kept.isFailed || kept.at + FRESH_MS >= now;
			const digests = await kept.digests;
			if (isFresh || isWanted(digests)) return digests;
			// Another delivery may have had them derived again in the meantime.
			const later = this.entries.get(key);
			if (later && later !== kept) return await later.digests;
		}
		const entry: Entry = { at: now, until: now + DERIVED_MS, digests: derive(), isFailed: false };
		if (this.entries.size >= MAX_NODES) this.entries.clear();
		this.entries.set(key, entry);
		const digests = await settle(entry.digests);
		if (!digests.ok) {
			entry.until = performance.now() + FAILED_MS;
			entry.isFailed = true;
			if (!kept?.isFailed) onOutage(digests.error);
		}
		return await entry.digests;
	}
}

import { Ring } from '../support/ring';

/** One attempt to deliver one activity to one hook. */
export interface LedgerEntry {
	hookId: string;
	/** Undefined when the activity has no `_id`. */
	activityId: string | undefined;
	type: string;
	targetUrl: string;
	/** What the receiver answered; undefined when there was no answer. */
	status: number | undefined;
	/** Why there was no answer: an error code such as ECONNREFUSED, or its text. */
	error: string | undefined;
	/** How long the attempt took, in milliseconds. */
	ms: number;
	/** 1 for the first. */
	attempt: number;
	/** When the attempt began: ISO 8601, UTC. */
	at: string;
	/** Whether no further attempt follows. */
	final: boolean;
}

/** The newest attempts, and counts of all of them. */
export class Ledger {
	attempts = 0;
	private readonly ring: Ring<LedgerEntry>;
	private readonly listeners = new Set<(entry: LedgerEntry) => void>();

	/** @param capacity how many entries are kept; a run of 10,000 deliveries must not need room for 10,000. */
	constructor(capacity: number) {
		this.ring = new Ring(capacity);
	}

	add(entry: LedgerEntry): void {
		this.attempts += 1;
		this.ring.push(entry);
		for (const listener of this.listeners) listener(entry);
	}

	/** @returns what ends the calls. */
	onEntry(listener: (entry: LedgerEntry) => void): () => void {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	}

	/** Oldest first. */
	entries(newest = Number.POSITIVE_INFINITY): LedgerEntry[] {
		return this.ring.newest(newest);
	}
}

/** Whether the receiver took the delivery: any 2xx. */
export const isDelivered = ({ status }: LedgerEntry): boolean =>
	status !== undefined && status >= 200 && status < 300;

import { Ring } from '../support/ring';

/** One attempt to deliver one activity to one webhook. */
export interface LedgerEntry {
	hookId: string;
	/** Undefined when the activity has no `_id`. */
	activityId: string | undefined;
	type: string;
	targetUrl: string;
	/** The status of the receiver's response. Undefined if there was no response. */
	status: number | undefined;
	/** Why there was no response: an error code such as ECONNREFUSED, or a message. */
	error: string | undefined;
	/** False if nothing was sent, because the webhook or the service had ended. */
	sent: boolean;
	/** Duration of the attempt in milliseconds. */
	ms: number;
	/** Counted from 1. */
	attempt: number;
	/** Start of the attempt: ISO 8601, UTC. */
	at: string;
	/** Whether no further attempt follows. */
	final: boolean;
}

/** The newest delivery attempts, and the count of all attempts. */
export class Ledger {
	attempts = 0;
	private readonly ring: Ring<LedgerEntry>;

	/** @param capacity how many entries to keep, so that a long run doesn't fill the memory */
	constructor(capacity: number) {
		this.ring = new Ring(capacity);
	}

	add(entry: LedgerEntry): void {
		this.attempts += 1;
		this.ring.push(entry);
	}

	/** At most `newest` entries, oldest first; without `newest`, all. */
	entries(newest?: number): LedgerEntry[] {
		return this.ring.newest(newest);
	}
}

/** Whether the receiver accepted the delivery, with any 2xx. */
export const isDelivered = ({ status }: LedgerEntry): boolean =>
	status !== undefined && status >= 200 && status < 300;

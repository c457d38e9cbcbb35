import { isDelivered, type LedgerEntry } from './ledger';

/** The outcomes of many events. */
export interface EmitManySummary {
	events: number;
	/** Deliveries with a final outcome: one for each webhook and copy. */
	deliveries: number;
	delivered: number;
	failed: number;
	/** POST requests, retries included. */
	attempts: number;
	/** The number of attempts by status or error, those included that were not sent. */
	outcomes: Record<string, number>;
	/** Total duration in milliseconds. */
	ms: number;
	deliveriesPerSecond: number;
}

/** Counts outcomes without keeping the entries. */
export class Tally {
	private events = 0;
	private delivered = 0;
	private failed = 0;
	private attempts = 0;
	private readonly outcomes: Record<string, number> = {};

	add(entries: readonly LedgerEntry[]): void {
		this.events += 1;
		for (const entry of entries) {
			if (entry.sent) this.attempts += 1;
			const outcome = String(entry.status ?? entry.error);
			this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1;
			if (entry.final && isDelivered(entry)) this.delivered += 1;
			else if (entry.final) this.failed += 1;
		}
	}

	summary(ms: number): EmitManySummary {
		const { events, delivered, failed, attempts, outcomes } = this;
		const deliveries = delivered + failed;
		return {
			events,
			deliveries,
			delivered,
			failed,
			attempts,
			outcomes,
			ms: Math.round(ms),
			deliveriesPerSecond: Math.round((deliveries * 1000) / Math.max(ms, 1)),
		};
	}
}

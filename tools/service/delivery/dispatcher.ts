import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import fastq, { type queueAsPromised } from 'fastq';
import type { HookStore } from '../store/hookStore';
import type { StoredHook } from '../model/hook';
import type { Switches } from '../switches';
import { evenShare } from '../support/share';
import { isDelivered, type Ledger, type LedgerEntry } from './ledger';
import { Poster } from './poster';

/** One activity to deliver to one webhook. */
export interface Delivery {
	hook: StoredHook;
	activityId: string | undefined;
	type: string;
	body: string;
}

interface Attempt extends Delivery {
	attempt: number;
}

/** Deliveries in flight at once. */
const CONCURRENCY = 64;

/** How long a sender that disconnects (`disconnectShare`) waits for a response, in milliseconds. */
const DISCONNECT_AFTER_MS = 500;

/** Sends deliveries with limited concurrency, and retries them as the switches say (§6.7). */
export class Dispatcher {
	private readonly poster = new Poster();
	private readonly closing = new AbortController();
	private readonly disconnects = evenShare();
	private readonly queue: queueAsPromised<Attempt, LedgerEntry>;

	constructor(
		private readonly store: HookStore,
		private readonly ledger: Ledger,
		private readonly switches: () => Switches,
	) {
		// Each delivery that waits for a retry adds a listener; Node.js warns about a leak above ten.
		setMaxListeners(0, this.closing.signal);
		this.queue = fastq.promise(async (attempt: Attempt) => this.post(attempt), CONCURRENCY);
	}

	/**
	 * Delivers, and waits until the outcome is final: a 2xx, the last attempt, or the end of the webhook or the service.
	 * @returns all attempts. Never rejects: failures are in the attempts.
	 */
	async deliver(delivery: Delivery): Promise<LedgerEntry[]> {
		const attempts: LedgerEntry[] = [];
		for (let attempt = 1; ; attempt++) {
			const entry = await this.queue.push({ ...delivery, attempt });
			entry.final = !this.shouldRetry(delivery.hook, entry);
			this.ledger.add(entry);
			attempts.push(entry);
			if (entry.final) return attempts;
			await this.wait(attempt);
		}
	}

	/** Aborts the requests in flight. Deliveries that wait are no longer sent. */
	async close(): Promise<void> {
		this.closing.abort();
		await this.poster.close();
	}

	private async post(attempt: Attempt): Promise<LedgerEntry> {
		const { hook, activityId, type, body } = attempt;
		const began = performance.now();
		const at = new Date().toISOString();
		const reason = this.whyNotSent(hook);
		const outcome =
			reason !== undefined
				? { status: undefined, error: reason }
				: await this.poster.post(hook.targetUrl, body, this.timeoutMs(attempt));
		return {
			hookId: hook.id,
			activityId,
			type,
			targetUrl: hook.targetUrl,
			...outcome,
			sent: reason === undefined,
			ms: Math.round((performance.now() - began) * 10) / 10,
			attempt: attempt.attempt,
			at,
			final: true,
		};
	}

	/** Deleting or disabling the webhook ends the subscription (§6.3.3), so deliveries that still wait aren't sent. */
	private whyNotSent({ id }: StoredHook): string | undefined {
		const current = this.store.get(id);
		if (current === undefined) return 'webhook deleted';
		if (current.disabled) return 'webhook disabled';
		return this.closing.signal.aborted ? 'service stopped' : undefined;
	}

	/** Disconnecting attempts are spread evenly among the others, so that a test can rely on the share. */
	private timeoutMs({ attempt }: Attempt): number {
		const { disconnectShare, deliveryTimeoutMs } = this.switches();
		if (attempt > 1) return deliveryTimeoutMs;
		return this.disconnects(disconnectShare)
			? Math.min(DISCONNECT_AFTER_MS, deliveryTimeoutMs)
			: deliveryTimeoutMs;
	}

	private shouldRetry(hook: StoredHook, entry: LedgerEntry): boolean {
		const { redeliveries, redeliverOn } = this.switches();
		const isTemporary =
			redeliverOn === 'notOk' ||
			entry.status === undefined ||
			(redeliverOn === 'serverError' && entry.status >= 500);
		return (
			!isDelivered(entry) &&
			isTemporary &&
			entry.attempt <= redeliveries &&
			this.whyNotSent(hook) === undefined
		);
	}

	private async wait(attempt: number): Promise<void> {
		const { redeliveryDelayMs, redeliveryFactor } = this.switches();
		const delayMs = redeliveryDelayMs * redeliveryFactor ** (attempt - 1);
		// Rejects when the service stops; the next attempt then ends as 'service stopped'.
		await sleep(delayMs, undefined, { signal: this.closing.signal }).catch(() => undefined);
	}
}

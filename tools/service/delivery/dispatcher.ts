import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import fastq, { type queueAsPromised } from 'fastq';
import type { HookStore } from '../store/hookStore';
import type { StoredHook } from '../model/hook';
import type { Switches } from '../switches';
import { isDelivered, type Ledger, type LedgerEntry } from './ledger';
import { Poster } from './poster';

/** One activity on its way to one hook. */
export interface Delivery {
	hook: StoredHook;
	activityId: string | undefined;
	type: string;
	body: string;
}

interface Attempt extends Delivery {
	attempt: number;
}

/** Sends deliveries, a set number at once, and tries again as the switches say (§6.7). */
export class Dispatcher {
	private readonly poster = new Poster();
	private readonly closing = new AbortController();
	private readonly queue: queueAsPromised<Attempt, LedgerEntry>;

	constructor(
		private readonly store: HookStore,
		private readonly ledger: Ledger,
		private readonly switches: () => Switches,
	) {
		// Every delivery that waits for its next attempt listens; Node takes more than ten for a leak.
		setMaxListeners(0, this.closing.signal);
		this.queue = fastq.promise(async (attempt: Attempt) => this.post(attempt), 1);
	}

	/**
	 * Delivers, and waits until the outcome is final: a 2xx, the last attempt, the end of the hook, or of the service.
	 * @returns all attempts. Never rejects: what went wrong is in them.
	 */
	async deliver(delivery: Delivery): Promise<LedgerEntry[]> {
		const attempts: LedgerEntry[] = [];
		for (let attempt = 1; ; attempt++) {
			this.queue.concurrency = this.switches().deliveryConcurrency;
			const entry = await this.queue.push({ ...delivery, attempt });
			entry.final = !this.isToBeRepeated(delivery.hook, entry);
			this.ledger.add(entry);
			attempts.push(entry);
			if (entry.final) {
				this.noteFate(delivery.hook, entry);
				return attempts;
			}
			await this.wait(attempt);
		}
	}

	/** Ends what is under way; deliveries that wait are not sent any more. */
	async close(): Promise<void> {
		this.closing.abort();
		await this.poster.close();
	}

	private async post(attempt: Attempt): Promise<LedgerEntry> {
		const { hook, activityId, type, body } = attempt;
		const began = performance.now();
		const at = new Date().toISOString();
		// §6.3.3: deleting the hook ends the subscription, also for what still waits.
		const isGone = this.store.get(hook.id) === undefined;
		const outcome =
			this.closing.signal.aborted || isGone
				? { status: undefined, error: isGone ? 'webhook deleted' : 'service stopped' }
				: await this.poster.post(hook.targetUrl, body, this.switches().deliveryTimeoutMs);
		return {
			hookId: hook.id,
			activityId,
			type,
			targetUrl: hook.targetUrl,
			...outcome,
			ms: Math.round((performance.now() - began) * 10) / 10,
			attempt: attempt.attempt,
			at,
			final: true,
		};
	}

	private isToBeRepeated(hook: StoredHook, entry: LedgerEntry): boolean {
		const { redeliveries, redeliverOn } = this.switches();
		const isTemporary =
			redeliverOn === 'notOk' ||
			entry.status === undefined ||
			(redeliverOn === 'serverError' && entry.status >= 500);
		return (
			!isDelivered(entry) &&
			isTemporary &&
			entry.attempt <= redeliveries &&
			!this.closing.signal.aborted &&
			this.store.get(hook.id) !== undefined
		);
	}

	private async wait(attempt: number): Promise<void> {
		const { redeliveryDelayMs, redeliveryFactor } = this.switches();
		const delayMs = redeliveryDelayMs * redeliveryFactor ** (attempt - 1);
		// Rejects when the service stops: the next attempt then finds that out.
		await sleep(delayMs, undefined, { signal: this.closing.signal }).catch(() => undefined);
	}

	private noteFate(hook: StoredHook, entry: LedgerEntry): void {
		hook.failures = isDelivered(entry) ? 0 : hook.failures + 1;
		const { disableAfterFailures } = this.switches();
		if (disableAfterFailures > 0 && hook.failures >= disableAfterFailures && !hook.disabled) {
			this.store.disable(hook);
		}
	}
}

import { randomUUID } from 'node:crypto';
import { newActivityId } from '../load/events';
import type { LedgerEntry, RunningService } from '../service';

export interface SendOptions {
	/** The ID of the activity (default: a new one). */
	id?: string;
	/** How many copies each webhook receives at the same time. */
	copies?: number;
}

/** Has the service deliver events to one team's webhooks, and records the outcome of every attempt. */
export class Deliveries {
	readonly attempts: LedgerEntry[] = [];
	/** The types sent for each activity ID. */
	readonly sent = new Map<string, Set<string>>();
	private readonly inProgress = new Set<Promise<unknown>>();

	constructor(
		private readonly service: RunningService,
		private readonly team: string,
	) {}

	/** Resolves once the outcome at each webhook is final. */
	async send(
		type: string,
		{ id = newActivityId(), copies = 1 }: SendOptions = {},
	): Promise<LedgerEntry[]> {
		this.sent.set(id, (this.sent.get(id) ?? new Set()).add(type));
		const activity = {
			_id: id,
			createdAt: new Date().toISOString(),
			teamId: this.team,
			campaignId: 'cam_chaos',
			leadId: `lea_${randomUUID()}`,
			type,
		};
		const delivery = this.service.emit(activity, { copies });
		this.inProgress.add(delivery);
		const attempts = await delivery;
		this.inProgress.delete(delivery);
		this.attempts.push(...attempts);
		return attempts;
	}

	/** Waits until no delivery is in progress. */
	async finished(): Promise<void> {
		while (this.inProgress.size > 0) {
			await Promise.all(this.inProgress);
			// `send` continues after the promise that this waits for.
			await new Promise(setImmediate);
		}
	}
}

import { randomUUID } from 'node:crypto';
import type { LedgerEntry, RunningService } from '../service';

export interface SendOptions {
	/** Of the activity; a new one unless told otherwise. */
	id?: string;
	/** How many copies each webhook gets at the same moment. */
	copies?: number;
}

export const newActivityId = (): string => `act_${randomUUID().replaceAll('-', '')}`;

/** Has the service deliver events to one team's webhooks, and keeps the outcome of every attempt. */
export class Deliveries {
	readonly attempts: LedgerEntry[] = [];
	/** Those that nobody has looked at yet. */
	readonly unjudged: LedgerEntry[] = [];
	/** What was sent, by activity ID: the types. */
	readonly sent = new Map<string, Set<string>>();
	private readonly underWay = new Set<Promise<unknown>>();

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
		this.underWay.add(delivery);
		const attempts = await delivery;
		this.underWay.delete(delivery);
		this.attempts.push(...attempts);
		this.unjudged.push(...attempts);
		return attempts;
	}

	/** Waits until no delivery is under way. */
	async ended(): Promise<void> {
		while (this.underWay.size > 0) {
			await Promise.all(this.underWay);
			// `send` itself goes on after the promise that it waits for.
			await new Promise(setImmediate);
		}
	}
}

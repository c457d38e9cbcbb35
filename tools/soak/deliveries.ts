import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { deliveryActivity, deliveryBody } from '../bench/load/activity';
import type { EmitManySummary, RunningService } from '../service';

/** One in this many events is sent as two simultaneous copies. */
const SIMULTANEOUS_EVERY = 20;
/** One in this many events is sent again, `REPEAT_DISTANCE` events later. */
const REPEAT_EVERY = 20;
const REPEAT_DISTANCE = 500;
/** There is one forged delivery for this many events. */
const FORGED_EVERY = 20;

const CONCURRENCY = 64;

export type Activity = ReturnType<typeof deliveryActivity>;

/** The deliveries of one period and their outcome. */
export interface Sent {
	/** The number of distinct authentic activities. */
	authentic: number;
	/** The number of repeated deliveries of these. */
	duplicates: number;
	/** The number of forged deliveries, by response status. */
	forged: Record<string, number>;
	/** The summary of authentic deliveries and duplicates. */
	summary: EmitManySummary;
}

/** Sends events as the service would, along with duplicates and forged deliveries. */
export class Deliveries {
	/** The number of distinct authentic activities so far. */
	authentic = 0;
	private forgedSent = 0;
	private readonly agent = new Agent({ connections: 8 });

	/** @param prefix of the authentic activities' IDs; forged ones start with `act_forged` */
	constructor(
		private readonly service: RunningService,
		private readonly prefix: string,
	) {}

	/** Sends only authentic events, as fast as n8n accepts them, for `ms` milliseconds. */
	async atFullSpeed(ms: number, concurrency: number): Promise<EmitManySummary> {
		const until = Date.now() + ms;
		const source = function* (this: Deliveries) {
			while (Date.now() < until) yield this.next();
		}.bind(this);
		return this.service.emitMany(source(), { concurrency });
	}

	/** Sends `perSecond` authentic events for `ms` milliseconds, plus duplicates and forged deliveries. */
	async atPace(perSecond: number, ms: number): Promise<Sent> {
		const before = this.authentic;
		const forged: Record<string, number> = {};
		const total = Math.round((perSecond * ms) / 1000);
		const source = function* (this: Deliveries) {
			for (let count = 1; count <= total; count++) {
				yield this.next();
				if (count % REPEAT_EVERY !== 0 || this.authentic <= REPEAT_DISTANCE) continue;
				yield deliveryActivity(`${this.prefix}${this.authentic - REPEAT_DISTANCE}`);
			}
		}.bind(this);
		const [summary] = await Promise.all([
			this.service.emitMany(source(), {
				concurrency: CONCURRENCY,
				ratePerSecond: perSecond * (1 + 1 / REPEAT_EVERY),
				double: 1 / SIMULTANEOUS_EVERY,
			}),
			this.forge(Math.round(total / FORGED_EVERY), ms, forged),
		]);
		const authentic = this.authentic - before;
		return { authentic, duplicates: summary.deliveries - authentic, forged, summary };
	}

	private next(): Activity {
		return deliveryActivity(`${this.prefix}${++this.authentic}`);
	}

	/** Sends deliveries as an attacker who knows the URL but not the secret. */
	private async forge(count: number, ms: number, outcomes: Record<string, number>): Promise<void> {
		const url = this.service.hooks()[0]?.targetUrl ?? '';
		const began = performance.now();
		for (let sent = 0; sent < count; sent++) {
			const response = await request(url, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: deliveryBody(`act_forged${++this.forgedSent}_`, 'a guess'),
				dispatcher: this.agent,
			});
			await response.body.dump();
			outcomes[response.statusCode] = (outcomes[response.statusCode] ?? 0) + 1;
			await pause(Math.max(0, began + ((sent + 1) * ms) / count - performance.now()));
		}
	}

	async close(): Promise<void> {
		await this.agent.close();
	}
}

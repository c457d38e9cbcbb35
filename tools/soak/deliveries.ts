import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { deliveryActivity, deliveryBody } from '../bench/load/activity';
import type { EmitManySummary, RunningService } from '../service';

/** Every so many-th event comes twice at the same time … */
const DOUBLED = 20;
/** … every so many-th again, so many events later … */
const REPEATED = 20;
const LATER = 500;
/** … and beside every so many-th somebody sends a forged one. */
const FORGED = 20;

const CONCURRENCY = 64;

export type Activity = ReturnType<typeof deliveryActivity>;

/** What came of some time of deliveries. */
export interface Sent {
	/** Different genuine activities. */
	genuine: number;
	/** Further deliveries of one of them. */
	duplicates: number;
	/** How many forged ones were answered with which status. */
	forged: Record<string, number>;
	/** Of the genuine ones and the duplicates. */
	summary: EmitManySummary;
}

/** Sends events as the service would, with duplicates and forged ones among them. */
export class Deliveries {
	/** Different genuine activities so far. */
	genuine = 0;
	private forgedSent = 0;
	private readonly agent = new Agent({ connections: 8 });

	/** @param prefix of the genuine activities' IDs; those of the forged ones begin with `act_forged`. */
	constructor(
		private readonly service: RunningService,
		private readonly prefix: string,
	) {}

	/** As fast as n8n takes them: genuine ones alone, for so many milliseconds. */
	async atFullSpeed(ms: number, concurrency: number): Promise<EmitManySummary> {
		const until = Date.now() + ms;
		const source = function* (this: Deliveries) {
			while (Date.now() < until) yield this.next();
		}.bind(this);
		return this.service.emitMany(source(), { concurrency });
	}

	/** So many genuine ones a second for so many milliseconds, the others on top. */
	async atPace(perSecond: number, ms: number): Promise<Sent> {
		const before = this.genuine;
		const forged: Record<string, number> = {};
		const total = Math.round((perSecond * ms) / 1000);
		const source = function* (this: Deliveries) {
			for (let place = 1; place <= total; place++) {
				yield this.next();
				if (place % REPEATED !== 0 || this.genuine <= LATER) continue;
				yield deliveryActivity(`${this.prefix}${this.genuine - LATER}`);
			}
		}.bind(this);
		const [summary] = await Promise.all([
			this.service.emitMany(source(), {
				concurrency: CONCURRENCY,
				ratePerSecond: perSecond * (1 + 1 / REPEATED),
				double: 1 / DOUBLED,
			}),
			this.forge(Math.round(total / FORGED), ms, forged),
		]);
		const genuine = this.genuine - before;
		return { genuine, duplicates: summary.deliveries - genuine, forged, summary };
	}

	private next(): Activity {
		return deliveryActivity(`${this.prefix}${++this.genuine}`);
	}

	/** As somebody who knows the address, and not the secret. */
	private async forge(count: number, ms: number, outcomes: Record<string, number>): Promise<void> {
		const url = this.service.hooks()[0]?.targetUrl ?? '';
		for (let sent = 0; sent < count; sent++) {
			const answer = await request(url, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: deliveryBody(`act_forged${++this.forgedSent}_`, 'a guess'),
				dispatcher: this.agent,
			});
			await answer.body.dump();
			outcomes[answer.statusCode] = (outcomes[answer.statusCode] ?? 0) + 1;
			await pause(ms / count);
		}
	}

	async close(): Promise<void> {
		await this.agent.close();
	}
}

/**
 * Among gateways, slow services and lists that are paged, cached or late, any history of publications, starts,
 * deactivations and kills ends with the desired webhooks and no second one; no event runs twice, even with duplicates
 * allowed; and each loss is told (D79, D81, D82, D103).
 */
import fc from 'fast-check';

import type { Fault } from '../../../tools/service';
import type { RunningTrigger, TriggerHost } from '../support/trigger';
import { passTime } from '../support/passTime';
import { useWorld } from '../support/world';

const TYPES = ['emailsReplied', 'smsReplied', 'networkReplied'];
const GATEWAYS = ['ingress', 'maintenance', 'firewall', 'plan', 'login', 'echo'] as const;

/** What one or more requests meet. A removal that fails leaves a webhook beside its successor, which delivers, too. */
const fault: fc.Arbitrary<Fault> = fc.oneof(
	fc.record({
		kind: fc.constant('gateway' as const),
		who: fc.constantFrom(...GATEWAYS),
		times: fc.integer({ min: 1, max: 4 }),
		match: fc.record({ method: fc.constantFrom('GET', 'POST') }),
	}),
	fc.record({
		kind: fc.constant('gateway' as const),
		who: fc.constant('timeout' as const),
		match: fc.record({ method: fc.constantFrom('GET', 'POST') }),
	}),
	fc.record({
		kind: fc.constant('delay' as const),
		delayMs: fc.constantFrom(3_000, 15_000, 45_000),
		times: fc.integer({ min: 1, max: 3 }),
		match: fc.constant({ method: 'POST' }),
	}),
	fc.constant<Fault>({ kind: 'delay', delayMs: 30_000, match: { method: 'GET' } }),
);

const events = fc.subarray(TYPES, { minLength: 1 });
const step = fc.oneof(
	{ weight: 3, arbitrary: fc.record({ do: fc.constant('fault' as const), fault }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant('publish' as const), events }) },
	fc.record({ do: fc.constant('restart' as const) }),
	fc.record({ do: fc.constant('reactivate' as const), waitMs: fc.constantFrom(0, 1_500, 30_000) }),
	fc.record({ do: fc.constant('vanish' as const), which: fc.nat({ max: 2 }) }),
	{
		weight: 3,
		arbitrary: fc.record({
			do: fc.constant('minutes' as const),
			count: fc.integer({ min: 1, max: 3 }),
		}),
	},
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** How the service differs from the API spec. */
const service = fc.record({
	hookUrls: fc.constantFrom(
		'shared' as const,
		'oncePerTeam' as const,
		'replace' as const,
		'update' as const,
	),
	listDelayMs: fc.constantFrom(0, 0, 5_000, 50_000),
	listShape: fc.constantFrom('list' as const, 'hooks' as const),
	targetUrlForm: fc.constantFrom('asSent' as const, 'normalized' as const),
});

const world = useWorld({ switches: { rateLimit: 'off' } });
let histories = 0;

const wait = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

class History {
	/** How often each event that was sent has started the workflow. */
	private runs = 0;

	private isActive = true;

	/** Events whose webhook somebody has removed while the node was active, and that nobody has been told of. */
	private readonly lost = new Set<string>();

	private constructor(
		private readonly host: TriggerHost,
		private readonly team: string,
		private running: RunningTrigger,
	) {}

	static async begin(): Promise<History> {
		const team = `tea_odd_${++histories}`;
		const options = { repairMinutes: 1, ignoreDuplicates: false };
		const host = await world.trigger(TYPES.slice(0, 2), options);
		world.useKey(host, `odd-key-${histories}`, team);
		await host.activate();
		return new History(host, team, await host.startTrigger());
	}

	private get own() {
		return world.service.hooks(this.team);
	}

	private get selected(): string[] {
		return this.host.node.parameters.events as string[];
	}

	async carryOut(one: Step): Promise<void> {
		if (one.do === 'fault') world.service.addFault(one.fault);
		if (one.do === 'minutes') await this.minutes(one.count);
		if (one.do === 'publish') await this.publish(one.events);
		if (one.do === 'restart') await this.restart();
		if (one.do === 'reactivate') await this.reactivate(one.waitMs);
		if (one.do === 'vanish') await this.vanish(one.which);
		await this.deliver();
	}

	private async minutes(count: number): Promise<void> {
		for (let minute = 0; minute < count; minute++) {
			await passTime(60_000);
			await this.running.check();
		}
	}

	private async publish(selected: string[]): Promise<void> {
		if (!this.isActive) return;
		// Nobody is told of an event that is no longer selected when its loss is found.
		for (const type of this.lost) if (!selected.includes(type)) this.lost.delete(type);
		await this.running.close();
		await this.host.publish({ ...this.host.node.parameters, events: selected });
		this.running = await this.host.startTrigger('update');
	}

	/** n8n is killed once what it sent has been answered: what is on its way then is nobody's any more. */
	private async restart(): Promise<void> {
		await this.host.settled();
		await passTime(60_000);
		await this.host.settled();
		await this.running.close();
		this.host.moveToNewProcess();
		if (this.isActive) await this.host.activate('init');
		this.running = await this.host.startTrigger('init');
		await this.minutes(2);
	}

	private async reactivate(waitMs: number): Promise<void> {
		await this.running.close();
		await this.host.call('delete', 'update');
		this.lost.clear();
		await wait(waitMs);
		await this.activate();
	}

	/** As n8n does: five attempts, with pauses. */
	private async activate(): Promise<void> {
		this.host.reload();
		this.isActive = false;
		for (const pauseMs of [1_000, 2_000, 4_000, 8_000, 0]) {
			this.isActive = await this.host.call('create').then(
				() => true,
				() => false,
			);
			if (this.isActive) break;
			await this.host.call('delete');
			await wait(pauseMs);
		}
		this.running = await this.host.startTrigger();
	}

	private async vanish(which: number): Promise<void> {
		// Only what the list has shown: what vanishes before that cannot be told from what a list does not show.
		await this.minutes(3);
		const webhook = this.own[which % Math.max(this.own.length, 1)];
		if (!webhook || !this.isActive) return;
		world.service.removeHook(webhook._id);
		if (this.selected.includes(webhook.type ?? '')) this.lost.add(webhook.type ?? '');
	}

	/** Sends an event of each type. Those of which a webhook exists start the workflow once. */
	private async deliver(): Promise<void> {
		for (const type of TYPES) {
			const before = this.host.started.length;
			await world.service.emit({ type, teamId: this.team });
			expect([type, this.host.started.length - before > 1]).toEqual([type, false]);
			this.runs += this.host.started.length - before;
		}
	}

	async end(): Promise<void> {
		world.service.clearFaults();
		if (!this.isActive) await this.activate();
		await this.minutes(13);
		expect(this.isActive).toBe(true);
		expect(this.own.map(({ type }) => type).sort()).toEqual([...this.selected].sort());
		const requests = world.service.requests.length;
		await this.minutes(2);
		// It comes to rest.
		expect(world.requests(requests)).toEqual(['GET /hooks', 'GET /hooks']);
		const before = this.host.started.length;
		for (const type of this.selected) await world.service.emit({ type, teamId: this.team });
		expect(this.host.started.length - before).toBe(this.selected.length);
		const told = this.host.failedExecutions.map(({ message }) => message).join('\n');
		for (const type of this.lost) expect(told).toContain(NAMES[type]);
		await this.running.close();
		await this.host.deactivate();
		await passTime(60_000);
		expect(this.own).toEqual([]);
	}
}

const NAMES: Record<string, string> = {
	emailsReplied: 'Email: Reply Received',
	smsReplied: 'SMS: Reply Received',
	networkReplied: 'Network: Reply Received',
};

/** More are searched with `HISTORIES=500`; `SEED` repeats a search. */
const numRuns = Number(process.env.HISTORIES ?? 12);
const seed = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) };

it(
	'Any history at an odd service ends with the desired webhooks and no second one, runs no event twice, and tells each loss',
	async () => {
		await fc.assert(
			fc.asyncProperty(service, fc.array(step, { maxLength: 8 }), async (odd, steps) => {
				world.service.clearFaults();
				world.service.clearRequests();
				world.service.setSwitches(odd);
				const history = await History.begin();
				for (const one of steps) await history.carryOut(one);
				await history.end();
			}),
			{ numRuns, ...seed },
		);
	},
	numRuns * 30_000,
);

/**
 * Among gateways, slow services and lists that are paged, cached or late, any history of publications, starts,
 * deactivations and kills ends with the desired webhooks and no second one; no event runs twice, even with duplicates
 * allowed; and each loss is told (D111, D112, D112, D103). The world is a local service that differs from the API, another
 * one in each history, and one trigger in one process of n8n, which checks every minute.
 */
import fc from 'fast-check';

import * as faults from '../../../tools/histories/faults';
import {
	anyHistory,
	inTurn,
	noValues,
	runHistory,
	type Steps,
} from '../../../tools/histories/step';
import * as steps from '../../../tools/histories/steps';
import { GATEWAYS, type HookView } from '../../../tools/service';
import { tries } from '../../propertyRuns';
import { passTime } from '../support/passTime';
import { TriggerSystem, type Selection, type Start } from '../support/triggerSystem';
import { useWorld } from '../support/world';
import { OPEN_MINUTES } from '../support/openMinutes';

const TYPES = ['emailsReplied', 'smsReplied', 'networkReplied'];

const NAMES: Record<string, string> = {
	emailsReplied: 'Email: Reply Received',
	smsReplied: 'SMS: Reply Received',
	networkReplied: 'Network: Reply Received',
};

const world = useWorld({ switches: { rateLimit: 'off' } });

class OddSystem extends TriggerSystem {
	protected override readonly checkEveryMs = 60_000;

	protected override readonly pausesMs = [1_000, 2_000, 4_000, 8_000, 0];

	/** Events whose webhook somebody has removed or disabled while the node was active, and that nobody has been told of. */
	private readonly lost = new Set<string>();

	static async begin(): Promise<OddSystem> {
		const options = { repairMinutes: 1, duplicateMemory: 'off' };
		const system = new OddSystem(world, await world.trigger(TYPES.slice(0, 2), options));
		await system.activate();
		expect(system.isActive()).toBe(true);
		return system;
	}

	/** Nobody is told of an event that is no longer selected when its loss is found. */
	override async change(trigger: number, changed: Selection): Promise<void> {
		const wasActive = this.isActive();
		for (const type of this.lost) if (!changed.events.includes(type)) this.lost.delete(type);
		await super.change(trigger, changed);
		// Unlike an activation, a publication does not fail because of the service.
		expect(this.isActive()).toBe(wasActive);
	}

	override async deactivate(workflow?: number, waits?: boolean): Promise<void> {
		this.lost.clear();
		await super.deactivate(workflow, waits);
	}

	/** n8n is killed once what it sent has been answered: what is on its way then is nobody's any more. */
	override async restart(how: Start, given: { meanwhile: () => Promise<void> }): Promise<void> {
		await this.host.settled();
		await passTime(60_000);
		await this.host.settled();
		// A webhook that exists again was reported, or its report is lost with the process. What is still missing, the start finds.
		const works = this.ownWebhooks.filter(({ disabled }) => !disabled).map(({ type }) => type);
		for (const type of this.lost) if (works.includes(type)) this.lost.delete(type);
		await super.restart(how, given);
	}

	override changeByHand({ type = '' }: HookView, change: () => void): void {
		change();
		if (this.isActive() && this.selected.includes(type)) this.lost.add(type);
	}

	/** An event of any type starts the workflow once at most. */
	async checkDeliveries(): Promise<void> {
		for (const type of TYPES) {
			const before = this.host.started.length;
			await world.service.emit({ type, teamId: this.team });
			expect([type, this.host.started.length - before > 1]).toEqual([type, false]);
		}
	}

	async end(): Promise<void> {
		world.service.clearFaults();
		if (!this.isActive()) await this.activate();
		await this.check(OPEN_MINUTES + 3);
		expect(this.isActive()).toBe(true);
		expect(this.ownTypes).toEqual(this.selected);
		const requests = world.service.requests.length;
		await this.check(2);
		// It comes to rest.
		expect(world.requests(requests)).toEqual(['GET /hooks', 'GET /hooks']);
		const before = this.host.started.length;
		for (const type of this.selected) await world.service.emit({ type, teamId: this.team });
		expect(this.host.started.length - before).toBe(this.selected.length);
		const told = this.host.failedExecutions.map(({ message }) => message).join('\n');
		for (const type of this.lost) expect(told).toContain(NAMES[type]);
		await this.deactivate();
		await passTime(60_000);
		expect(this.ownWebhooks).toEqual([]);
	}
}

/** How the service differs from the API. */
const oddities = fc.record({
	hookUrls: fc.constantFrom('shared', 'oncePerTeam', 'replace', 'update'),
	listDelayMs: fc.constantFrom(0, 0, 5_000, 50_000),
	listShape: fc.constantFrom('list', 'hooks'),
	targetUrlForm: fc.constantFrom('asSent', 'normalized'),
});

const gateways = GATEWAYS.filter((who) => who !== 'timeout').map(faults.gateway);

/** What one or more requests meet. A removal that fails leaves a webhook beside its successor, which delivers, too. */
const anyFault = fc.oneof(
	faults.anyFault(fc.constantFrom(...gateways), {
		methods: ['GET', 'POST'],
		times: fc.integer({ min: 1, max: 4 }),
	}),
	faults.anyFault(fc.constant(faults.gateway('timeout')), { methods: ['GET', 'POST'] }),
	faults.anyFault(fc.constantFrom(...[3_000, 15_000, 45_000].map(faults.delayed)), {
		methods: ['POST'],
		times: fc.integer({ min: 1, max: 3 }),
	}),
	faults.anyFault(fc.constant(faults.delayed(30_000)), { methods: ['GET'] }),
);

const checks = (count: number) => steps.check(fc.constant({ count }));
const killed: Start = { mode: 'init', isNewProcess: true };

const alphabet: Array<Steps<OddSystem>> = [
	steps.fault(anyFault, 3),
	steps.change(
		fc.record({ settings: fc.record({ events: fc.subarray(TYPES, { minLength: 1 }) }) }),
		2,
	),
	inTurn('restart', [steps.restart(fc.constant({ how: killed })), checks(2)]),
	inTurn('reactivate', [
		steps.deactivate(fc.constant({ waits: false })),
		steps.pause(fc.record({ ms: fc.constantFrom(0, 1_500, 30_000) })),
		steps.activate(noValues),
	]),
	// Only what the list has shown: what vanishes before that cannot be told from what a list does not show.
	inTurn('vanish', [
		checks(3),
		steps.tamper(
			fc.record({ what: fc.constantFrom('remove', 'disable'), webhook: fc.nat({ max: 2 }) }),
		),
	]),
	steps.check(fc.record({ count: fc.integer({ min: 1, max: 3 }) }), 3),
];

/** More are searched with `HISTORIES=500`; `SEED` repeats a search. */
const numRuns = Number(process.env.HISTORIES ?? tries(3));
const seed = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) };

it(
	'Any history at an odd service ends with the desired webhooks and no second one, runs no event twice, and tells each loss',
	async () => {
		await fc.assert(
			fc.asyncProperty(oddities, anyHistory(alphabet, { maxCommands: 8 }), async (odd, history) => {
				world.service.clearFaults();
				world.service.clearRequests();
				world.service.resetSwitches();
				world.service.setSwitches(odd);
				const system = await OddSystem.begin();
				await runHistory(history, system, { afterStep: () => system.checkDeliveries() });
				await system.end();
			}),
			{ numRuns, ...seed },
		);
	},
	numRuns * 30_000,
);

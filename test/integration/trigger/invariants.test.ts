/**
 * Invariants that hold in whatever order n8n, users, the service and others act, wherever the service fails. The world is
 * a local service without rate limit and one trigger in one process of n8n; each history has a workflow and a team of its
 * own.
 */
import fc from 'fast-check';

import * as faults from '../../../tools/histories/faults';
import {
	anyHistory,
	kindOfStep,
	noValues,
	onlyIf,
	runHistory,
	type Steps,
} from '../../../tools/histories/step';
import * as steps from '../../../tools/histories/steps';
import { TriggerSystem, type Start } from '../support/triggerSystem';
import { tries } from '../../propertyRuns';
import { useWorld } from '../support/world';

const TYPES = ['emailsReplied', 'smsReplied', 'networkReplied'];

const world = useWorld({ switches: { rateLimit: 'off' } });

class WatchedSystem extends TriggerSystem {
	private hasNewKey = false;

	static async begin(): Promise<WatchedSystem> {
		const host = await world.trigger(TYPES.slice(0, 2), { repairMinutes: 1 });
		const system = new WatchedSystem(world, host);
		await system.activate();
		return system;
	}

	get mayChangeKey(): boolean {
		return !this.hasNewKey;
	}

	changeKey(): void {
		this.hasNewKey = true;
		world.useKey(this.host, `new-${this.host.credential.apiKey}`, this.team);
	}

	override async check(count: number): Promise<void> {
		await this.watched(async () => await super.check(count));
	}

	/** A new process does not know an earlier key, so the webhooks with that key deliver nothing that it accepts. */
	override async restart(how: Start, given: { meanwhile: () => Promise<void> }): Promise<void> {
		const restart = async () => await super.restart(how, given);
		if (this.hasNewKey && how.isNewProcess) await restart();
		else await this.watched(restart);
	}

	/** How many enabled webhooks of the node deliver each selected event. */
	private covered(): Map<string, number> {
		const types = this.ownWebhooks
			.filter(({ disabled }) => !disabled)
			.map(({ type }) => type ?? '*');
		return new Map(
			this.selected.map((event) => [event, types.filter((type) => type === event).length]),
		);
	}

	/**
	 * Checks that a change by the node itself leaves no event without a webhook, not even for a moment. Only if the service refuses the
	 * webhooks of a new key beside those of the earlier one, each of these makes room for its successor; and if that is refused all the
	 * same, no second one does.
	 */
	private async watched(change: () => Promise<void>): Promise<void> {
		const before = [...this.covered()].filter(([, count]) => count > 0).map(([event]) => event);
		const gaps = new Set<string>();
		const recordGaps = () => {
			const now = this.covered();
			for (const event of before) if (now.get(event) === 0) gaps.add(event);
		};
		const end = world.service.onHooksChange(recordGaps);
		await change();
		end();
		recordGaps();
		if (!this.isActive()) return;
		const mayMakeRoom = this.hasNewKey && this.troubles.has('refusal');
		const uncovered = before.filter((event) => this.covered().get(event) === 0);
		if (mayMakeRoom) expect(uncovered.length).toBeLessThan(2);
		else expect([...gaps]).toEqual([]);
	}

	/** Each event with a webhook that works is accepted: there may be an earlier webhook beside its successor. */
	async checkDeliveries(): Promise<void> {
		if (!this.isActive()) return;
		for (const [type, count] of this.covered()) {
			const attempts = await world.service.emit({ type, teamId: this.team });
			const isAccepted = attempts.some(
				({ hookId, status }) => !this.foreign.has(hookId) && status === 200,
			);
			expect([type, isAccepted]).toEqual([type, count > 0]);
		}
	}

	/** Once all faults are over, three checks repair everything, and a deactivation leaves nothing behind. */
	async end(): Promise<void> {
		world.service.clearFaults();
		world.service.resetSwitches();
		if (!this.isActive()) await this.activate();
		await this.check(3);
		expect(this.ownTypes).toEqual(this.selected);
		const started = this.host.started.length;
		for (const type of this.selected) await world.service.emit({ type, teamId: this.team });
		expect(this.host.started.length - started).toBe(this.selected.length);
		this.host.reload();
		await this.deactivate();
		expect(this.ownWebhooks).toEqual([]);
		const deleted = world.service.requests
			.filter(({ method }) => method === 'DELETE')
			.map(({ path }) => path.replace('/hooks/', ''));
		expect(deleted.filter((id) => this.foreign.has(id))).toEqual([]);
		expect(this.webhooks.map(({ _id }) => _id)).toEqual([...this.foreign]);
	}
}

/** Which request fails, and how. A GET is not retried after these, so a history takes milliseconds. */
const anyFault = fc.oneof(
	faults.anyFault(fc.constantFrom(...[400, 401, 403].map((status) => faults.refused(status))), {
		methods: ['POST', 'DELETE', 'GET'],
		maxSkip: 3,
	}),
	faults.anyFault(
		fc.constantFrom(
			faults.failed(500),
			faults.failed(503),
			faults.failedAfterwards(500),
			faults.failedAfterwards(503),
		),
		{ methods: ['POST'], maxSkip: 3 },
	),
	faults.anyFault(fc.constantFrom(faults.CUT, faults.CUT_AFTERWARDS), {
		methods: ['POST'],
		maxSkip: 3,
	}),
);

const webhook = fc.nat({ max: 9 });

const newKey = kindOfStep<object, WatchedSystem>('new key', {
	run: (_, system) => system.changeKey(),
});

const alphabet: Array<Steps<WatchedSystem>> = [
	steps.tamper(fc.record({ what: fc.constantFrom('remove', 'disable'), webhook }), 2),
	steps.incompleteList(fc.record({ webhook })),
	steps.loseStaticData(noValues),
	onlyIf(({ mayChangeKey }: WatchedSystem) => mayChangeKey, newKey(noValues)),
	steps.foreignWebhook(
		fc.record({
			url: fc.constantFrom(...steps.ANY_FOREIGN_URL),
			type: fc.constant('emailsReplied'),
		}),
	),
	steps.webhookLimit(fc.record({ room: fc.nat({ max: 2 }) })),
	steps.fault(anyFault),
	steps.check(noValues),
	steps.restart(
		fc.record({
			how: fc.record<Start>({
				mode: fc.constantFrom('init', 'leadershipChange'),
				isNewProcess: fc.boolean(),
			}),
		}),
	),
	steps.change(
		fc.record({ settings: fc.record({ events: fc.subarray(TYPES, { minLength: 1 }) }) }),
	),
	steps.activate(noValues),
];

it('A failure never removes a webhook that works, webhooks of others stay untouched, and everything is repaired in the end', async () => {
	await fc.assert(
		fc.asyncProperty(anyHistory(alphabet, { maxCommands: 12, size: 'max' }), async (history) => {
			world.service.clearFaults();
			world.service.resetSwitches();
			world.service.clearRequests();
			const system = await WatchedSystem.begin();
			await runHistory(history, system, { afterStep: () => system.checkDeliveries() });
			await system.end();
		}),
		{ numRuns: tries(6) },
	);
});

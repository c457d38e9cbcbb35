/**
 * Two n8n's with the same workflow at one account, and two nodes with the same webhook URL in one n8n. A node owns exactly what is at
 * its base (D110), so whatever one n8n does, the other keeps its webhooks. The world is a local service and two processes of n8n.
 */
import fc from 'fast-check';

import * as faults from '../../../tools/histories/faults';
import { tries } from '../../propertyRuns';
import { N8n } from '../support/n8n';
import { passTime } from '../support/passTime';
import { textLike } from '../support/matchers';
import type { RunningTrigger, TriggerHost } from '../support/trigger';
import { useWorld } from '../support/world';

const world = useWorld({ switches: { rateLimit: 'off' } });

const TYPES = ['emailsReplied', 'smsReplied', 'networkReplied'];

/** The same workflow, node and webhook path in both, as after a copied database or an imported workflow. */
const COPY = { id: 'copied', node: { id: 'copied' } };

/** A workflow with one trigger in an n8n of its own, with what a user does with it. */
class Instance {
	private running: RunningTrigger | undefined;

	private isActive = false;

	private constructor(readonly host: TriggerHost) {}

	static async start(): Promise<Instance> {
		const host = await world.trigger(TYPES.slice(0, 2), { repairMinutes: 1 }, COPY);
		host.moveToNewProcess({}, new N8n());
		return new Instance(host);
	}

	/** The IDs of the webhooks at its base. */
	get webhookIds(): string[] {
		const { webhookUrl, testUrl } = this.host;
		const isOwn = (url: string) => [webhookUrl, testUrl].includes(url.split('?')[0] ?? '');
		return world.webhooks.filter(({ targetUrl }) => isOwn(targetUrl)).map(({ _id }) => _id);
	}

	async activate(): Promise<void> {
		if (this.isActive) return;
		await this.begin('activate');
	}

	async unpublish(): Promise<void> {
		await this.close();
		this.isActive = false;
		await this.host.deactivate();
		await passTime(61_000);
	}

	async publish(events: string[]): Promise<void> {
		const parameters = { ...this.host.node.parameters, events };
		if (!this.isActive) {
			this.host.reload(parameters);
			return;
		}
		await this.close();
		await this.host.call('delete', 'update');
		this.host.reload(parameters);
		await this.begin('update');
	}

	/** With the static data of another n8n, or none: nothing is read from it. */
	async restart(mode: 'init' | 'leadershipChange', from: TriggerHost): Promise<void> {
		await this.close();
		this.host.moveToNewProcess(from.savedStaticData, new N8n());
		if (this.isActive) await this.begin(mode);
	}

	async check(): Promise<void> {
		await this.running?.check();
	}

	private async begin(mode: 'activate' | 'update' | 'init' | 'leadershipChange'): Promise<void> {
		this.isActive = await this.host.activate(mode).then(
			() => true,
			() => false,
		);
		if (this.isActive) this.running = await this.host.startTrigger(mode);
	}

	private async close(): Promise<void> {
		await this.running?.close();
		this.running = undefined;
	}
}

type Action = (one: Instance, other: Instance) => Promise<void>;

const action = fc.oneof(
	fc.constant<Action>(async (one) => await one.activate()),
	fc.constant<Action>(async (one) => await one.unpublish()),
	fc.constant<Action>(async (one) => await one.check()),
	fc.subarray(TYPES, { minLength: 1 }).map(
		(events): Action =>
			async (one) =>
				await one.publish(events),
	),
	fc.constantFrom('init' as const, 'leadershipChange' as const).map(
		(mode): Action =>
			async (one, other) =>
				await one.restart(mode, other.host),
	),
	// Each entry of a new key is of both: they have one account.
	fc.constantFrom('key-a', 'key-b').map(
		(key): Action =>
			async ({ host }) =>
				world.useKey(host, key),
	),
	fc.nat(3).map(
		(room): Action =>
			async () => {
				world.service.setSwitches({ maxHooks: Math.max(1, world.webhooks.length + room) });
			},
	),
	fc
		.constantFrom('shared' as const, 'oncePerTeam' as const, 'replace' as const, 'update' as const)
		.map(
			(hookUrls): Action =>
				async () =>
					world.service.setSwitches({ hookUrls }),
		),
	faults
		.anyFault(
			fc.constantFrom(faults.refused(400), faults.failed(503), faults.CUT, faults.CUT_AFTERWARDS),
			{ methods: ['GET', 'POST', 'DELETE'], maxSkip: 2 },
		)
		.map(
			(fault): Action =>
				async () => {
					world.service.addFault(fault);
				},
		),
);

it.each<[string, [string, string] | undefined]>([
	['at another port', undefined],
	['below another path', ['/n8n-prod', '/n8n-staging']],
	['below its own path', ['', '/n8n']],
])(
	'Whatever an n8n does, it removes no webhook of another one with a copy of its workflow %s',
	async (_, paths) => {
		const step = fc.record({ isFirst: fc.boolean(), act: action });
		await fc.assert(
			fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
				for (const id of world.webhookIds) world.service.removeHook(id);
				world.service.clearFaults();
				world.service.resetSwitches();
				const [first, second] = [await Instance.start(), await Instance.start()];
				for (const [at, { host }] of [first, second].entries()) {
					if (paths) host.moveBelow(paths[at]!, first.host);
				}
				await first.activate();
				await second.activate();
				expect([first.webhookIds.length, second.webhookIds.length]).toEqual([2, 2]);
				for (const { isFirst, act } of steps) {
					const [one, other] = isFirst ? [first, second] : [second, first];
					const before = other.webhookIds;
					await act(one, other);
					expect(other.webhookIds).toEqual(before);
				}
			}),
			{ numRuns: tries(8) },
		);
	},
);

describe('A node that is pasted into another workflow of the same n8n, and so has the same webhook URL', () => {
	/** Two workflows with one node each, and one webhook path for both. */
	async function twoWorkflows(): Promise<[TriggerHost, TriggerHost]> {
		const options = { repairMinutes: 1 };
		const first = await world.activeTrigger(['emailsReplied'], options, { id: 'first' });
		const second = await world.trigger(['smsReplied'], options, { id: 'second' });
		second.shareUrlsOf(first);
		return [first, second];
	}

	const REFUSED =
		'"Test · Trigger" is active with the same webhook URL: delete the node "Trigger" in this workflow, and add it again';

	it('is not activated while the other one is active, which keeps its webhooks', async () => {
		const [first, second] = await twoWorkflows();
		const before = world.webhookIds;
		await expect(second.activate()).rejects.toThrow(REFUSED);
		await passTime(120_000);
		expect(world.webhookIds).toEqual(before);
		await world.service.emit({ type: 'emailsReplied' });
		expect(first.started).toHaveLength(1);
		await first.deactivate();
		await second.activate();
		expect(world.webhookTypes).toEqual(['smsReplied']);
	});

	it('stays without webhooks after a start, reports it, and takes over when the other one ends', async () => {
		const [first, second] = await twoWorkflows();
		const before = world.webhookIds;
		await second.activate('init');
		const { check } = await second.startTrigger('init');
		for (let checks = 0; checks < 3; checks++) await check();
		expect(world.webhookIds).toEqual(before);
		const [report, ...more] = second.failedExecutions;
		expect([report?.message, more]).toEqual([textLike(/^The webhooks of "Trigger" cannot be/), []]);
		expect(report?.description).toContain(REFUSED);
		await first.deactivate();
		await check();
		expect(world.webhookTypes).toEqual(['smsReplied']);
		await second.deactivate();
		expect(world.webhooks).toEqual([]);
	});

	it('takes nothing from the other one when it ends first', async () => {
		const [first, second] = await twoWorkflows();
		const before = world.webhookIds;
		await second.activate('init');
		await second.deactivate();
		await passTime(120_000);
		expect(world.webhookIds).toEqual(before);
		expect(first.isKnownToProcess).toBe(true);
	});
});

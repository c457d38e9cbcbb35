import { webhookKeyOf } from '../../../nodes/OutreachService/domain/secret';
import { runsOf } from '../../../tools/histories/events';
import { INITIAL_SETTINGS, parametersFor, type Settings } from '../../../tools/histories/settings';
import {
	markPending,
	markPublished,
	periodOf,
	settingsOf,
	type Ending,
	type Executions,
	type Trigger,
	type Workflow,
	type World as HistoryWorldOf,
} from '../../../tools/histories/world';
import type { Run } from '../../../tools/load/judge';
import type { RunningService } from '../../../tools/service';
import { N8n } from './n8n';
import { passTime } from './passTime';
import type { TriggerHost } from './trigger';
import type { World } from './world';

/** The workflow, node and webhook path are the same in each n8n, as after a copied database or an imported workflow. */
const COPY = { id: 'copied', node: { id: 'copied' } };

/** How long n8n pauses after each attempt to activate a workflow that failed, in milliseconds. */
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 0];

const MINUTE_MS = 60_000;

let histories = 0;

/** What only the owner of n8n can correct. */
export const AT_HOME = ['no credential', 'no events'] as const;
export type AtHome = (typeof AT_HOME)[number];

/** A workflow with one trigger, in an n8n of its own. */
export type HistoryWorkflow = Workflow & {
	host: TriggerHost;
	/** The same node in a test run. */
	testHost: TriggerHost;
	n8n: N8n;
	running: TriggerHost | undefined;
	/** Whether webhooks of the workflow may be left, for example because n8n was killed while it was not active. */
	mayBeLeft: boolean;
};

/** Nodes in n8n's of the tests' process, as a world for histories; it has a team of its own at the service. */
export class HistoryWorld implements HistoryWorldOf<HistoryWorkflow> {
	readonly areSeparate = true;

	readonly workflows: HistoryWorkflow[] = [];

	readonly downTimes: Array<{ from: number; until: number }> = [];

	/** Deliveries reach the n8n at a port, whatever the path: one below the path of another one's host gets none. */
	areReachable = true;

	private readonly runs: Run[] = [];

	private readonly broken = new Set<TriggerHost>();

	private readonly number = ++histories;

	readonly team = `tea_${this.number}`;

	private keys = 0;

	private constructor(private readonly world: World) {}

	/** @param paths below which path of one host each n8n is; undefined for one n8n alone, at a port of its own */
	static async begin(
		world: World,
		paths: ReadonlyArray<string | undefined>,
	): Promise<HistoryWorld> {
		const histories = new HistoryWorld(world);
		for (const path of paths) await histories.addN8n(path);
		histories.areReachable = paths.every((path) => path === undefined);
		await histories.changeKey();
		for (const workflow of histories.workflows) await histories.publish(workflow);
		return histories;
	}

	private async addN8n(path: string | undefined): Promise<void> {
		const n8n = new N8n();
		const parameters = parametersFor(INITIAL_SETTINGS);
		const [host, testHost] = await Promise.all(
			(['trigger', 'manual'] as const).map(
				async (mode) =>
					await this.world.trigger(parameters.events, parameters.options, { ...COPY, mode }),
			),
		);
		if (!host || !testHost) throw new Error('There is no node');
		for (const one of [host, testHost]) {
			one.moveToNewProcess({}, n8n);
			if (path === undefined) continue;
			one.moveBelow(path, this.workflows[0]?.host ?? host);
			// Both have the port of one of them, which knows nothing of the other's path.
			one.optionsStatus = 405;
		}
		const trigger: Trigger = {
			webhookUrl: host.webhookUrl,
			testUrl: testHost.testUrl,
			periods: [periodOf(INITIAL_SETTINGS)],
		};
		host.respond = (_, items) => {
			const at = Date.now();
			this.runs.push(...runsOf(items, trigger, { execution: '', at }));
			return 200;
		};
		this.workflows.push({
			host,
			testHost,
			n8n,
			running: undefined,
			mayBeLeft: false,
			triggers: [trigger],
			active: false,
			published: false,
			listening: false,
		});
	}

	get service(): RunningService {
		return this.world.service;
	}

	canList({ host }: HistoryWorkflow): boolean {
		return !this.broken.has(host);
	}

	isWithCurrentKey(targetUrl: string): boolean {
		return webhookKeyOf(this.key).id === keyIn(targetUrl);
	}

	/** A failure leaves the workflow inactive. */
	async publish(workflow: HistoryWorkflow): Promise<void> {
		markPending(workflow);
		workflow.mayBeLeft = false;
		this.correct(workflow);
		workflow.host.reload();
		for (const pauseMs of PAUSES_MS) {
			workflow.active = await succeeds(workflow.host.call('create'));
			if (workflow.active) break;
			await workflow.host.call('delete');
			await this.pause(pauseMs);
		}
		await this.started(workflow, 'activate');
	}

	private async started(
		workflow: HistoryWorkflow,
		mode: 'activate' | 'update' | 'init' | 'leadershipChange',
	): Promise<void> {
		if (!workflow.active) return;
		workflow.running = await workflow.host.startTrigger(mode);
		markPublished(workflow);
	}

	async unpublish(workflow: HistoryWorkflow, waits = true): Promise<void> {
		markPending(workflow);
		this.correct(workflow);
		workflow.active = false;
		await this.close(workflow);
		await workflow.host.call('delete', 'update');
		if (waits) await workflow.host.removal();
	}

	/** n8n publishes a change by calling `delete`, then `create`. Unlike an activation, it does not fail because of the service. */
	async change(workflow: HistoryWorkflow, trigger: Trigger, settings: Settings): Promise<void> {
		this.correct(workflow);
		trigger.periods.push(periodOf(settings));
		const { host, testHost, active } = workflow;
		const parameters = parametersFor(settings);
		if (!workflow.listening) testHost.reload(parameters);
		if (active) {
			await this.close(workflow);
			await host.call('delete', 'update');
		}
		host.reload(parameters);
		if (!active) return;
		await host.activate('update');
		await this.started(workflow, 'update');
	}

	async listen({ testHost }: HistoryWorkflow): Promise<boolean> {
		testHost.reload();
		return await succeeds(testHost.activate('manual'));
	}

	async stopListening(workflow: HistoryWorkflow): Promise<void> {
		workflow.listening = false;
		await workflow.testHost.deactivate();
	}

	private get key(): string {
		return `key-${this.number}-${this.keys}`;
	}

	async changeKey(): Promise<void> {
		this.keys += 1;
		const { key } = this;
		for (const { host, testHost } of this.workflows) {
			this.world.useKey(host, key, this.team);
			this.world.useKey(testHost, key, this.team);
		}
	}

	/**
	 * n8n is killed once what it sent has been answered: what is on its way then is nobody's any more.
	 *
	 * @throws if the start of an active workflow does: it never may
	 */
	async restart(
		workflow: HistoryWorkflow,
		how: Ending,
		meanwhile: () => Promise<void>,
	): Promise<void> {
		const { host, testHost } = workflow;
		if (workflow.listening) await this.stopListening(workflow);
		await host.settled();
		await passTime(MINUTE_MS);
		await host.settled();
		await this.close(workflow);
		this.correct(workflow);
		if (how === 'leader') host.reload();
		else {
			workflow.n8n = new N8n();
			host.moveToNewProcess(undefined, workflow.n8n);
			testHost.moveToNewProcess(undefined, workflow.n8n);
			this.downTimes.push({ from: Date.now(), until: Date.now() });
			await meanwhile();
		}
		workflow.mayBeLeft ||= !workflow.active;
		if (!workflow.active) return;
		const mode = how === 'leader' ? 'leadershipChange' : 'init';
		await host.activate(mode);
		if (!host.isKnownToProcess) throw new Error('The trigger is not live after a start');
		await this.started(workflow, mode);
	}

	async check({ running }: HistoryWorkflow, count: number): Promise<void> {
		for (let checks = 0; checks < count; checks++) {
			await passTime(MINUTE_MS);
			await running?.check();
		}
	}

	async pause(ms: number): Promise<void> {
		if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
	}

	async executions(): Promise<Executions> {
		const reports = this.workflows.flatMap((workflow) =>
			workflow.host.reports.map((text) => ({ workflow, text })),
		);
		return { runs: this.runs, losses: [], reports };
	}

	/** Something is wrong at home, until the owner starts n8n again, or changes the workflow. */
	breakAtHome({ host, ...workflow }: HistoryWorkflow, what: AtHome): void {
		this.broken.add(host);
		// What was published is no longer in use.
		if (what === 'no credential') host.failCredentialReads(new Error('The database is away'));
		if (what === 'no events') {
			const { options } = parametersFor(settingsOf(workflow.triggers[0]!));
			host.reload({ events: '={{ $vars.events }}', options });
		}
	}

	get isBrokenAtHome(): boolean {
		return this.broken.size > 0;
	}

	private correct({ host, triggers }: HistoryWorkflow): void {
		if (!this.broken.delete(host)) return;
		host.failCredentialReads(undefined);
		host.reload(parametersFor(settingsOf(triggers[0]!)));
	}

	private async close(workflow: HistoryWorkflow): Promise<void> {
		await workflow.running?.close();
		workflow.running = undefined;
	}
}

const keyIn = (targetUrl: string): string | null => new URL(targetUrl).searchParams.get('keyId');

const succeeds = async (attempt: Promise<unknown>): Promise<boolean> =>
	await attempt.then(
		() => true,
		() => false,
	);

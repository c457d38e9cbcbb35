import type { Trouble } from '../../../tools/histories/faults';
import type { System } from '../../../tools/histories/steps';
import type { HookView, RunningService } from '../../../tools/service';
import { passTime } from './passTime';
import type { RunningTrigger, TriggerHost } from './trigger';
import type { World } from './world';

/** What a user changes in the trigger. */
export type Selection = { events: string[] };

/** How the workflow starts again: in which process, and in which mode n8n activates it. */
export type Start = { mode: 'init' | 'leadershipChange'; isNewProcess: boolean };

let systems = 0;

/**
 * One trigger in one process, as a system for histories. The workflow has a team of its own at the service, so that what an
 * earlier history has left behind is not its.
 */
export class TriggerSystem implements System<Selection, Start> {
	readonly team: string;

	/** How much time passes before each check, in milliseconds. */
	protected readonly checkEveryMs: number = 0;

	/** How long n8n pauses after each attempt to activate the workflow that failed; none if it makes one attempt. */
	protected readonly pausesMs: readonly number[] = [];

	/** The IDs of other clients' webhooks. */
	protected readonly foreign = new Set<string>();

	/** What has gone wrong so far. */
	protected readonly troubles = new Set<Trouble>();

	/** Whether the workflow is active, be n8n running or not. */
	private active = false;

	private running: RunningTrigger | undefined;

	/** @param host whose workflow is not active yet */
	constructor(
		protected readonly world: World,
		readonly host: TriggerHost,
	) {
		const number = ++systems;
		this.team = `tea_${number}`;
		world.useKey(host, `key-${number}`, this.team);
	}

	get service(): RunningService {
		return this.world.service;
	}

	get webhookUrls(): string[] {
		return [this.host.webhookUrl];
	}

	/** The team's webhooks, oldest first. */
	get webhooks(): HookView[] {
		return this.service.hooks(this.team);
	}

	get ownWebhooks(): HookView[] {
		return this.webhooks.filter(({ _id }) => !this.foreign.has(_id));
	}

	/** The event types of the trigger's webhooks, sorted. */
	get ownTypes(): string[] {
		return this.ownWebhooks.map(({ type }) => type ?? '*').sort();
	}

	/** The selected events, sorted. */
	get selected(): string[] {
		return [...(this.host.node.parameters.events as string[])].sort();
	}

	isActive(): boolean {
		return this.active;
	}

	/** A failure leaves the workflow inactive. */
	async activate(): Promise<void> {
		this.host.reload();
		if (this.pausesMs.length === 0) this.active = await succeeds(this.host.activate());
		else await this.activatePersistently();
		if (this.active) this.running = await this.host.startTrigger();
	}

	private async activatePersistently(): Promise<void> {
		for (const pauseMs of this.pausesMs) {
			this.active = await succeeds(this.host.call('create'));
			if (this.active) return;
			await this.host.call('delete');
			await this.pause(pauseMs);
		}
	}

	async deactivate(_workflow?: number, waits = true): Promise<void> {
		await this.close();
		this.active = false;
		await this.host.call('delete', 'update');
		if (waits) await this.host.removal();
	}

	/** n8n publishes a change by calling `delete`, then `create`. */
	async change(_trigger: number, changed: Selection): Promise<void> {
		const { host } = this;
		const parameters = { ...host.node.parameters, ...changed };
		if (!this.active) {
			host.reload(parameters);
			return;
		}
		await this.close();
		await host.call('delete', 'update');
		host.reload(parameters);
		this.active = await succeeds(host.activate('update'));
		if (this.active) this.running = await host.startTrigger('update');
	}

	/** @throws if the start of an active workflow does: it never may */
	async restart(
		{ mode, isNewProcess }: Start,
		{ meanwhile }: { meanwhile: () => Promise<void> },
	): Promise<void> {
		await this.close();
		if (isNewProcess) this.host.moveToNewProcess();
		else this.host.reload();
		await meanwhile();
		if (!this.active) return;
		await this.host.activate(mode);
		this.running = await this.host.startTrigger(mode);
	}

	async check(count: number): Promise<void> {
		for (let checks = 0; checks < count; checks++) {
			await passTime(this.checkEveryMs);
			await this.running?.check();
		}
	}

	async pause(ms: number): Promise<void> {
		if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
	}

	/** A Code node writes what it likes, or a backup brings the data of another n8n. Nothing of ours is in it. */
	async loseStaticData(): Promise<void> {
		this.host.reload(undefined, { 'node:Outreach Service Trigger': { registration: 'foreign' } });
	}

	disturb(trouble: Trouble): void {
		this.troubles.add(trouble);
	}

	changeByHand(_webhook: HookView, change: () => void): void {
		change();
	}

	addForeign({ _id }: HookView): void {
		this.foreign.add(_id);
	}

	private async close(): Promise<void> {
		await this.running?.close();
		this.running = undefined;
	}
}

const succeeds = async (attempt: Promise<unknown>): Promise<boolean> =>
	await attempt.then(
		() => true,
		() => false,
	);

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { waitFor, type N8nCredential, type N8nPublication, type OutreachHost } from '../host';
import { activate, deactivate, publicationSettled } from '../host/publishing';
import { chain, createServiceCredential, node, webhookNode } from '../host/workflows';
import { newActivityId } from '../load/events';
import type { Period } from '../load/judge';
import { inSqlite, type Query } from '../load/runs';
import { canFail, type Trouble } from '../histories/faults';
import type { System } from '../histories/steps';
import type { HookFields, HookView, LedgerEntry, LoggedRequest, RunningService } from '../service';
import { INITIAL_SETTINGS, lineOf, parametersFor, type ChangedSettings } from './settings';
import type { ServiceProxy, ThirdParty } from './surroundings';
import {
	createWorkflow,
	markPending,
	markPublished,
	requiredWebhooks,
	type ChaosWorkflow,
	type Trigger,
} from './workflows';

/** n8n retries a failing activation for about 15 seconds, and a slow one for longer. */
const SETTLE_MS = 150_000;
const LIMIT = 'N8N_CONCURRENCY_PRODUCTION_LIMIT';
/** Every trigger checks once a minute, each at a different second. */
const CHECK_MS = 62_000;
/** A check has finished once it has sent no request for this long. */
const CHECK_QUIET_MS = 4_000;

let histories = 0;

/** The servers that all histories share. */
export interface Environment {
	host: OutreachHost;
	proxy: ServiceProxy;
	thirdParty: ThirdParty;
}

/**
 * The system under test in one history, with its workflows in n8n and its own team at the service, and what the user and
 * other clients have done to it: that determines which webhooks must exist.
 */
export class World implements System<ChangedSettings, 'kill' | 'stop'> {
	readonly host: OutreachHost;
	readonly coverage: Coverage;
	/** Runs a statement in n8n's database. */
	readonly query: Query;

	/** Webhooks of other clients, as they were created. */
	foreign: HookView[] = [];
	/** The IDs of all foreign webhooks, including deleted ones. */
	readonly everForeign = new Set<string>();
	/** The IDs of foreign webhooks that a user has told n8n to delete or replace. */
	readonly mayBeDeleted = new Set<string>();
	/** Whether something since the last rest may need a repair, rather than only time. */
	disturbed = false;
	/** Whether that was ever so in this history. */
	everDisturbed = false;
	/** Whether delayed requests may still be in progress at the service. */
	slow = false;
	/** Whether the service may have rejected a request since the last rest, other than because of an outage. */
	refusing = false;
	/** Whether n8n has lost static data since the last rest. */
	staticDataLost = false;

	/** The outcome of every attempt to deliver an event. */
	readonly attempts: LedgerEntry[] = [];
	/** The types sent for each activity ID. */
	readonly sent = new Map<string, Set<string>>();
	/** When n8n was down or starting, in milliseconds since 1970. */
	readonly downTimes: Period[] = [];
	/** When n8n was last started (`performance.now()`). */
	startedAt = 0;
	/** The IDs of further workflows that steps have created. */
	readonly helperWorkflows: string[] = [];

	/** Whether another workflow occupies n8n's only slot for production executions. */
	busy = false;
	/** Whether n8n is currently limited to one production execution. */
	private isLimited = false;
	private blocker: { id: string; url: string } | undefined;
	private blockedUntil = 0;
	private readonly deliveries = new Set<Promise<unknown>>();

	private constructor(
		readonly environment: Environment,
		readonly credential: N8nCredential,
		readonly team: string,
		readonly workflows: ChaosWorkflow[],
	) {
		this.host = environment.host;
		this.query = inSqlite(this.host);
		this.coverage = new Coverage(this);
	}

	/** Activates two workflows, the second with two triggers. */
	static async create(environment: Environment): Promise<World> {
		const { host, proxy } = environment;
		const { client } = host.server;
		const number = ++histories;
		const apiKey = `chaos-key-${number}`;
		const team = `tea_chaos${number}`;
		host.service.addApiKey(apiKey, team);
		host.service.clearRequests();
		const credential = await createServiceCredential(host, { baseUrl: proxy.baseUrl, apiKey });
		const workflows = [
			await createWorkflow(host.server, credential, 1),
			await createWorkflow(host.server, credential, 2),
		];
		const world = new World(environment, credential, team, workflows);
		for (const { id } of workflows) await client.activateWorkflow(id);
		await world.settled();
		return world;
	}

	get service(): RunningService {
		return this.host.service;
	}

	get webhooks(): HookView[] {
		return this.host.service.hooks(this.team);
	}

	/** The webhooks that belong to our triggers. */
	get ownWebhooks(): HookView[] {
		const ids = new Set(this.foreign.map(({ _id }) => _id));
		return this.webhooks.filter(({ _id }) => !ids.has(_id));
	}

	/** The requests that n8n has sent to the service in this history. */
	get requests(): readonly LoggedRequest[] {
		return this.host.service.requests;
	}

	/** Waits until n8n has sent no request for a while: it has finished what it was doing, or this takes too long. */
	async silence(quietMs: number): Promise<void> {
		await waitFor(
			'n8n to send no more requests',
			() => performance.now() - (this.requests.at(-1)?.at ?? 0),
			(ms) => ms > quietMs,
			{ timeoutMs: 30_000 },
		).catch(() => undefined);
	}

	/** The trigger with this production URL, with or without the event in the query. */
	triggerAt(targetUrl: string): { workflow: ChaosWorkflow; trigger: Trigger } | undefined {
		const path = targetUrl.replace(/\/?(\?.*)?$/, '');
		for (const workflow of this.workflows) {
			const trigger = workflow.triggers.find(({ webhookUrl }) => webhookUrl === path);
			if (trigger !== undefined) return { workflow, trigger };
		}
		return undefined;
	}

	private get triggers(): Trigger[] {
		return this.workflows.flatMap(({ triggers }) => triggers);
	}

	get webhookUrls(): string[] {
		return this.triggers.map(({ webhookUrl }) => webhookUrl);
	}

	/** Records that something has gone wrong, other than for the webhooks of a workflow alone (`mustReportSince`). */
	disturb(trouble: Trouble): void {
		this.disturbed = true;
		this.everDisturbed = true;
		for (const workflow of this.workflows) workflow.mustReportSince = undefined;
		this.slow ||= trouble === 'delay';
		this.refusing ||= trouble === 'refusal';
	}

	/** Records that a webhook will be missing, and which workflow has to report it. */
	changeByHand(webhook: HookView, change: () => void): void {
		this.requireReportOf(webhook);
		this.coverage.byHand(change);
	}

	private requireReportOf(lost: HookView): void {
		const isFirstTrouble = !this.disturbed;
		const areOnlyLosses = this.workflows.some(
			({ mustReportSince }) => mustReportSince !== undefined,
		);
		this.disturbed = true;
		this.everDisturbed = true;
		const found = this.triggerAt(lost.targetUrl);
		if (found === undefined || !(isFirstTrouble || areOnlyLosses)) return;
		const isNeeded = requiredWebhooks(this.workflows).includes(lineOf(lost));
		if (isNeeded && found.trigger.settings.reportProblems) {
			found.workflow.mustReportSince ??= Date.now();
		}
	}

	/** Records webhooks of other clients. */
	addForeign(...webhooks: HookView[]): void {
		this.foreign.push(...webhooks);
		for (const { _id } of webhooks) this.everForeign.add(_id);
	}

	isActive(workflow: number): boolean {
		return this.workflows[workflow]!.active;
	}

	async activate(workflow: number, waits: boolean): Promise<void> {
		await this.setActive(this.workflows[workflow]!, true);
		if (waits) await this.settled();
	}

	async deactivate(workflow: number, waits: boolean): Promise<void> {
		await this.setActive(this.workflows[workflow]!, false);
		if (waits) await this.settled();
	}

	async change(trigger: number, changed: ChangedSettings, waits: boolean): Promise<void> {
		const target = this.triggers[trigger]!;
		const workflow = this.workflows.find(({ triggers }) => triggers.includes(target))!;
		target.settings = { ...INITIAL_SETTINGS, ...changed };
		if (workflow.active) markPending(workflow);
		await this.store(workflow, target);
		if (!workflow.active) return;
		await this.host.server.client.activateWorkflow(workflow.id);
		if (waits) await this.settled();
	}

	/** Waits until every trigger has finished its checks. */
	async check(count: number): Promise<void> {
		for (let checks = 0; checks < count; checks++) {
			await pause(CHECK_MS);
			await this.silence(CHECK_QUIET_MS);
		}
	}

	async pause(ms: number): Promise<void> {
		await pause(ms);
	}

	/** An inactive workflow has stored nothing. */
	async loseStaticData(workflow: number): Promise<void> {
		const { id, active } = this.workflows[workflow]!;
		if (!active) return;
		this.staticDataLost = true;
		await this.query(z.unknown(), 'UPDATE workflow_entity SET staticData = NULL WHERE id = $1', [
			id,
		]);
	}

	/** Activates or deactivates a workflow. n8n may still be at it afterwards: see `settled`. */
	async setActive(workflow: ChaosWorkflow, isActive: boolean): Promise<void> {
		const { client } = this.host.server;
		workflow.active = isActive;
		markPending(workflow);
		if (isActive) await client.activateWorkflow(workflow.id);
		else await client.deactivateWorkflow(workflow.id);
	}

	/** Stores a trigger's settings in n8n. In an active workflow they take effect on the next activation. */
	private async store({ id }: ChaosWorkflow, { name, settings }: Trigger): Promise<void> {
		const { client } = this.host.server;
		const { nodes, connections, name: workflowName } = await client.getWorkflow(id);
		const changed = nodes.map((one) =>
			one.name === name ? { ...one, parameters: parametersFor(settings) } : one,
		);
		await client.updateWorkflow(id, { name: workflowName, nodes: changed, connections });
	}

	/** Waits until n8n has finished every activation and deactivation, and records which it has reported as published. */
	async settled(): Promise<void> {
		for (const { id } of this.workflows) {
			await publicationSettled(this.host.server.client, id, { timeoutMs: SETTLE_MS });
		}
		await this.noteReports();
	}

	/** Records which workflows n8n has reported as published since their last change. */
	async noteReports(): Promise<void> {
		for (const workflow of this.workflows) {
			if (!workflow.active || workflow.published) continue;
			const publication = await this.publicationOf(workflow);
			if (publication?.status !== 'published') continue;
			if (publication.triggers.some(({ errorMessage }) => errorMessage !== null)) continue;
			markPublished(workflow);
			this.coverage.observe();
		}
	}

	/** How far n8n is with the latest activation or deactivation, if two responses agree on it (`publicationSettled`). */
	private async publicationOf({ id }: ChaosWorkflow): Promise<N8nPublication | undefined> {
		const { client } = this.host.server;
		const first = await client.publicationOf(id);
		return isDeepStrictEqual(await client.publicationOf(id), first) ? first : undefined;
	}

	/**
	 * Has the service deliver an event, and records the outcome of every attempt.
	 *
	 * @param copies how many each webhook receives at the same time
	 * @returns the attempts, once the outcome at each webhook is final
	 */
	async send(type: string, id = newActivityId(), copies = 1): Promise<LedgerEntry[]> {
		this.sent.set(id, (this.sent.get(id) ?? new Set()).add(type));
		const activity = {
			_id: id,
			createdAt: new Date().toISOString(),
			teamId: this.team,
			campaignId: 'cam_chaos',
			leadId: `lea_${randomUUID()}`,
			type,
		};
		const delivery = this.host.service.emit(activity, { copies }).then((attempts) => {
			this.attempts.push(...attempts);
			this.deliveries.delete(delivery);
			return attempts;
		});
		this.deliveries.add(delivery);
		return await delivery;
	}

	/** Waits until no delivery is in progress. */
	async delivered(): Promise<void> {
		while (this.deliveries.size > 0) await Promise.all(this.deliveries);
	}

	/**
	 * Limits n8n to one production execution, and occupies that slot with another workflow.
	 *
	 * @param forMs the minimum time before `freeWhenDue` frees the slot
	 */
	async occupy(forMs: number): Promise<void> {
		const { thirdParty } = this.environment;
		if (!this.isLimited) {
			this.disturb('outage');
			await this.restart('stop', { env: { [LIMIT]: '1' } });
			this.isLimited = true;
		}
		this.busy = true;
		this.blocker ??= await this.createBlocker();
		await fetch(this.blocker.url, { method: 'POST', signal: AbortSignal.timeout(30_000) });
		await waitFor(
			'the other workflow to run',
			() => thirdParty.blockedCalls(),
			(count) => count > 0,
		);
		this.blockedUntil = Date.now() + forMs;
	}

	free(): void {
		this.environment.thirdParty.release();
		this.blockedUntil = 0;
		this.busy = false;
	}

	/** Frees the slot after its minimum time. */
	async freeWhenDue(): Promise<void> {
		await pause(Math.max(0, this.blockedUntil - Date.now()));
		this.free();
	}

	/** A workflow that runs until `free`. */
	private async createBlocker(): Promise<{ id: string; url: string }> {
		const { client, url } = this.host.server;
		const path = randomUUID();
		const waiting = node('Wait for response', 'n8n-nodes-base.httpRequest', 4.2, {
			url: this.environment.thirdParty.blockingUrl,
			options: {},
		});
		const draft = chain('Occupies the slot', [webhookNode(path), waiting]);
		const { id } = await client.createWorkflow(draft);
		this.helperWorkflows.push(id);
		await activate(this.host, id);
		return { id, url: `${url}/webhook/${path}` };
	}

	/**
	 * Stops or kills n8n, and restarts it. The old process's lease on a workflow is made to expire, as if n8n had been
	 * down for two minutes.
	 */
	async restart(
		how: 'kill' | 'stop',
		{ meanwhile, env }: { meanwhile?: () => Promise<void>; env?: Record<string, string> } = {},
	): Promise<void> {
		const { server } = this.host;
		for (const workflow of this.workflows) {
			workflow.testRunDisturbed ||= workflow.listening;
			workflow.listening = false;
		}
		// On a graceful stop, n8n waits for the workflow that occupies the slot.
		if (how === 'stop') this.free();
		await (how === 'kill' ? server.kill() : server.stop());
		const down = { from: Date.now(), until: Number.POSITIVE_INFINITY };
		this.downTimes.push(down);
		this.free();
		await this.query(
			z.unknown(),
			`UPDATE workflow_publication_outbox SET updatedAt = '2000-01-01 00:00:00.000' WHERE status = 'in_progress'`,
			[],
		);
		await meanwhile?.();
		this.startedAt = performance.now();
		await server.restart(env);
		down.until = Date.now();
	}

	/** Ends all faults and removes the workflows and the credential. Ignores failures: the next history reports them. */
	async clear(): Promise<void> {
		const { server, service } = this.host;
		service.clearFaults();
		service.resetSwitches();
		await this.environment.proxy.whenUp();
		this.free();
		if (server.hasExited()) await server.restart();
		this.coverage.stop();
		if (this.isLimited) await this.restart('stop', { env: { [LIMIT]: '-1' } });
		for (const id of [...this.workflows.map(({ id }) => id), ...this.helperWorkflows]) {
			await deactivate(this.host, id).catch(() => undefined);
			await server.client.deleteWorkflow(id).catch(() => undefined);
		}
		await server.client.deleteCredential(this.credential.id).catch(() => undefined);
		for (const { _id } of this.webhooks) service.removeHook(_id);
	}
}

/** The maximum time between the creates of one operation, in milliseconds. */
const OPERATION_MS = 10_000;
/** The maximum time from a failed create to the last removal that it causes, in milliseconds. */
const ROLLBACK_MS = 30_000;

/**
 * Watches every change of the service's webhooks: no failure may remove a working webhook that a published workflow
 * still needs, not even for a moment. Exceptions: the user is changing the workflow (it is not `published` then),
 * somebody changes the webhook directly at the service, or a create is rolled back because another one of the same
 * operation failed.
 */
class Coverage {
	/** A line for each webhook that was removed and should not have been. */
	readonly losses: string[] = [];
	/** When each required webhook started working (`performance.now()`). */
	private readonly since = new Map<string, number>();
	private isByHand = false;
	readonly stop: () => void;

	constructor(private readonly world: World) {
		this.stop = world.host.service.onHooksChange(() => this.observe());
	}

	/** Changes webhooks directly at the service; n8n is not responsible for what is missing afterwards. */
	byHand(change: () => unknown): void {
		this.isByHand = true;
		change();
		this.observe();
		this.isByHand = false;
	}

	/** Compares the service's webhooks with the required ones. */
	observe(): void {
		const required = new Set(requiredWebhooks(this.world.workflows));
		const working = new Set(this.world.webhooks.map(lineOf));
		for (const webhook of required) {
			const since = this.since.get(webhook);
			if (working.has(webhook)) this.since.set(webhook, since ?? performance.now());
			else if (since !== undefined) this.recordLoss(webhook, since);
		}
		for (const webhook of this.since.keys()) {
			if (!required.has(webhook)) this.since.delete(webhook);
		}
	}

	private recordLoss(webhook: string, since: number): void {
		this.since.delete(webhook);
		if (this.isByHand || this.isRolledBack(webhook, since)) return;
		const cause = this.world.requests.findLast(({ method }) => method === 'DELETE');
		this.losses.push(`removed although still needed: ${webhook} (by DELETE ${cause?.path ?? '–'})`);
	}

	/**
	 * Whether a create of the same operation failed, a moment ago and close to when the webhook was created. An operation
	 * creates the webhooks of one workflow, and ends with its process.
	 */
	private isRolledBack(webhook: string, since: number): boolean {
		const isOf = (targetUrl: string, { triggers }: ChaosWorkflow) =>
			triggers.some(({ webhookUrl }) => targetUrl.startsWith(webhookUrl));
		const workflow = this.world.workflows.find((one) => isOf(webhook, one));
		return (
			since > this.world.startedAt &&
			this.world.requests.some(
				({ method, body, at, ms, status = 0, faults }) =>
					method === 'POST' &&
					workflow !== undefined &&
					isOf(createSchema.safeParse(body).data?.targetUrl ?? '', workflow) &&
					ms !== undefined &&
					Math.abs(at - since) < OPERATION_MS &&
					performance.now() - (at + ms) < ROLLBACK_MS &&
					(status < 200 || status > 299 || faults.some(canFail)),
			)
		);
	}
}

/** What chaos reads of a create. The type of the local service notices a renamed field. */
const createSchema = z.object({ targetUrl: z.string() }) satisfies z.ZodType<
	Pick<HookFields, 'targetUrl'>
>;

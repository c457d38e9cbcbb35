import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { N8nCredential, N8nPublication, OutreachHost } from '../host';
import { deactivate, publicationSettled } from '../host/publishing';
import type { Period } from '../load/judge';
import { inSqlite, type Query } from '../load/runs';
import type { HookView, LoggedRequest } from '../service';
import { createWorkflow, type ChaosWorkflow, type Registered } from './chaosWorkflow';
import { Coverage } from './coverage';
import { Deliveries } from './deliveries';
import { ANY_NUMBER, ExecutionSlot } from './executionSlot';
import type { Model } from './model';
import type { ServiceProxy } from './serviceProxy';
import type { ThirdParty } from './thirdParty';
import { parametersFor, type Settings } from './triggerSettings';

/** n8n retries a failing activation for about 15 seconds, and a slow one for longer. */
const SETTLE_MS = 150_000;

let histories = 0;

/** The servers that all histories share. */
export interface Environment {
	host: OutreachHost;
	proxy: ServiceProxy;
	thirdParty: ThirdParty;
	/** Called before each step, with its kind and its description. */
	onStep: (kind: string, text: string) => void;
}

/** The system under test in one history: its workflows in n8n, and its own team at the service. */
export class World implements Registered {
	readonly deliveries: Deliveries;
	readonly coverage: Coverage;
	readonly slot: ExecutionSlot;
	/** When n8n was down or starting, in milliseconds since 1970. */
	readonly downTimes: Period[] = [];
	/** When n8n was last started (`performance.now()`). */
	startedAt = 0;
	/** The IDs of further workflows that steps have created. */
	readonly helperWorkflows: string[] = [];
	/** Runs a statement in n8n's database. */
	readonly query: Query;
	readonly host: OutreachHost;
	readonly proxy: ServiceProxy;

	private constructor(
		readonly environment: Environment,
		readonly credential: N8nCredential,
		readonly team: string,
		readonly workflows: ChaosWorkflow[],
		model: Model,
	) {
		this.host = environment.host;
		this.proxy = environment.proxy;
		this.deliveries = new Deliveries(this.host.service, team);
		this.coverage = new Coverage(model, this, this.host.service);
		this.slot = new ExecutionSlot(this.host, environment.thirdParty);
		this.query = inSqlite(this.host);
	}

	/** Creates the workflows of a model, inactive. */
	static async create(environment: Environment, model: Model): Promise<World> {
		const { host, proxy } = environment;
		const number = ++histories;
		const apiKey = `chaos-key-${number}`;
		const team = `tea_chaos${number}`;
		host.service.addApiKey(apiKey, team);
		host.service.clearRequests();
		const credential = await host.server.client.createCredential({
			name: apiKey,
			type: 'outreachServiceApi',
			data: { baseUrl: proxy.baseUrl, apiKey },
		});
		const workflows: ChaosWorkflow[] = [];
		for (const { settings } of model.workflows) {
			workflows.push(await createWorkflow(host, credential, settings));
		}
		return new World(environment, credential, team, workflows, model);
	}

	get webhooks(): HookView[] {
		return this.host.service.hooks(this.team);
	}

	/** The requests that n8n has sent to the service in this history. */
	get requests(): readonly LoggedRequest[] {
		return this.host.service.requests;
	}

	workflow(index: number): ChaosWorkflow {
		const workflow = this.workflows[index];
		if (workflow === undefined) throw new Error(`No workflow ${index}`);
		return workflow;
	}

	/** The trigger with this production URL, with or without the event in the query. */
	triggerAt(targetUrl: string): { workflow: number; node: number; webhookUrl: string } | undefined {
		const path = targetUrl.replace(/\/?(\?.*)?$/, '');
		for (const [workflow, { triggers }] of this.workflows.entries()) {
			const node = triggers.findIndex(({ webhookUrl }) => webhookUrl === path);
			if (node >= 0) return { workflow, node, webhookUrl: path };
		}
		return undefined;
	}

	/** How far n8n is with the latest activation or deactivation, if two responses agree on it (`publicationSettled`). */
	async publicationOf(index: number): Promise<N8nPublication | undefined> {
		const { client } = this.host.server;
		const { id } = this.workflow(index);
		const first = await client.publicationOf(id);
		return isDeepStrictEqual(await client.publicationOf(id), first) ? first : undefined;
	}

	/** Changes a trigger's settings. In an active workflow they take effect on the next activation. */
	async change(workflow: number, node: number, settings: Settings): Promise<void> {
		const { client } = this.host.server;
		const { id, triggers } = this.workflow(workflow);
		const { nodes, connections, name } = await client.getWorkflow(id);
		const changed = nodes.map((one) =>
			one.name === triggers[node]?.name ? { ...one, parameters: parametersFor(settings) } : one,
		);
		await client.updateWorkflow(id, { name, nodes: changed, connections });
	}

	/** Waits until n8n has finished every activation and deactivation. */
	async settled(): Promise<void> {
		for (const { id } of this.workflows) {
			await publicationSettled(this.host.server.client, id, { timeoutMs: SETTLE_MS });
		}
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
		// On a graceful stop, n8n waits for the workflow that occupies the slot.
		if (how === 'stop') this.slot.free();
		await (how === 'kill' ? server.kill() : server.stop());
		const down = { from: Date.now(), until: Number.POSITIVE_INFINITY };
		this.downTimes.push(down);
		this.slot.free();
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

	/** Removes the workflows and the credential. Ignores failures: the history or the next one reports them. */
	async clear(): Promise<void> {
		this.coverage.stop();
		await this.slot.remove().catch(() => undefined);
		if (this.slot.isOnly) await this.restart('stop', { env: ANY_NUMBER });
		const { client } = this.host.server;
		for (const id of [...this.workflows.map(({ id }) => id), ...this.helperWorkflows]) {
			await deactivate(this.host, id).catch(() => undefined);
			await client.deleteWorkflow(id).catch(() => undefined);
		}
		await client.deleteCredential(this.credential.id).catch(() => undefined);
		for (const { _id } of this.webhooks) this.host.service.removeHook(_id);
	}
}

import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import {
	inSqlite,
	N8nRequestError,
	readExecutions,
	type Execution,
	type N8nCredential,
	type OutreachHost,
	type Query,
} from '../host';
import { deactivate, waitUntilSettled } from '../host/publishing';
import { createServiceCredential, nextNode, TRIGGER_NAME, triggerNode } from '../host/workflows';
import { baseOf, runsOf } from '../histories/events';
import { INITIAL_SETTINGS, parametersFor, type Settings } from '../histories/settings';
import {
	markPending,
	markPublished,
	periodOf,
	type Ending,
	type EventAttempt,
	type Executions,
	type Trigger,
	type Workflow,
	type World,
} from '../histories/world';
import { overlaps, type Loss, type Period, type Run } from '../load/judge';
import { DEFAULT_SWITCHES, type RunningService } from '../service';

/** Every trigger checks once a minute, each at a different second. */
const CHECK_MS = 62_000;
/** How long after a delivery its execution may have been stored, by two clocks. */
const CLOCKS_MS = 50;

let histories = 0;

type NamedTrigger = Trigger & { name: string };
type N8nWorkflow = Omit<Workflow, 'triggers'> & { id: string; triggers: NamedTrigger[] };

/** A real n8n, as a world for histories, with workflows of its own and its own team at the service. */
export class N8nWorld implements World<N8nWorkflow> {
	readonly areSeparate = false;
	readonly areReachable = true;
	readonly downTimes: Period[] = [];
	readonly workflows: N8nWorkflow[] = [];
	/** Runs a statement in n8n's database. */
	private readonly query: Query;
	private keys = 0;

	private constructor(
		private readonly host: OutreachHost,
		private readonly credential: N8nCredential,
		private readonly apiKey: string,
		readonly team: string,
	) {
		this.query = inSqlite(host);
	}

	/** Activates two workflows, the second with two triggers. */
	static async create(host: OutreachHost): Promise<N8nWorld> {
		const number = ++histories;
		const apiKey = `chaos-key-${number}`;
		const team = `tea_chaos${number}`;
		host.service.addApiKey(apiKey, team);
		host.service.clearRequests();
		const credential = await createServiceCredential({
			server: host.server,
			service: { baseUrl: host.service.baseUrl, apiKey },
		});
		const world = new N8nWorld(host, credential, apiKey, team);
		for (const triggers of [1, 2]) await world.addWorkflow(triggers);
		for (const workflow of world.workflows) await world.publish(workflow, false);
		await world.settled();
		return world;
	}

	private async addWorkflow(count: number): Promise<void> {
		const { client, url } = this.host.server;
		const last = nextNode();
		const nodes = Array.from({ length: count }, (_, index) =>
			triggerNode(this.credential, parametersFor(INITIAL_SETTINGS), `${TRIGGER_NAME} ${index + 1}`),
		);
		const main = [[{ node: last.name, type: 'main', index: 0 }]];
		const { id } = await client.createWorkflow({
			name: 'Chaos',
			nodes: [...nodes, last],
			connections: Object.fromEntries(nodes.map(({ name }) => [name, { main }])),
		});
		const triggers = nodes.map(({ name, webhookId }) => ({
			name,
			webhookUrl: `${url}/webhook/${webhookId!}/webhook`,
			testUrl: `${url}/webhook-test/${webhookId!}/webhook`,
			periods: [periodOf(INITIAL_SETTINGS)],
		}));
		this.workflows.push({ id, triggers, active: false, published: false, listening: false });
	}

	get service(): RunningService {
		return this.host.service;
	}

	canList(): boolean {
		return true;
	}

	isWithCurrentKey(): boolean {
		return this.keys === 0;
	}

	async publish(workflow: N8nWorkflow, waits: boolean): Promise<void> {
		workflow.active = true;
		markPending(workflow);
		await this.host.server.client.activateWorkflow(workflow.id);
		if (waits) await this.settled();
	}

	async unpublish(workflow: N8nWorkflow, waits: boolean): Promise<void> {
		workflow.active = false;
		markPending(workflow);
		await this.host.server.client.deactivateWorkflow(workflow.id);
		if (waits) await this.settled();
	}

	async change(
		workflow: N8nWorkflow,
		trigger: Trigger,
		settings: Settings,
		waits: boolean,
	): Promise<void> {
		if (workflow.active) markPending(workflow);
		trigger.periods.push(periodOf(settings));
		const { client } = this.host.server;
		const { nodes, connections, name } = await client.getWorkflow(workflow.id);
		const index = workflow.triggers.findIndex((one) => one === trigger);
		const changed = nodes.map((one) =>
			one.name === workflow.triggers[index]?.name
				? { ...one, parameters: parametersFor(settings) }
				: one,
		);
		await client.updateWorkflow(workflow.id, { name, nodes: changed, connections });
		if (workflow.active) await this.publish(workflow, waits);
	}

	/** @returns false if n8n reports an error because the service rejected a request */
	async listen({ id, triggers }: N8nWorkflow): Promise<boolean> {
		try {
			const run = await this.host.server.client.runWorkflow(id, triggers[0]!.name);
			return run.waitingForWebhook === true;
		} catch (error) {
			if (error instanceof N8nRequestError) return false;
			throw error;
		}
	}

	async stopListening(workflow: N8nWorkflow): Promise<void> {
		workflow.listening = false;
		await this.host.server.client.send('DELETE', `/test-webhook/${workflow.id}`);
	}

	async changeKey(): Promise<void> {
		const apiKey = `${this.apiKey}-${++this.keys}`;
		this.service.addApiKey(apiKey, this.team);
		const { id, name, type } = this.credential;
		const data = { baseUrl: this.service.baseUrl, apiKey };
		await this.host.server.client.updateCredential(id, { name, type, data });
	}

	/** The old process's lease on a workflow is made to expire, as if n8n had been down for two minutes. */
	async restart(
		_workflow: N8nWorkflow,
		how: Ending,
		meanwhile: () => Promise<void> = async () => undefined,
	): Promise<void> {
		const { server } = this.host;
		for (const workflow of this.workflows) workflow.listening = false;
		await (how === 'kill' ? server.kill() : server.stop());
		const down = { from: Date.now(), until: Number.POSITIVE_INFINITY };
		this.downTimes.push(down);
		await this.query(
			z.unknown(),
			`UPDATE workflow_publication_outbox SET updatedAt = '2000-01-01 00:00:00.000' WHERE status = 'in_progress'`,
			[],
		);
		await meanwhile();
		await server.restart();
		down.until = Date.now();
	}

	/** Waits until every trigger has begun its checks. */
	async check(_workflow: N8nWorkflow, count: number): Promise<void> {
		await pause(count * CHECK_MS);
	}

	async pause(ms: number): Promise<void> {
		await pause(ms);
	}

	/** Waits until n8n has finished every activation and deactivation, and notes which it has reported as published. */
	async settled(): Promise<void> {
		for (const { id } of this.workflows) {
			await waitUntilSettled(this.host.server.client, id);
		}
		await this.notePublished();
	}

	/** Notes which workflows n8n has reported as published since their last change, if two responses agree on it. */
	async notePublished(): Promise<void> {
		const { client } = this.host.server;
		for (const workflow of this.workflows) {
			if (!workflow.active || workflow.published) continue;
			const first = await client.publicationOf(workflow.id);
			if (!isDeepStrictEqual(await client.publicationOf(workflow.id), first)) continue;
			if (first.status === 'published' && first.errors.length === 0) markPublished(workflow);
		}
	}

	/** Publishes or unpublishes once more, as a user would, what n8n has reported as failed. */
	async retryFailed(): Promise<void> {
		const { client } = this.host.server;
		for (const workflow of this.workflows) {
			const { status, errors } = await client.publicationOf(workflow.id);
			if (status !== 'failed' && status !== 'partial' && errors.length === 0) continue;
			const isActive = workflow.active;
			await this.publish(workflow, true);
			if (!isActive) await this.unpublish(workflow, true);
		}
	}

	async executions(): Promise<Executions> {
		const found: Executions = { runs: [], losses: [], reports: [] };
		const ids = this.workflows.map(({ id }) => id);
		for await (const execution of readExecutions(this.query, ids)) {
			const { mode, workflowId, error } = execution;
			const workflow = this.workflows[ids.indexOf(workflowId)]!;
			const { triggers } = workflow;
			if (mode === 'manual') continue;
			if (mode === 'trigger') {
				found.reports.push({ workflow, text: error?.message ?? '' });
				continue;
			}
			const runs = runsIn(execution, triggers);
			found.runs.push(...runs);
			const hasEnded = triggers.some(({ name }) => execution.outputs.has(name));
			if (runs.length === 0 && !hasEnded) found.losses.push(lossOf(execution, triggers));
		}
		return found;
	}

	/** The target URLs of the webhooks of test runs. */
	ofTestRuns = ({ triggers }: N8nWorkflow): string[] =>
		this.service
			.hooks(this.team)
			.map(({ targetUrl }) => targetUrl)
			.filter((targetUrl) => triggers.some(({ testUrl }) => testUrl === baseOf(targetUrl)));

	/** Ends all faults and deactivates the workflows. Ignores failures: the next history reports them. */
	async clear(): Promise<void> {
		const { server } = this.host;
		this.service.clearFaults();
		this.service.setSwitches(DEFAULT_SWITCHES);
		if (server.hasExited()) await server.restart();
		for (const { id } of this.workflows) {
			await deactivate(this.host, id).catch(() => undefined);
		}
		for (const { _id } of this.service.hooks(this.team)) this.service.removeHook(_id);
	}
}

/** The events for which n8n has started an execution, or has queued one. */
const runsIn = ({ id, createdAt, outputs, waiting }: Execution, triggers: NamedTrigger[]): Run[] =>
	triggers.flatMap((trigger) => {
		const { name } = trigger;
		const items = outputs.get(name) ?? waiting.get(name) ?? [];
		return runsOf(items, trigger, { execution: id, at: createdAt });
	});

/** An execution whose event cannot be read, because n8n was killed while it ran. */
const lossOf =
	({ createdAt }: Execution, triggers: NamedTrigger[]): Loss<EventAttempt> =>
	({ webhookUrl, from, until }) =>
		triggers.some((trigger) => trigger.webhookUrl === webhookUrl) &&
		overlaps(
			{ from: createdAt, until: createdAt },
			{ from: from - CLOCKS_MS, until: until + CLOCKS_MS },
		);

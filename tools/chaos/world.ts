import { z } from 'zod';
import { deactivate } from '../host/publishing';
import {
	queryDatabase,
	waitFor,
	type N8nCredential,
	type N8nPublication,
	type OutreachHost,
} from '../host';
import type { HookView, LoggedRequest } from '../service';
import { Coverage } from './coverage';
import { Deliveries } from './deliveries';
import type { Door } from './door';
import type { Model } from './model';
import type { Neighbour } from './neighbour';
import { createWorkflow, type PlacedWorkflow } from './placedWorkflow';
import { OnlySlot } from './onlySlot';
import { parametersFor, type Settings } from './settings';

/** A failing activation takes n8n a quarter of a minute, a slow one longer. */
const SETTLE_MS = 150_000;

let histories = 0;

/** What all histories share. */
export interface Surroundings {
	host: OutreachHost;
	door: Door;
	neighbour: Neighbour;
}

/** What one history happens to: workflows in n8n, and a team at the service that nobody else uses. */
export class World {
	readonly deliveries: Deliveries;
	readonly coverage: Coverage;
	readonly slot: OnlySlot;
	/** When n8n did not run, or was starting; milliseconds since 1970. */
	readonly downTimes: Array<{ from: number; until: number }> = [];
	/** When n8n's process was ready; `performance.now()`. */
	startedAt = 0;
	/** Workflows that were made on the way. */
	readonly helpers: string[] = [];
	readonly host: OutreachHost;
	readonly door: Door;

	private constructor(
		readonly surroundings: Surroundings,
		readonly credential: N8nCredential,
		readonly team: string,
		readonly workflows: PlacedWorkflow[],
		model: Model,
	) {
		this.host = surroundings.host;
		this.door = surroundings.door;
		this.deliveries = new Deliveries(this.host.service, team);
		this.coverage = new Coverage(model, this);
		this.slot = new OnlySlot(this);
	}

	/** Makes the workflows of a model; none of them is active yet. */
	static async create(surroundings: Surroundings, model: Model): Promise<World> {
		const { host, door } = surroundings;
		const number = ++histories;
		const apiKey = `chaos-key-${number}`;
		const team = `tea_chaos${number}`;
		host.service.addApiKey(apiKey, team);
		host.service.clearRequests();
		const credential = await host.server.client.createCredential({
			name: apiKey,
			type: 'outreachServiceApi',
			data: { baseUrl: door.baseUrl, apiKey },
		});
		const workflows: PlacedWorkflow[] = [];
		for (const { settings } of model.workflows) {
			workflows.push(await createWorkflow(host, credential, settings));
		}
		return new World(surroundings, credential, team, workflows, model);
	}

	get hooks(): HookView[] {
		return this.host.service.hooks(this.team);
	}

	/** What n8n has sent to the service in this history. */
	get requests(): readonly LoggedRequest[] {
		return this.host.service.requests;
	}

	workflow(place: number): PlacedWorkflow {
		const workflow = this.workflows[place];
		if (workflow === undefined) throw new Error(`There is no workflow ${place}`);
		return workflow;
	}

	/** The trigger that a production address belongs to, with or without the event. */
	triggerAt(targetUrl: string): { workflow: number; node: number; address: string } | undefined {
		const path = targetUrl.replace(/\/?(\?.*)?$/, '');
		for (const [workflow, { triggers }] of this.workflows.entries()) {
			const node = triggers.findIndex(({ address }) => address === path);
			if (node >= 0) return { workflow, node, address: path };
		}
		return undefined;
	}

	/** How far n8n is with what a user asked for last. */
	async publicationOf(place: number): Promise<N8nPublication> {
		return this.host.server.client.publicationOf(this.workflow(place).id);
	}

	/** Changes a trigger's settings; in an active workflow they count once it is activated again. */
	async change(workflow: number, node: number, settings: Settings): Promise<void> {
		const { client } = this.host.server;
		const { id, triggers } = this.workflow(workflow);
		const { nodes, connections, name } = await client.getWorkflow(id);
		const changed = nodes.map((one) =>
			one.name === triggers[node]?.name ? { ...one, parameters: parametersFor(settings) } : one,
		);
		await client.updateWorkflow(id, { name, nodes: changed, connections });
	}

	/** Waits until n8n is done with whatever it was asked. */
	async settled(): Promise<void> {
		for (const { id } of this.workflows) {
			await waitFor(
				`n8n to be done with workflow ${id}`,
				() => this.host.server.client.publicationOf(id),
				({ status }) => status !== 'in_progress',
				{ timeoutMs: SETTLE_MS },
			);
		}
	}

	/** Runs a statement on n8n's database. */
	async query<Row>(
		row: z.ZodType<Row, z.ZodTypeDef, unknown>,
		sql: string,
		parameters: Array<string | number> = [],
	): Promise<Row[]> {
		const { installation, server } = this.host;
		return queryDatabase(installation, server.userFolder, row, sql, parameters);
	}

	/**
	 * Ends n8n, and starts it again. A claim of the dead n8n on a workflow counts as run out, as if it had been down
	 * for the two minutes that this takes.
	 */
	async restart(
		how: 'kill' | 'stop',
		{ meanwhile, env }: { meanwhile?: () => Promise<void>; env?: Record<string, string> } = {},
	): Promise<void> {
		const { server } = this.host;
		// n8n would wait for the workflow that holds the slot.
		if (how === 'stop') this.slot.free();
		await (how === 'kill' ? server.kill() : server.stop());
		const down = { from: Date.now(), until: Number.POSITIVE_INFINITY };
		this.downTimes.push(down);
		this.slot.free();
		await this.query(
			z.unknown(),
			`UPDATE workflow_publication_outbox SET updatedAt = '2000-01-01 00:00:00.000' WHERE status = 'in_progress'`,
		);
		await meanwhile?.();
		this.startedAt = performance.now();
		await server.restart(env);
		down.until = Date.now();
	}

	/** Takes the workflows away again. What goes wrong here has been seen before, or will be in the next history. */
	async clear(): Promise<void> {
		this.coverage.stop();
		await this.slot.remove();
		const { client } = this.host.server;
		for (const id of [...this.workflows.map(({ id }) => id), ...this.helpers]) {
			await deactivate(this.host, id).catch(() => undefined);
			await client.deleteWorkflow(id).catch(() => undefined);
		}
		for (const { _id } of this.hooks) this.host.service.removeHook(_id);
	}
}

import { z } from 'zod';
import { deactivate } from '../e2e/trigger/publishing';
import { queryDatabase, waitFor, type OutreachHost } from '../host';
import type { HookView } from '../service';
import type { Door } from './door';
import type { WorkflowModel } from './model';
import { createWorkflow, type PlacedWorkflow } from './placedWorkflow';
import { parametersFor, type Settings } from './settings';

/** A failing activation takes n8n a quarter of a minute, a slow one longer. */
const SETTLE_MS = 150_000;

let histories = 0;

/** What one history happens to: workflows in n8n, and a team at the service that nobody else uses. */
export class World {
	private constructor(
		readonly host: OutreachHost,
		readonly door: Door,
		readonly team: string,
		readonly workflows: PlacedWorkflow[],
	) {}

	/** Makes the workflows of a model; none of them is active yet. */
	static async create(host: OutreachHost, door: Door, models: WorkflowModel[]): Promise<World> {
		const number = ++histories;
		const apiKey = `chaos-key-${number}`;
		const team = `tea_chaos${number}`;
		host.service.addApiKey(apiKey, team);
		const credential = await host.server.client.createCredential({
			name: apiKey,
			type: 'outreachServiceApi',
			data: { baseUrl: door.baseUrl, apiKey },
		});
		const workflows: PlacedWorkflow[] = [];
		for (const { settings } of models) {
			workflows.push(await createWorkflow(host, credential, settings));
		}
		return new World(host, door, team, workflows);
	}

	get hooks(): HookView[] {
		return this.host.service.hooks(this.team);
	}

	workflow(place: number): PlacedWorkflow {
		const workflow = this.workflows[place];
		if (workflow === undefined) throw new Error(`There is no workflow ${place}`);
		return workflow;
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
	async restart(how: 'kill' | 'stop', meanwhile?: () => Promise<void>): Promise<void> {
		const { server } = this.host;
		await (how === 'kill' ? server.kill() : server.stop());
		await this.query(
			z.unknown(),
			`UPDATE workflow_publication_outbox SET updatedAt = '2000-01-01 00:00:00.000' WHERE status = 'in_progress'`,
		);
		await meanwhile?.();
		await server.restart();
	}

	/** Takes the workflows away again. What goes wrong here has been seen before, or will be in the next history. */
	async clear(): Promise<void> {
		const { client } = this.host.server;
		for (const { id } of this.workflows) {
			await deactivate(this.host, id).catch(() => undefined);
			await client.deleteWorkflow(id).catch(() => undefined);
		}
		for (const { _id } of this.hooks) this.host.service.removeHook(_id);
	}
}

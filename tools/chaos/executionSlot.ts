import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { activate, deactivate } from '../host/publishing';
import { waitFor } from '../host';
import type { World } from './world';

/** n8n settings that allow one concurrent production execution, or any number. */
export const ONE_AT_A_TIME = { N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' };
export const ANY_NUMBER = { N8N_CONCURRENCY_PRODUCTION_LIMIT: '-1' };

/** Occupies n8n's only slot for production executions with a workflow that runs until it is released. */
export class ExecutionSlot {
	/** Whether n8n is currently limited to one production execution. */
	isOnly = false;
	private workflow: { id: string; url: string } | undefined;
	private notBefore = 0;

	constructor(private readonly world: World) {}

	/**
	 * Occupies the slot until `free`.
	 *
	 * @param forMs the minimum time before `freeWhenDue` frees it
	 */
	async take(forMs: number): Promise<void> {
		const { thirdParty } = this.world.environment;
		this.workflow ??= await this.create();
		const { url } = this.workflow;
		await fetch(url, { method: 'POST', signal: AbortSignal.timeout(30_000) });
		await waitFor(
			'the other workflow to run',
			() => thirdParty.blockedCalls(),
			(count) => count > 0,
		);
		this.notBefore = Date.now() + forMs;
	}

	free(): void {
		this.world.environment.thirdParty.release();
		this.notBefore = 0;
	}

	/** Frees the slot after its minimum time. */
	async freeWhenDue(): Promise<void> {
		await pause(Math.max(0, this.notBefore - Date.now()));
		this.free();
	}

	/** Removes the workflow and n8n's limit. */
	async remove(): Promise<void> {
		this.free();
		const { server } = this.world.host;
		if (this.isOnly) await this.world.restart('stop', { env: ANY_NUMBER });
		this.isOnly = false;
		if (this.workflow === undefined) return;
		await deactivate(this.world.host, this.workflow.id);
		await server.client.deleteWorkflow(this.workflow.id);
	}

	private async create() {
		const { host, environment } = this.world;
		const path = randomUUID();
		const node = (name: string, type: string, typeVersion: number, parameters: object) => ({
			id: randomUUID(),
			name,
			type: `n8n-nodes-base.${type}`,
			typeVersion,
			position: [0, 0] as [number, number],
			parameters: { ...parameters, options: {} },
			webhookId: randomUUID(),
		});
		const { id } = await host.server.client.createWorkflow({
			name: 'Occupies the slot',
			nodes: [
				node('Webhook', 'webhook', 2, { httpMethod: 'POST', path }),
				node('Wait for response', 'httpRequest', 4.2, { url: environment.thirdParty.blockingUrl }),
			],
			connections: {
				Webhook: { main: [[{ node: 'Wait for response', type: 'main', index: 0 }]] },
			},
		});
		await activate(host, id);
		return { id, url: `${host.server.url}/webhook/${path}` };
	}
}

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { activate, deactivate } from '../host/publishing';
import { waitFor } from '../host';
import type { World } from './world';

/** n8n's settings with one production execution at a time, and with any number. */
export const ONE_AT_A_TIME = { N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' };
export const ANY_NUMBER = { N8N_CONCURRENCY_PRODUCTION_LIMIT: '-1' };

/** With one production execution at a time: another workflow that runs for as long as it is told to. */
export class OnlySlot {
	/** Whether this n8n runs one production execution at a time. */
	isOnly = false;
	private workflow: { id: string; url: string } | undefined;
	private notBefore = 0;

	constructor(private readonly world: World) {}

	/** Takes the slot, and keeps it until `free`. @param forMs how long `freeInTime` keeps it at least */
	async take(forMs: number): Promise<void> {
		const { neighbour } = this.world.surroundings;
		this.workflow ??= await this.create();
		const { url } = this.workflow;
		await fetch(url, { method: 'POST', signal: AbortSignal.timeout(30_000) });
		await waitFor(
			'the other workflow to run',
			() => neighbour.waiting(),
			(count) => count > 0,
		);
		this.notBefore = Date.now() + forMs;
	}

	free(): void {
		this.world.surroundings.neighbour.letGo();
		this.notBefore = 0;
	}

	/** Frees the slot once it was held for as long as it should be. */
	async freeInTime(): Promise<void> {
		await pause(Math.max(0, this.notBefore - Date.now()));
		this.free();
	}

	/** Removes the workflow, and lets n8n run any number again. */
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
		const { host, surroundings } = this.world;
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
			name: 'Holds the slot',
			nodes: [
				node('Webhook', 'webhook', 2, { httpMethod: 'POST', path }),
				node('Wait for response', 'httpRequest', 4.2, { url: surroundings.neighbour.waitingRoom }),
			],
			connections: {
				Webhook: { main: [[{ node: 'Wait for response', type: 'main', index: 0 }]] },
			},
		});
		await activate(host, id);
		return { id, url: `${host.server.url}/webhook/${path}` };
	}
}

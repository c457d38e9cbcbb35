import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { waitFor, type OutreachHost } from '../host';
import { activate, deactivate } from '../host/publishing';
import { node } from '../host/workflows';
import type { ThirdParty } from './thirdParty';

/** n8n settings that allow one concurrent production execution, or any number. */
export const ONE_AT_A_TIME = { N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' };
export const ANY_NUMBER = { N8N_CONCURRENCY_PRODUCTION_LIMIT: '-1' };

/** Occupies n8n's only slot for production executions with a workflow that runs until it is released. */
export class ExecutionSlot {
	/** Whether n8n is currently limited to one production execution. */
	isOnly = false;
	private workflow: { id: string; url: string } | undefined;
	private notBefore = 0;

	constructor(
		private readonly host: OutreachHost,
		private readonly thirdParty: ThirdParty,
	) {}

	/**
	 * Occupies the slot until `free`.
	 *
	 * @param forMs the minimum time before `freeWhenDue` frees it
	 */
	async take(forMs: number): Promise<void> {
		this.workflow ??= await this.create();
		await fetch(this.workflow.url, { method: 'POST', signal: AbortSignal.timeout(30_000) });
		await waitFor(
			'the other workflow to run',
			() => this.thirdParty.blockedCalls(),
			(count) => count > 0,
		);
		this.notBefore = Date.now() + forMs;
	}

	free(): void {
		this.thirdParty.release();
		this.notBefore = 0;
	}

	/** Frees the slot after its minimum time. */
	async freeWhenDue(): Promise<void> {
		await pause(Math.max(0, this.notBefore - Date.now()));
		this.free();
	}

	/** Removes the workflow. */
	async remove(): Promise<void> {
		this.free();
		if (this.workflow === undefined) return;
		await deactivate(this.host, this.workflow.id);
		await this.host.server.client.deleteWorkflow(this.workflow.id);
	}

	private async create() {
		const { server } = this.host;
		const path = randomUUID();
		const webhook = node(
			'Webhook',
			'n8n-nodes-base.webhook',
			2,
			{ httpMethod: 'POST', path, options: {} },
			{ webhookId: randomUUID() },
		);
		const waiting = node('Wait for response', 'n8n-nodes-base.httpRequest', 4.2, {
			url: this.thirdParty.blockingUrl,
			options: {},
		});
		const { id } = await server.client.createWorkflow({
			name: 'Occupies the slot',
			nodes: [webhook, waiting],
			connections: { Webhook: { main: [[{ node: waiting.name, type: 'main', index: 0 }]] } },
		});
		await activate(this.host, id);
		return { id, url: `${server.url}/webhook/${path}` };
	}
}

import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Fault } from '../../service';
import { disturb, type Model } from '../model';
import type { World } from '../world';
import { isRefusal, tamper } from './service';
import { Step, workflowOf } from './step';

/** Something that goes wrong while n8n is down. */
export type Mishap =
	| { what: 'lost route' | 'lost static data'; workflow: number }
	| { what: 'remove' | 'disable'; webhook: number }
	| { what: 'service down'; forMs: number }
	| { what: 'fault'; fault: Fault };

async function apply(mishap: Mishap, model: Model, world: World): Promise<void> {
	switch (mishap.what) {
		case 'lost route':
			await world.query(z.unknown(), 'DELETE FROM webhook_entity WHERE workflowId = ?', [
				world.workflow(mishap.workflow).id,
			]);
			return;
		case 'lost static data':
			model.staticDataLost = true;
			await world.query(z.unknown(), 'UPDATE workflow_entity SET staticData = NULL WHERE id = ?', [
				world.workflow(mishap.workflow).id,
			]);
			return;
		case 'fault':
			model.refusing ||= isRefusal(mishap.fault);
			world.host.service.addFault(mishap.fault);
			return;
		case 'service down':
			world.proxy.goDownFor(mishap.forMs);
			return;
		default:
			tamper(model, world, mishap.what, mishap.webhook);
	}
}

const describe = (mishap: Mishap): string => {
	if ('workflow' in mishap) return `${mishap.what} of workflow ${mishap.workflow}`;
	if ('webhook' in mishap) return `${mishap.what} webhook ${mishap.webhook}`;
	if ('fault' in mishap) return `fault at the service: ${JSON.stringify(mishap.fault)}`;
	return `the service goes down for ${mishap.forMs} ms`;
};

/** Stops or kills n8n, optionally lets something go wrong, and restarts it. */
export class RestartN8n extends Step {
	readonly kind: string;

	constructor(
		private readonly how: 'kill' | 'stop',
		private readonly afterMs: number,
		private readonly mishaps: Mishap[],
		/** How long to wait afterwards, while n8n activates its workflows and retries failures. */
		private readonly waitMs = 0,
	) {
		super();
		this.kind = `${how} n8n`;
	}

	/** An inactive workflow has no route or static data to lose. */
	protected override isPossible(model: Model): boolean {
		return this.mishaps.every(
			(mishap) => !('workflow' in mishap) || workflowOf(model, mishap.workflow).active,
		);
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		disturb(model);
		await pause(this.afterMs);
		for (const workflow of model.workflows) {
			workflow.testRunDisturbed ||= workflow.listening;
			workflow.listening = false;
		}
		model.busy = false;
		await world.restart(this.how, {
			meanwhile: async () => {
				for (const mishap of this.mishaps) await apply(mishap, model, world);
			},
		});
		await pause(this.waitMs);
	}

	toString(): string {
		const meanwhile = this.mishaps.map(describe).join(' and ');
		return [
			`${this.how} n8n after ${this.afterMs} ms and restart it`,
			...(meanwhile === '' ? [] : [`meanwhile: ${meanwhile}`]),
			...(this.waitMs === 0 ? [] : [`then wait ${this.waitMs} ms`]),
		].join('; ');
	}
}

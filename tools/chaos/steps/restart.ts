import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Fault } from '../../service';
import type { Model } from '../model';
import type { World } from '../world';
import { isRefusal, tamper } from './service';
import { Step, workflowOf } from './step';

/** What happens while n8n is down. */
export type Mishap =
	| { what: 'lost route' | 'lost static data'; workflow: number }
	| { what: 'remove' | 'disable'; hook: number }
	| { what: 'service down'; forMs: number }
	| { what: 'fault'; fault: Fault };

async function befall(mishap: Mishap, model: Model, world: World): Promise<void> {
	switch (mishap.what) {
		case 'lost route':
			await world.query(z.unknown(), 'DELETE FROM webhook_entity WHERE workflowId = ?', [
				world.workflow(mishap.workflow).id,
			]);
			return;
		case 'lost static data':
			model.forgotten = true;
			await world.query(z.unknown(), 'UPDATE workflow_entity SET staticData = NULL WHERE id = ?', [
				world.workflow(mishap.workflow).id,
			]);
			return;
		case 'fault':
			model.refusing ||= isRefusal(mishap.fault);
			world.host.service.addFault(mishap.fault);
			return;
		case 'service down':
			world.door.closeFor(mishap.forMs);
			return;
		default:
			tamper(model, world, mishap.what, mishap.hook);
	}
}

const describe = (mishap: Mishap): string => {
	if ('workflow' in mishap) return `${mishap.what} of workflow ${mishap.workflow}`;
	if ('hook' in mishap) return `${mishap.what} hook ${mishap.hook}`;
	if ('fault' in mishap) return `fault at the service: ${JSON.stringify(mishap.fault)}`;
	return `the service goes down for ${mishap.forMs} ms`;
};

/** Ends n8n, lets something happen or nothing, and starts it again. */
export class RestartN8n extends Step {
	readonly kind: string;

	constructor(
		private readonly how: 'kill' | 'stop',
		private readonly afterMs: number,
		private readonly mishaps: Mishap[],
		/** How long n8n has to itself afterwards: it activates its workflows, and tries again what failed. */
		private readonly thenMs = 0,
	) {
		super();
		this.kind = `${how} n8n`;
	}

	/** Of an inactive workflow nothing is kept that could be lost. */
	protected override isPossible(model: Model): boolean {
		return this.mishaps.every(
			(mishap) => !('workflow' in mishap) || workflowOf(model, mishap.workflow).active,
		);
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		model.disturbed = true;
		await pause(this.afterMs);
		for (const workflow of model.workflows) {
			workflow.testRunDisturbed ||= workflow.listening;
			workflow.listening = false;
		}
		model.busy = false;
		await world.restart(this.how, {
			meanwhile: async () => {
				for (const mishap of this.mishaps) await befall(mishap, model, world);
			},
		});
		await pause(this.thenMs);
	}

	toString(): string {
		const meanwhile = this.mishaps.map(describe).join(' and ');
		return [
			`${this.how} n8n after ${this.afterMs} ms, and start it again`,
			...(meanwhile === '' ? [] : [`meanwhile: ${meanwhile}`]),
			...(this.thenMs === 0 ? [] : [`and ${this.thenMs} ms go by`]),
		].join('; ');
	}
}

import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Fault } from '../../service';
import { disturb, type Model } from '../model';
import type { World } from '../world';
import { applyFault, describeFault, tamper } from './service';
import { step, workflowOf, type Step } from './step';

/** Something that goes wrong while n8n is down. */
export type Mishap =
	| { what: 'lost route' | 'lost static data'; workflow: number }
	| { what: 'remove' | 'disable'; webhook: number }
	| { what: 'service down'; forMs: number }
	| { what: 'fault'; fault: Fault };

async function apply(mishap: Mishap, model: Model, world: World): Promise<void> {
	switch (mishap.what) {
		case 'lost route':
			await world.query(z.unknown(), 'DELETE FROM webhook_entity WHERE workflowId = $1', [
				world.workflow(mishap.workflow).id,
			]);
			return;
		case 'lost static data':
			model.staticDataLost = true;
			await world.query(z.unknown(), 'UPDATE workflow_entity SET staticData = NULL WHERE id = $1', [
				world.workflow(mishap.workflow).id,
			]);
			return;
		case 'fault':
			applyFault(model, world, mishap.fault);
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
	if ('fault' in mishap) return describeFault(mishap.fault);
	return `the service goes down for ${mishap.forMs} ms`;
};

/**
 * Stops or kills n8n, optionally lets something go wrong, and restarts it.
 *
 * @param waitMs how long to wait afterwards, while n8n activates its workflows and retries failures
 */
export const restartN8n = (
	how: 'kill' | 'stop',
	afterMs: number,
	mishaps: Mishap[],
	waitMs = 0,
): Step =>
	step({
		kind: `${how} n8n`,
		text: [
			`${how} n8n after ${afterMs} ms and restart it`,
			...(mishaps.length === 0 ? [] : [`meanwhile: ${mishaps.map(describe).join(' and ')}`]),
			...(waitMs === 0 ? [] : [`then wait ${waitMs} ms`]),
		].join('; '),
		// An inactive workflow has no route or static data to lose.
		isPossible: (model) =>
			mishaps.every(
				(mishap) => !('workflow' in mishap) || workflowOf(model, mishap.workflow).active,
			),
		run: async (model, world) => {
			disturb(model);
			await pause(afterMs);
			for (const workflow of model.workflows) {
				workflow.testRunDisturbed ||= workflow.listening;
				workflow.listening = false;
			}
			model.busy = false;
			await world.restart(how, {
				meanwhile: async () => {
					for (const mishap of mishaps) await apply(mishap, model, world);
				},
			});
			await pause(waitMs);
		},
	});

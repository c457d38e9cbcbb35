import { newActivityId } from '../../load/events';
import { ONE_AT_A_TIME } from '../executionSlot';
import { disturb } from '../model';
import { listed, step, type Step } from './step';

/** How the service delivers events; times in milliseconds. */
export interface Sending {
	types: string[];
	/** Whether all types belong to one activity, as for a reply that also warms a lead. */
	isOneActivity: boolean;
	/** How many copies each webhook receives at the same time. */
	copies: number;
	/** How long the sender waits for a response before it disconnects. */
	timeoutMs: number;
	redeliveries: number;
	redeliveryDelayMs: number;
	/** Whether to wait for all outcomes before the next step. */
	waits: boolean;
}

/** The service delivers events. */
export function sendEvents(sending: Sending): Step {
	const { types, isOneActivity, copies, waits } = sending;
	const { timeoutMs, redeliveries, redeliveryDelayMs } = sending;
	return step({
		kind: 'send events',
		text: listed(
			`send ${isOneActivity ? 'one activity as ' : ''}${types.join(' + ')}`,
			copies > 1 && `${copies} simultaneous copies`,
			`disconnect after ${timeoutMs} ms`,
			redeliveries > 0 && `up to ${redeliveries} retries after ${redeliveryDelayMs} ms`,
			waits && 'and wait for the outcome',
		),
		run: async (model, world) => {
			world.host.service.setSwitches({
				deliveryTimeoutMs: timeoutMs,
				redeliveries,
				redeliveryDelayMs,
				redeliveryFactor: 1,
			});
			// A test event ends the test run.
			for (const workflow of model.workflows) {
				workflow.testRunDisturbed ||= workflow.listening && model.disturbed;
			}
			const id = newActivityId();
			const sent = types.map((type) =>
				world.deliveries.send(type, { copies, ...(isOneActivity && { id }) }),
			);
			if (waits) await Promise.all(sent);
		},
	});
}

/**
 * Limits n8n to one production execution, and occupies that slot with another workflow.
 *
 * @param forMs the minimum time before a rest frees the slot
 */
export const occupyN8n = (forMs: number): Step =>
	step({
		kind: 'occupy n8n',
		text: `n8n runs one execution at a time, and another workflow occupies the slot${forMs === 0 ? '' : ` for at least ${forMs} ms`}`,
		isPossible: ({ busy }) => !busy,
		run: async (model, world) => {
			if (!world.slot.isOnly) {
				disturb(model);
				for (const workflow of model.workflows) {
					workflow.testRunDisturbed ||= workflow.listening;
					workflow.listening = false;
				}
				await world.restart('stop', { env: ONE_AT_A_TIME });
				world.slot.isOnly = true;
			}
			model.busy = true;
			await world.slot.take(forMs);
		},
	});

export const freeN8n = (): Step =>
	step({
		kind: 'free n8n',
		text: 'the other workflow finishes and frees the slot',
		isPossible: ({ busy }) => busy,
		run: (model, world) => {
			model.busy = false;
			world.slot.free();
		},
	});

import type {
	IExecuteFunctions,
	IHookFunctions,
	ILoadOptionsFunctions,
	ITriggerFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { throwIfCancelled } from './cancellation';

/** Every context of n8n from which the service is asked. */
export type ServiceContext =
	| IExecuteFunctions
	| IHookFunctions
	| ILoadOptionsFunctions
	| ITriggerFunctions
	| IWebhookFunctions;

/** Aborted when the user stops the execution; contexts outside an execution have none. */
export const cancelSignal = (ctx: ServiceContext): AbortSignal | undefined =>
	'getExecutionCancelSignal' in ctx ? ctx.getExecutionCancelSignal() : undefined;

/**
 * The same context, in which stopping the execution aborts another signal. n8n's HTTP helper takes the signal of an
 * execution from its context, whatever the options of a request say.
 */
export function withCancelSignal(ctx: ServiceContext, signal: AbortSignal): ServiceContext {
	if (!('getExecutionCancelSignal' in ctx)) return ctx;
	return new Proxy(ctx, {
		get: (target, name, receiver): unknown =>
			name === 'getExecutionCancelSignal' ? () => signal : Reflect.get(target, name, receiver),
	});
}

/**
 * Waits for so many milliseconds, or until it is cancelled.
 * @throws CancelledError
 */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
	throwIfCancelled(signal);
	if (!signal) {
		await sleep(ms);
		return;
	}
	let stop: () => void = () => undefined;
	const aborted = new Promise<void>((resolve) => {
		stop = resolve;
		signal.addEventListener('abort', stop, { once: true });
	});
	await Promise.race([sleep(ms), aborted]);
	signal.removeEventListener('abort', stop);
	throwIfCancelled(signal);
}

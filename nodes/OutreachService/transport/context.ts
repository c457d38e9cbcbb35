import type {
	IExecuteFunctions,
	IHookFunctions,
	ILoadOptionsFunctions,
	ITriggerFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

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

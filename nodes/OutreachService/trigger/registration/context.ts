/** n8n's context in a registration. */
import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

/** n8n's context in `create`, in `delete` and in `trigger()`. */
export type Context = IHookFunctions | ITriggerFunctions;

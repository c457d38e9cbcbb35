/** n8n's context in a registration, and the client for it. */
import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import { createClient, type Client } from '../../api/client';
import type { Runtime } from '../../runtime/runtime';
import type { Occasion } from './occasions';

/** n8n's context in `create`, in `delete` and in `trigger()`. */
export type Context = IHookFunctions | ITriggerFunctions;

/** A client whose requests wait as an occasion allows. @param signal cancels them */
export const clientFor = (
	ctx: Context,
	runtime: Runtime,
	{ policy }: Occasion,
	signal?: AbortSignal,
): Client => createClient(ctx, runtime, { policy, signal });

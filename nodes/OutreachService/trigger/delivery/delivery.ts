/** A delivery (§6): what is read of it, once, before anything is decided. */
import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod';

import { ALL_EVENTS } from '../../domain/eventTypes';
import type { TriggerUrl } from '../../domain/triggerUrl';
import type { Selection } from '../../parameters/selection';
import { nodeKey, type ActiveNode } from '../../runtime/activeNodes';
import type { Runtime } from '../../runtime/runtime';
import { jsonObjectSchema, parseJson } from '../../utils/json';
import { settle, settleSync, type Settled } from '../../utils/settle';
import { selectionForDelivery } from '../readSelection';

export type Delivery = {
	ctx: IWebhookFunctions;
	runtime: Runtime;
	/** Workflow and node, see `nodeKey`. */
	node: string;
	/** Whether n8n listens for a test event. */
	isTest: boolean;
	/** The active trigger; undefined in a test run, and in a process that does not know it, such as a webhook process. */
	active: ActiveNode | undefined;
	/** What the delivery must meet, or why the parameters cannot be used. */
	selection: Settled<Selection>;
	/** What the webhook delivers, as its target URL says. */
	target: Omit<TriggerUrl, 'base'>;
	/** The JSON object that was posted; undefined when there is none. */
	body: IDataObject | undefined;
	response: ReturnType<IWebhookFunctions['getResponseObject']>;
};

/** The query of a target URL. Without an event, or with several, it is the webhook for all events (§6.3). */
const querySchema = z
	.object({
		event: z.string().min(1).catch(ALL_EVENTS),
		campaign: z.string().min(1).optional().catch(undefined),
		first: z.literal('true').optional().catch(undefined),
	})
	.transform(({ event, campaign: campaignId, first }) => ({
		event,
		campaignId,
		isFirst: first !== undefined,
	}));

export async function readDelivery(ctx: IWebhookFunctions, runtime: Runtime): Promise<Delivery> {
	const isTest = ctx.getMode() === 'manual';
	const active = isTest ? undefined : runtime.activeNodes.get(ctx);
	const registered = active?.selection.ok ? active.selection.value : undefined;
	return {
		ctx,
		runtime,
		node: nodeKey(ctx),
		isTest,
		active,
		selection: settleSync(() => selectionForDelivery(ctx, registered)),
		target: querySchema.parse(ctx.getRequestObject().query),
		body: await readBody(ctx),
		response: ctx.getResponseObject(),
	};
}

const rawBodySchema = z.object({ rawBody: z.instanceof(Buffer) });

/** n8n parses a body as JSON only when its content type says so, and the API spec promises none (§6). */
async function readBody(ctx: IWebhookFunctions): Promise<IDataObject | undefined> {
	const request = ctx.getRequestObject();
	const isJson = request.headers['content-type']?.includes('json') === true;
	const parsed = isJson ? jsonObjectSchema.safeParse(request.body).data : undefined;
	// What n8n has not read is an empty object.
	if (parsed !== undefined && Object.keys(parsed).length > 0) return parsed;
	// A body that cannot be read, such as broken gzip, has no secret. An error thrown here would become a failed
	// execution, whoever sent it.
	const readRaw = async (): Promise<void> => {
		if ('readRawBody' in request && typeof request.readRawBody === 'function') {
			await request.readRawBody();
		}
	};
	const read = await settle(readRaw());
	if (!read.ok) {
		const { name } = ctx.getNode();
		ctx.logger.debug(`The body of a call to "${name}" could not be read: ${read.error.message}`);
	}
	const raw = rawBodySchema.safeParse(request).data?.rawBody;
	// Unlike toString(), it drops a byte order mark.
	const text = raw && new TextDecoder().decode(raw);
	return jsonObjectSchema.safeParse(text === undefined ? parsed : parseJson(text)).data;
}

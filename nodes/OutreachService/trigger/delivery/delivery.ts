/** A delivery (§6): what is read of it, once, before anything is decided. */
import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod';

import { targetQuerySchema, type TargetQuery } from '../../domain/triggerUrl';
import type { Selection } from '../../parameters/selection';
import { nodeKey, type TriggerNode } from '../../runtime/triggerNodes';
import { untilClosed } from '../../runtime/senderResponse';
import type { Runtime } from '../../runtime/runtime';
import { jsonObjectSchema, parseJson } from '../../utils/json';
import { settle, settleSync, type Outcome } from '../../utils/settle';
import { selectionForDelivery } from '../readSelection';

/** A delivery, as {@link readDelivery} has read it. */
export type Delivery = {
	ctx: IWebhookFunctions;
	runtime: Runtime;
	/** Workflow and node, see `nodeKey`. */
	nodeKey: string;
	/** Whether a test run waits for its event. */
	isTest: boolean;
	/** The node; undefined in a test run, and in a process in which it is not live, such as a webhook process. */
	liveNode: TriggerNode | undefined;
	/** The selection that the delivery must meet, or why the parameters cannot be used. */
	selection: Outcome<Selection>;
	/** Which activities the webhook delivers, as the query of its target URL says. */
	query: TargetQuery;
	/** The JSON object that was posted; undefined when there is none. */
	body: IDataObject | undefined;
	/** The size of what was posted, uncompressed. */
	bytes: number;
	response: ReturnType<IWebhookFunctions['getResponseObject']>;
};

/** Reads a delivery. Parameters that cannot be used, and a body that cannot be read, are values in it, and no errors. */
export async function readDelivery(ctx: IWebhookFunctions, runtime: Runtime): Promise<Delivery> {
	const isTest = ctx.getMode() === 'manual';
	const liveNode = isTest ? undefined : runtime.triggerNodes.active(ctx);
	const registeredSelection = liveNode?.selection.ok ? liveNode.selection.value : undefined;
	const body = await readBody(ctx);
	// Only now has n8n read the bytes, whatever the content type is.
	const bytes = rawBodyIn(ctx)?.length ?? 0;
	return {
		ctx,
		runtime,
		nodeKey: nodeKey(ctx),
		isTest,
		liveNode,
		selection: settleSync(() => selectionForDelivery(ctx, registeredSelection)),
		query: targetQuerySchema.parse(ctx.getRequestObject().query),
		body,
		bytes,
		response: ctx.getResponseObject(),
	};
}

const rawBodySchema = z.object({ rawBody: z.instanceof(Buffer) });

/** The bytes of a body that n8n has read. */
const rawBodyIn = (ctx: IWebhookFunctions): Buffer | undefined =>
	rawBodySchema.safeParse(ctx.getRequestObject()).data?.rawBody;

/** Reads the body. n8n parses it as JSON only if its content type says so, and the API promises no such type (§6). */
async function readBody(ctx: IWebhookFunctions): Promise<IDataObject | undefined> {
	const request = ctx.getRequestObject();
	const isJson = request.headers['content-type']?.includes('json') === true;
	const parsed = isJson ? jsonObjectSchema.safeParse(request.body).data : undefined;
	// An empty object may be a body that n8n has not read.
	if (parsed !== undefined && Object.keys(parsed).length > 0) return parsed;
	// A body that cannot be read, such as broken gzip, counts as one without a secret: if its error were thrown, anybody
	// could cause a failed execution.
	const readRaw = async (): Promise<void> => {
		if ('readRawBody' in request && typeof request.readRawBody === 'function') {
			await request.readRawBody();
		}
	};
	// n8n waits forever for the rest of a compressed body whose sender has disconnected.
	const read = await settle(Promise.race([readRaw(), untilClosed(ctx.getResponseObject())]));
	if (!read.ok) {
		const { name } = ctx.getNode();
		ctx.logger.debug(`The body of a call to "${name}" could not be read: ${read.error.message}`);
	}
	const raw = rawBodyIn(ctx);
	if (!raw) return parsed;
	// Unlike toString(), it drops a byte order mark.
	const text = new TextDecoder().decode(raw);
	return jsonObjectSchema.safeParse(parseJson(text)).data;
}

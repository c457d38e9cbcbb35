/** Sends a create, which goes on after the change that has sent it (D81). */
import type { Client } from '../../api/client';
import type { RequestError } from '../../api/errors';
import { connectionError } from '../../api/noResponse';
import { within } from '../../api/within';
import type { DesiredWebhook } from '../../domain/registration';
import type { Webhook } from '../../domain/webhook';
import {
	endOf,
	type CreateEnd,
	type OpenCreate,
	type OpenCreates,
} from '../../runtime/openCreates';
import { deferred } from '../../utils/deferred';
import { settle } from '../../utils/settle';

/**
 * How long the response to a create of a trigger may take, in milliseconds. Services were seen to take 45 seconds; whoever
 * sends the create does not wait that long (D81).
 */
const LONGEST_CREATE_MS = 120_000;

/** What an error says of a create whose response takes too long. */
const OUTCOME_UNKNOWN =
	'Whether the webhook was created is not known yet. n8n waits for its outcome for ten minutes, and creates no second one meanwhile.';

/**
 * Sends a create (§4.2), and notes it as open when its request is sent. Never throws.
 * @param options.key identifies the node's webhooks, see `registrationKey`
 * @param options.listed the webhooks that were listed before
 * @returns the create, once its request was sent, or has failed before that; its `end` tells how it ends
 */
export async function sendCreate(
	client: Client,
	openCreates: OpenCreates,
	desired: DesiredWebhook,
	{ key, listed }: { key: string; listed: readonly Webhook[] },
): Promise<OpenCreate> {
	const sent = deferred<undefined>();
	const end = deferred<CreateEnd>();
	const open: OpenCreate = {
		desired,
		listedBefore: new Set(listed.map(({ _id }) => _id)),
		sentAt: performance.now(),
		end: end.promise,
		hasFailed: false,
	};
	const onSent = (): void => {
		open.sentAt = performance.now();
		openCreates.add(key, open);
		sent.resolve(undefined);
	};
	const create = async (): Promise<Webhook> => {
		const secret = await client.secretFor(desired.targetUrl);
		const settings = { ...desired, secret };
		return await client.create(settings, { timeoutMs: LONGEST_CREATE_MS, onSent });
	};
	const receiveEnd = async (): Promise<void> => {
		const ended = endOf(await settle(create()));
		// A create that was cancelled itself was not sent: once it is sent, a cancelled change leaves it alone.
		open.hasFailed = ended.kind !== 'made' && ended.kind !== 'noResponse';
		end.resolve(ended);
	};
	void receiveEnd();
	await Promise.race([sent.promise, end.promise]);
	return open;
}

/**
 * Waits for the end of an open create.
 * @param client its signal ends the waiting, as does the end of `longestMs`; the create goes on
 * @throws RequestError when this no longer waits: `cancelled` or `timeout`
 */
export async function waitForEnd(
	open: OpenCreate,
	client: Client,
	longestMs: number,
): Promise<CreateEnd> {
	// It is known by now, because the list was requested with the same client.
	const url = await client.baseUrl();
	const tooLong = (): RequestError =>
		connectionError({ code: 'ETIMEDOUT' }, url).with(OUTCOME_UNKNOWN);
	const deadline = { ms: longestMs, error: tooLong };
	return await within({ cancel: client.signal, deadline }, async () => await open.end);
}

/** Sends a create, which goes on after the change that has sent it (D81). */
import type { Client } from '../../api/client';
import { mayBeUnderWay, settleRequest, type RequestError } from '../../api/errors';
import { connectionError } from '../../api/noResponse';
import { within } from '../../api/within';
import type { DesiredWebhook } from '../../domain/registration';
import type { Webhook } from '../../domain/webhook';
import type { OpenCreate } from '../../runtime/openCreates';
import { deferred } from '../../utils/deferred';
import { settle, type Outcome } from '../../utils/settle';

/**
 * How long the response to a create of a trigger may take, in milliseconds. Services were seen to take 45 seconds; whoever
 * sends the create does not wait that long (D81).
 */
const LONGEST_CREATE_MS = 120_000;

/** What an error says of a create whose response takes too long. */
const OUTCOME_UNKNOWN =
	'Whether the webhook was created is not known yet. n8n waits for its outcome for ten minutes, and creates no second one meanwhile.';

/** What an error says of a create whose latest attempt has failed, and that waits to be sent again. */
const MAY_BE_SENT_AGAIN = 'The webhook is not created yet. n8n may send the request again.';

/**
 * Sends a create (§4.2). Never throws.
 * @param options.listed the webhooks that were listed before
 * @param options.onSent called each time its request is sent: from then on, the create is open
 * @returns the create, once its request was sent, or has failed before that; its `end` tells how it ends
 */
export async function sendCreate(
	client: Client,
	desired: DesiredWebhook,
	{ listed, onSent }: { listed: readonly Webhook[]; onSent: (open: OpenCreate) => void },
): Promise<OpenCreate> {
	const sent = deferred<undefined>();
	const end = deferred<Outcome<Webhook>>();
	const open: OpenCreate = {
		desired,
		listedBefore: new Set(listed.map(({ _id }) => _id)),
		failedAttempt: undefined,
		end: end.promise,
		isDoneWithout: false,
	};
	const create = async (): Promise<Webhook> => {
		const secret = await client.secretFor(desired.targetUrl);
		const settings = { ...desired, secret };
		return await client.create(settings, {
			timeoutMs: LONGEST_CREATE_MS,
			onSent: () => {
				open.failedAttempt = undefined;
				onSent(open);
				sent.resolve(undefined);
			},
			onFailedAttempt: (error) => {
				open.failedAttempt = error;
			},
		});
	};
	const receiveEnd = async (): Promise<void> => {
		const ended = await settle(create());
		open.isDoneWithout = !ended.ok && !mayBeUnderWay(ended.error);
		end.resolve(ended);
	};
	void receiveEnd();
	// Not before its request is sent: whoever waits for its end gives it so many seconds, and the time in the queue is not among them.
	await Promise.race([sent.promise, end.promise]);
	return open;
}

/** How a change has waited for a create: until its end; or it no longer waits, for a reason, and the create goes on. */
export type Waited =
	| { hasEnded: true; end: Outcome<Webhook> }
	| { hasEnded: false; error: RequestError };

/**
 * Waits for the end of an open create.
 * @param client its signal ends the waiting, as does the end of `longestMs`
 * @returns if this no longer waits, its `error` is `cancelled`, `timeout`, or why the latest attempt has failed
 */
export async function waitForEnd(
	open: OpenCreate,
	client: Client,
	longestMs: number,
): Promise<Waited> {
	const untilEnd = async (): Promise<Outcome<Webhook>> => {
		const serviceUrl = await client.baseUrl();
		const tooLong = (): RequestError =>
			open.failedAttempt?.with(MAY_BE_SENT_AGAIN) ??
			connectionError({ code: 'ETIMEDOUT' }, serviceUrl).with(OUTCOME_UNKNOWN);
		const deadline = { ms: longestMs, error: tooLong };
		return await within({ signal: client.signal, deadline }, async () => await open.end);
	};
	const waited = await settleRequest(untilEnd());
	return waited.ok
		? { hasEnded: true, end: waited.value }
		: { hasEnded: false, error: waited.error };
}

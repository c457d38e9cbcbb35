/** Creates whose outcome is not known, and the ways in which one may end. */
import { RequestError } from '../api/errors';
import type { DesiredWebhook } from '../domain/registration';
import type { Webhook } from '../domain/webhook';
import type { Outcome } from '../utils/settle';

/** How long a create without a response stays open, in milliseconds. Then it is given up, and may be sent again. */
const LONGEST_OPEN_MS = 10 * 60_000;

/** The statuses of a gateway that has given up waiting, while the service behind it may go on: 524 is that of a CDN. */
const GATEWAY_TIMEOUTS: ReadonlyArray<number | undefined> = [408, 504, 524];

/**
 * How a create has ended:
 *
 * - `made`: the service has returned a webhook, which may have existed before.
 * - `urlTaken`: the service has refused the create, because a webhook has the target URL already (D7).
 * - `notMade`: there is no webhook. The service has refused the create, or the create was not sent.
 * - `unclear`: the service has responded, and does not say clearly whether there is a webhook.
 * - `cutOff`: the connection was cut off. There is a webhook if the service had read the request by then.
 * - `noResponse`: nobody waits for the response any longer. The service may still be making the webhook.
 * - `cancelled`: the change was cancelled before the request was sent, or after the rate limit had refused it. There is no
 *   webhook.
 *
 * After all but `noResponse`, the service is done, and the list shows whether there is a webhook.
 */
export type CreateEnd =
	| { kind: 'made'; webhook: Webhook }
	| { kind: 'notMade'; error: Error }
	| { kind: 'urlTaken' | 'unclear' | 'cutOff' | 'noResponse' | 'cancelled'; error: RequestError };

/** Tells how a create has ended. */
export function endOf(outcome: Outcome<Webhook>): CreateEnd {
	if (outcome.ok) return { kind: 'made', webhook: outcome.value };
	const { error } = outcome;
	// n8n has an error of its own when it has not sent the request.
	if (!(error instanceof RequestError)) return { kind: 'notMade', error };
	switch (error.failure) {
		case 'cancelled':
			return { kind: 'cancelled', error };
		case 'conflict':
			return { kind: 'urlTaken', error };
		case 'cutOff':
			return { kind: 'cutOff', error };
		case 'timeout':
			return { kind: 'noResponse', error };
		case 'server': {
			const isOfGateway = GATEWAY_TIMEOUTS.includes(error.details.status);
			return { kind: isOfGateway ? 'noResponse' : 'unclear', error };
		}
		default:
			return { kind: error.maybeDone ? 'unclear' : 'notMade', error };
	}
}

/** A create that was sent, and whose outcome is not known (D81). */
export type OpenCreate = {
	/** The webhook that it is to make. */
	desired: DesiredWebhook;
	/** The IDs of the webhooks that were listed before it was sent: none of them is its result. */
	listedBefore: ReadonlySet<string>;
	/** When it was sent, as `performance.now()` tells it. */
	sentAt: number;
	/** How it ends, once the response arrives or never will: its change may have ended long before. Never rejects. */
	end: Promise<CreateEnd>;
	/** Whether it has failed, and the service is done with it: a list that is requested from now on tells what came of it. */
	hasFailed: boolean;
};

/**
 * The open creates of each node, by `registrationKey`. While a create is open, no second one is sent for its target URL: a
 * service that takes long would otherwise make another webhook for each attempt, and deliver each event once for every
 * one of them.
 */
export class OpenCreates {
	private readonly byKey = new Map<string, OpenCreate[]>();

	/** The number of open creates. */
	get size(): number {
		let size = 0;
		for (const open of this.byKey.values()) size += open.length;
		return size;
	}

	/** The open creates of a node. @param key see `registrationKey` */
	of(key: string): readonly OpenCreate[] {
		return this.byKey.get(key) ?? [];
	}

	/** Adds a create, once. Those of nodes that nobody changes any more expire here, too. */
	add(key: string, create: OpenCreate): void {
		for (const other of this.byKey.keys()) this.closeExpired(other);
		const others = this.of(key).filter((open) => open !== create);
		this.byKey.set(key, [...others, create]);
	}

	/** Closes a create whose outcome is known, or which is given up. */
	close(key: string, create: OpenCreate): void {
		const others = this.of(key).filter((open) => open !== create);
		if (others.length === 0) this.byKey.delete(key);
		else this.byKey.set(key, others);
	}

	/** Gives up the creates that have been open for too long. */
	closeExpired(key: string): void {
		for (const create of this.of(key)) {
			const ageMs = performance.now() - create.sentAt;
			if (ageMs > LONGEST_OPEN_MS) this.close(key, create);
		}
	}
}

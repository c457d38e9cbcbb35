/** Creates whose outcome is not known. */
import type { RequestError } from '../api/errors';
import type { DesiredWebhook } from '../domain/registration';
import type { WebhookBase } from '../domain/triggerUrl';
import type { Webhook } from '../domain/webhook';
import type { Outcome } from '../utils/settle';
import { registrationKey, type NodeInWorkflow } from './triggerNodes';

/** How long a create whose outcome is not known stays open, in milliseconds. Then it is given up, and may be sent again. */
const LONGEST_OPEN_MS = 10 * 60_000;

/**
 * A create that was sent, and whose outcome is not known (D81):
 *
 * 1. It is sent (`sendCreate`). Its request may be sent again, such as when the service asks to wait.
 * 2. Its request ends, perhaps long after its change (`end`).
 * 3. It is closed once it is known whether there is a webhook. If its response does not say that, only a list tells.
 */
export type OpenCreate = {
	/** The webhook that it is to make. */
	desired: DesiredWebhook;
	/** The IDs of the webhooks that were listed before it was sent: none of them is its result. */
	listedBefore: ReadonlySet<string>;
	/** Why its latest attempt has failed, if the service has responded; undefined while an attempt is under way. */
	failedAttempt: RequestError | undefined;
	/**
	 * The webhook that the service has returned, which may have existed before; or why it returned none. Its change may have
	 * ended long before. Never rejects.
	 */
	end: Promise<Outcome<Webhook>>;
	/**
	 * Whether the service is taken to be done with its request, and has returned no webhook: not before its end is known, nor while
	 * the service may still carry it out. If that leaves open whether there is one, a list that is requested from now on tells.
	 */
	isDoneWithout: boolean;
};

/**
 * The open creates of this process. While a create is open, no second one is sent for its target URL with the same key to the
 * same service, unless its connection was cut off: a service that takes long would otherwise make another webhook for each attempt,
 * and deliver each event once for every one of them.
 */
export class OpenCreates {
	/** The node and the base of each (see `registrationKey`), and when it was sent, as `performance.now()` tells it. */
	private readonly creates = new Map<OpenCreate, { key: string; sentAt: number }>();

	get size(): number {
		return this.creates.size;
	}

	/** The open creates of a node at a base. */
	of(ctx: NodeInWorkflow, base: WebhookBase): OpenCreate[] {
		const key = registrationKey(ctx, base);
		const ofNode = [...this.creates].filter(([, noted]) => noted.key === key);
		return ofNode.map(([create]) => create);
	}

	has(create: OpenCreate): boolean {
		return this.creates.has(create);
	}

	/**
	 * Notes that a create of a node is being sent, perhaps once more. Those of nodes that nobody changes any more expire here,
	 * too.
	 */
	add(ctx: NodeInWorkflow, base: WebhookBase, create: OpenCreate): void {
		this.closeExpired();
		this.creates.set(create, { key: registrationKey(ctx, base), sentAt: performance.now() });
	}

	/** Closes a create whose outcome is known, or which is given up. */
	close(create: OpenCreate): void {
		this.creates.delete(create);
	}

	/** Gives up the creates that have been open for too long. */
	closeExpired(): void {
		for (const [create, { sentAt }] of this.creates) {
			if (performance.now() - sentAt > LONGEST_OPEN_MS) this.close(create);
		}
	}
}

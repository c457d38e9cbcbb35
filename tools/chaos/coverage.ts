import type { LoggedRequest } from '../service';
import { expectedHooks, isAsExpected, text } from './judge';
import type { Model } from './model';
import type { World } from './world';

/** The longest time between the creates of one operation, in milliseconds. */
const OPERATION_MS = 10_000;

/**
 * Watches every change of the service's webhooks: no failure may take one away that was in force and that a published
 * workflow still needs, not even for a moment. Excepted are what a user asked for (the workflow is not steady then),
 * what somebody does at the service by hand, and a create that is taken back because another one of the same operation
 * failed.
 */
export class Coverage {
	/** A line for each webhook that went and must not have gone. */
	readonly losses: string[] = [];
	/** Since when (`performance.now()`) each webhook that the model demands has been in force. */
	private readonly since = new Map<string, number>();
	private isByHand = false;
	private readonly end: () => void;

	constructor(
		private readonly model: Model,
		private readonly world: World,
	) {
		this.end = world.host.service.onHooksChange(() => this.observe());
	}

	stop(): void {
		this.end();
	}

	/** Somebody changes the webhooks at the service: what is missing afterwards is not n8n's doing. */
	byHand<Result>(change: () => Result): Result {
		this.isByHand = true;
		try {
			const result = change();
			this.observe();
			return result;
		} finally {
			this.isByHand = false;
		}
	}

	/** Compares the service's webhooks with those that there must be. */
	observe(): void {
		const demanded = new Set<string>();
		for (const expected of expectedHooks(this.model, this.world, ({ steady }) => steady)) {
			const key = text(expected);
			demanded.add(key);
			const isThere = this.world.hooks.some((hook) => isAsExpected(hook, expected));
			const since = this.since.get(key);
			if (isThere) this.since.set(key, since ?? performance.now());
			else if (since !== undefined) this.gone(key, since);
		}
		for (const key of this.since.keys()) if (!demanded.has(key)) this.since.delete(key);
	}

	private gone(key: string, since: number): void {
		this.since.delete(key);
		if (this.isByHand || this.isTakenBack(since)) return;
		const cause = this.world.requests.findLast(({ method }) => method === 'DELETE');
		this.losses.push(`taken away though still needed: ${key} (by ${describe(cause)})`);
	}

	/** Whether a create failed beside the one that brought this webhook. An operation does not outlive its process. */
	private isTakenBack(since: number): boolean {
		return (
			since > this.world.startedAt &&
			this.world.requests.some(
				({ method, at, status = 0, faults }) =>
					method === 'POST' &&
					Math.abs(at - since) < OPERATION_MS &&
					(status < 200 || status > 299 || faults.some((fault) => fault !== 'delay')),
			)
		);
	}
}

const describe = (request: LoggedRequest | undefined) =>
	request === undefined ? 'nobody' : `${request.method} ${request.path}`;

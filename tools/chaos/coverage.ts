import { z } from 'zod';
import type { LoggedRequest, RunningService } from '../service';
import type { ChaosWorkflow, Registered } from './chaosWorkflow';
import { expectedWebhooks, isAsExpected, text } from './desiredWebhooks';
import type { Model } from './model';

/** The maximum time between the creates of one operation, in milliseconds. */
const OPERATION_MS = 10_000;
/** The maximum time from a failed create to the last removal that it causes, in milliseconds. */
const ROLLBACK_MS = 30_000;

/** What `Coverage` watches. */
export interface Watched extends Registered {
	/** The requests that n8n has sent to the service. */
	readonly requests: readonly LoggedRequest[];
	/** When n8n was last started (`performance.now()`). */
	readonly startedAt: number;
}

/**
 * Watches every change of the service's webhooks: no failure may remove a working webhook that a published workflow
 * still needs, not even for a moment. Exceptions: the user is changing the workflow (it is not `published` then),
 * somebody changes the webhook directly at the service, or a create is rolled back because another one of the same
 * operation failed.
 */
export class Coverage {
	/** A line for each webhook that was removed and should not have been. */
	readonly losses: string[] = [];
	/** When each required webhook started working (`performance.now()`). */
	private readonly since = new Map<string, number>();
	private isByHand = false;
	private readonly end: () => void;

	constructor(
		private readonly model: Model,
		private readonly world: Watched,
		service: RunningService,
	) {
		this.end = service.onHooksChange(() => this.observe());
	}

	stop(): void {
		this.end();
	}

	/** Changes webhooks directly at the service; n8n is not responsible for what is missing afterwards. */
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

	/** Compares the service's webhooks with the required ones. */
	observe(): void {
		const required = new Set<string>();
		for (const expected of expectedWebhooks(this.model, this.world, ({ published }) => published)) {
			const key = text(expected);
			required.add(key);
			const isThere = this.world.webhooks.some((webhook) => isAsExpected(webhook, expected));
			const since = this.since.get(key);
			if (isThere) this.since.set(key, since ?? performance.now());
			else if (since !== undefined) this.recordLoss(key, since);
		}
		for (const key of this.since.keys()) if (!required.has(key)) this.since.delete(key);
	}

	private recordLoss(key: string, since: number): void {
		this.since.delete(key);
		if (this.isByHand || this.isRolledBack(key, since)) return;
		const cause = this.world.requests.findLast(({ method }) => method === 'DELETE');
		this.losses.push(`removed although still needed: ${key} (by ${describe(cause)})`);
	}

	/**
	 * Whether a create of the same operation failed, a moment ago and close to when the webhook was created. An operation
	 * creates the webhooks of one workflow, and ends with its process.
	 */
	private isRolledBack(key: string, since: number): boolean {
		const isOf = (targetUrl: string, { triggers }: ChaosWorkflow) =>
			triggers.some(({ webhookUrl }) => targetUrl.startsWith(webhookUrl));
		const workflow = this.world.workflows.find((one) => isOf(key, one));
		return (
			since > this.world.startedAt &&
			this.world.requests.some(
				({ method, body, at, ms, status = 0, faults }) =>
					method === 'POST' &&
					workflow !== undefined &&
					isOf(targetUrlIn(body), workflow) &&
					ms !== undefined &&
					Math.abs(at - since) < OPERATION_MS &&
					performance.now() - (at + ms) < ROLLBACK_MS &&
					(status < 200 || status > 299 || faults.some((fault) => fault !== 'delay')),
			)
		);
	}
}

const createSchema = z.object({ targetUrl: z.string() });

const targetUrlIn = (body: unknown): string => createSchema.safeParse(body).data?.targetUrl ?? '';

const describe = (request: LoggedRequest | undefined) =>
	request === undefined ? 'no request' : `${request.method} ${request.path}`;

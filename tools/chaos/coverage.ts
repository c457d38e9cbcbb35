import { z } from 'zod';
import type { HookView, LoggedRequest, RunningService } from '../service';
import { lineOf } from './settings';
import { requiredWebhooks, type ChaosWorkflow } from './workflows';

/** The maximum time between the creates of one operation, in milliseconds. */
const OPERATION_MS = 10_000;
/** The maximum time from a failed create to the last removal that it causes, in milliseconds. */
const ROLLBACK_MS = 30_000;

/** What `Coverage` watches. */
interface Watched {
	readonly workflows: readonly ChaosWorkflow[];
	readonly webhooks: readonly HookView[];
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
	readonly stop: () => void;

	constructor(
		private readonly world: Watched,
		service: RunningService,
	) {
		this.stop = service.onHooksChange(() => this.observe());
	}

	/** Changes webhooks directly at the service; n8n is not responsible for what is missing afterwards. */
	byHand(change: () => unknown): void {
		this.isByHand = true;
		change();
		this.observe();
		this.isByHand = false;
	}

	/** Compares the service's webhooks with the required ones. */
	observe(): void {
		const required = new Set(requiredWebhooks(this.world.workflows));
		const working = new Set(this.world.webhooks.map(lineOf));
		for (const webhook of required) {
			const since = this.since.get(webhook);
			if (working.has(webhook)) this.since.set(webhook, since ?? performance.now());
			else if (since !== undefined) this.recordLoss(webhook, since);
		}
		for (const webhook of this.since.keys()) {
			if (!required.has(webhook)) this.since.delete(webhook);
		}
	}

	private recordLoss(webhook: string, since: number): void {
		this.since.delete(webhook);
		if (this.isByHand || this.isRolledBack(webhook, since)) return;
		const cause = this.world.requests.findLast(({ method }) => method === 'DELETE');
		this.losses.push(`removed although still needed: ${webhook} (by DELETE ${cause?.path ?? '–'})`);
	}

	/**
	 * Whether a create of the same operation failed, a moment ago and close to when the webhook was created. An operation
	 * creates the webhooks of one workflow, and ends with its process.
	 */
	private isRolledBack(webhook: string, since: number): boolean {
		const isOf = (targetUrl: string, { triggers }: ChaosWorkflow) =>
			triggers.some(({ webhookUrl }) => targetUrl.startsWith(webhookUrl));
		const workflow = this.world.workflows.find((one) => isOf(webhook, one));
		return (
			since > this.world.startedAt &&
			this.world.requests.some(
				({ method, body, at, ms, status = 0, faults }) =>
					method === 'POST' &&
					workflow !== undefined &&
					isOf(createSchema.safeParse(body).data?.targetUrl ?? '', workflow) &&
					ms !== undefined &&
					Math.abs(at - since) < OPERATION_MS &&
					performance.now() - (at + ms) < ROLLBACK_MS &&
					(status < 200 || status > 299 || faults.some((fault) => fault !== 'delay')),
			)
		);
	}
}

const createSchema = z.object({ targetUrl: z.string() });

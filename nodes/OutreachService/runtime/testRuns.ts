/** The test runs of this process. */
import type { Sample } from '../domain/sample';
import type { Digest } from '../domain/secret';
import type { WebhookBase } from '../domain/triggerUrl';
import { nodeKey, type NodeInWorkflow } from './triggerNodes';

/** A test run of a node, while n8n listens for its event. Its webhooks are needed only meanwhile (D84). */
export type TestRun = {
	/** n8n's test URL of the node, whatever path it has. */
	base: WebhookBase;
	/** Whether it waits for a real event, or has replaced a test run that does: its end removes the webhooks. */
	hasWebhooks: boolean;
	/** The sample for which it waits; undefined with a real event. */
	awaitedSample?: {
		/** The event that the sample's target URL names. */
		event: string;
		/** The digest of the secret that the sample carries. */
		digest: Digest;
		/** The samples of other events that start the workflow together with it. */
		others: readonly Sample[];
	};
};

/** The test runs of this process: one for each node at most. */
export class TestRuns {
	private readonly testRuns = new Map<string, TestRun>();

	/** The bases of all test runs of each node, also of those that are over: another webhook ID gives it another base. */
	private readonly bases = new Map<string, Set<WebhookBase>>();

	get size(): number {
		return this.bases.size;
	}

	/** The test run of the node; undefined unless n8n listens for its event. */
	of(ctx: NodeInWorkflow): TestRun | undefined {
		return this.testRuns.get(nodeKey(ctx));
	}

	/** Whether a test run has webhooks, which its end removes. */
	hasWebhooks(ctx: NodeInWorkflow): boolean {
		return this.of(ctx)?.hasWebhooks === true;
	}

	/** Whether a test run has webhooks at a base, which its end removes. */
	hasWebhooksAt(ctx: NodeInWorkflow, base: WebhookBase): boolean {
		return this.hasWebhooks(ctx) && this.of(ctx)?.base === base;
	}

	/** Whether a base is that of a test run of the node, also once it is over, and others have begun at another base. */
	isBaseOf(ctx: NodeInWorkflow, base: WebhookBase): boolean {
		return this.bases.get(nodeKey(ctx))?.has(base) === true;
	}

	/** Notes that a test run waits for its event. @returns the test run, to which is added what it waits for */
	begin(ctx: NodeInWorkflow, base: WebhookBase): TestRun {
		const testRun: TestRun = { base, hasWebhooks: this.hasWebhooks(ctx) };
		this.testRuns.set(nodeKey(ctx), testRun);
		this.addBase(ctx, base);
		return testRun;
	}

	/**
	 * Notes that n8n no longer listens at a base. The base is kept, because n8n may call `delete` once more, and only the URL
	 * tells that it means the test run.
	 */
	end(ctx: NodeInWorkflow, base: WebhookBase): void {
		if (this.of(ctx)?.base === base) this.testRuns.delete(nodeKey(ctx));
		this.addBase(ctx, base);
	}

	private addBase(ctx: NodeInWorkflow, base: WebhookBase): void {
		const key = nodeKey(ctx);
		this.bases.set(key, (this.bases.get(key) ?? new Set()).add(base));
	}
}

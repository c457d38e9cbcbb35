/** The latest test run of each node in this process. */
import type { Sample } from '../domain/sample';
import type { Digest } from '../domain/secret';
import type { WebhookBase } from '../domain/triggerUrl';
import { nodeKey, type NodeInWorkflow } from './activeNodes';

/** A test run of a node. */
export type TestRun = {
	/** The test URL of its webhooks, whatever path n8n gives it. */
	base: WebhookBase;
	/** Whether n8n listens for its event. The webhooks at the test URL are needed only meanwhile (D84). */
	isListening: boolean;
	/** The sample for which it waits; undefined with a real event. */
	sample?: {
		/** The event that the sample's target URL names. */
		event: string;
		/** The digest of the secret that the sample carries. */
		digest: Digest;
		/** The samples of other events that start the workflow together with it. */
		others: readonly Sample[];
	};
};

/** The latest test run of each node in this process. */
export class TestRuns {
	private readonly testRuns = new Map<string, TestRun>();

	get size(): number {
		return this.testRuns.size;
	}

	/** The latest test run of the node. */
	of(ctx: NodeInWorkflow): TestRun | undefined {
		return this.testRuns.get(nodeKey(ctx));
	}

	/** Notes that n8n listens for a test event. @returns the test run, to which a sample can be added */
	begin(ctx: NodeInWorkflow, base: WebhookBase): TestRun {
		const testRun: TestRun = { base, isListening: true };
		this.testRuns.set(nodeKey(ctx), testRun);
		return testRun;
	}

	/**
	 * Notes that n8n no longer listens. The URL is kept, because n8n may call `delete` once more, and only the URL tells that
	 * it means the test run.
	 */
	end(ctx: NodeInWorkflow, base: WebhookBase): void {
		this.testRuns.set(nodeKey(ctx), { base, isListening: false });
	}
}

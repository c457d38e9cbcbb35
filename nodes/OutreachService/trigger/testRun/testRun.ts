/** A test run. With a real event, it has webhooks of its own, at n8n's test URL, for as long as n8n listens. */
import type { IHookFunctions } from 'n8n-workflow';

import { createClient } from '../../api/client';
import { USER } from '../../api/policy';
import type { WebhookBase } from '../../domain/triggerUrl';
import type { Runtime } from '../../runtime/runtime';
import { readSelection } from '../readSelection';
import { TEST_RUN } from '../registration/occasions';
import { reconcile } from '../registration/reconcile';
import { unregisterTestRun } from '../registration/unregister';
import { startSampleRun } from './sampleRun';
import { readRegistration, writeRegistration } from '../staticData';
import { readBase } from '../registration/base';

/**
 * Begins a test run: registers its webhooks, or sends a sample.
 * @throws NodeOperationError, RequestError when this fails; n8n then calls `delete`
 */
export async function beginTestRun(ctx: IHookFunctions, runtime: Runtime): Promise<void> {
	const { triggerNodes, testRuns } = runtime;
	const base = readBase(ctx);
	const testRun = testRuns.begin(ctx, base);
	const selection = readSelection(ctx);
	if (selection.testWith === 'sampleEvent') {
		await startSampleRun(ctx, runtime, selection, testRun);
		return;
	}
	testRun.hasWebhooks = true;
	await triggerNodes.exclusively(ctx, base, async () => {
		const staticData = ctx.getWorkflowStaticData('node');
		const { webhooks } = readRegistration(ctx, staticData);
		const result = await reconcile(ctx, runtime, { base, webhooks, selection }, TEST_RUN);
		// After a failure, too: n8n then calls `delete`, which removes what was created.
		writeRegistration(ctx, staticData, { webhooks: result.webhooks, lost: [] });
		if (result.failure) throw result.failure.error;
	});
}

/**
 * Removes the webhooks of the test run. n8n listens until this function returns (D60), so the removal goes on in the
 * background. Only if a `create` is under way, this waits for the removal: n8n listens again when that `create` has ended.
 */
export async function endTestRun(
	ctx: IHookFunctions,
	runtime: Runtime,
	base: WebhookBase,
): Promise<void> {
	const { triggerNodes, testRuns } = runtime;
	// If n8n calls `delete` once more, or in another main process, there may be webhooks.
	const mayHaveWebhooks = testRuns.of(ctx)?.hasWebhooks ?? true;
	const isChanging = triggerNodes.isChanging(ctx, base);
	testRuns.end(ctx, base);
	if (!mayHaveWebhooks) return;
	const removal = triggerNodes.exclusively(ctx, base, async () => {
		// Another test run has begun meanwhile, and needs the webhooks.
		if (testRuns.hasWebhooksAt(ctx, base)) return;
		const { webhooks } = readRegistration(ctx, ctx.getWorkflowStaticData('node'));
		// A person may wait for the next test run, which begins when this removal has ended.
		const client = createClient(ctx, runtime, { policy: USER });
		await unregisterTestRun(ctx, runtime, { base, webhooks }, client);
	});
	if (isChanging) await removal;
}

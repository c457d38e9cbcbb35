import type { IDataObject, IHookFunctions } from 'n8n-workflow';
import { NodeOperationError, sleep } from 'n8n-workflow';
import { randomUUID } from 'crypto';

import { createClient } from '../../api/client';
import { isSuccess } from '../../api/http';
import { Targets } from '../../api/targets';
import { evaluateConditions, missText } from '../../model/conditions';
import { ALL_EVENTS, SAMPLE_EVENT } from '../../model/eventTypes';
import { SAMPLE_ID, sampleActivity } from '../../model/sample';
import { digestOf } from '../../model/secret';
import type { Selection } from '../../model/selection';
import type { TestRun } from '../../runtime/activeNodes';
import type { Runtime } from '../../runtime/runtime';
import { settle } from '../../utils/settle';
import { desiredWebhooks } from './desired';

/**
 * How long the sample waits after `create`, in milliseconds. n8n registers a test webhook once more when `create` has
 * returned, and only then tells the editor that it listens: an earlier delivery would leave both listening after the run.
 */
const DELAY_MS = 300;

type Sample = { event: string; targetUrl: string; activity: IDataObject };

/** The sample of the first selected event, and the URL at which the service would deliver it. */
function sampleFor(selection: Selection, base: string): Sample {
	const [event = ALL_EVENTS] = selection.events;
	const desired = desiredWebhooks(selection, base);
	const webhook = desired.find((one) => one.event === event) ?? desired[0];
	const activity = sampleActivity(event === ALL_EVENTS ? SAMPLE_EVENT : event, {
		_id: `${SAMPLE_ID}${randomUUID()}`,
		createdAt: new Date().toISOString(),
		campaignId: selection.campaignIds[0],
	});
	const isThirdParty = selection.thirdPartyReplies === 'only';
	return {
		event: webhook?.event ?? event,
		targetUrl: webhook?.targetUrl ?? base,
		activity: { ...activity, ...(isThirdParty ? { isThirdPartyReply: true } : {}) },
	};
}

/** A sample that the conditions refuse would leave the editor waiting for two minutes. */
function checkConditions(ctx: IHookFunctions, { onlyWhen }: Selection, { activity }: Sample): void {
	if (onlyWhen === undefined) return;
	const { isMet, misses } = evaluateConditions(activity, onlyWhen, ctx.getTimezone());
	if (isMet) return;
	throw new NodeOperationError(
		ctx.getNode(),
		`The sample event does not meet the conditions of 'Only When': ${misses.map(missText).join('; ')}`,
		{
			description:
				"Change the conditions while you build the workflow, or set 'Test With' to 'Real Event'. The documentation of the trigger lists the fields of an event.",
		},
	);
}

const outOfReach = (ctx: IHookFunctions, url: string, why: string): NodeOperationError =>
	new NodeOperationError(
		ctx.getNode(),
		`n8n could not reach its own test URL at ${new URL(url).origin}: check WEBHOOK_URL`,
		{
			description: `${why} n8n sends the sample to the URL that it gives the service. Whether the service can reach that URL was not tested. Set the environment variable WEBHOOK_URL to the public URL of n8n, and restart it. Where N8N_EDITOR_BASE_URL is set, set N8N_WEBHOOK_URL as well.`,
		},
	);

/** Posts the sample as the service would. @returns why that did not work */
async function post(targets: Targets, url: string, body: object): Promise<string | undefined> {
	const response = await targets.post(url, body);
	if ('target' in response) return response.detail;
	return isSuccess(response.status) ? undefined : `It responded with status ${response.status}.`;
}

/**
 * Begins a test run with a sample (D35): nothing is registered at the service, and nothing is sent there. The node posts
 * the sample to its own test URL, with the secret, as the service would send an event.
 * @throws NodeOperationError when n8n cannot reach that URL, or the sample would not start the workflow
 */
export async function startSampleRun(
	ctx: IHookFunctions,
	runtime: Runtime,
	selection: Selection,
	testRun: TestRun,
): Promise<void> {
	const sample = sampleFor(selection, testRun.base);
	checkConditions(ctx, selection, sample);
	const { event, targetUrl, activity } = sample;
	const secret = await createClient(ctx, runtime).secretFor(targetUrl);
	// n8n 1 does not tell `webhook()` the test URL, from which the secret is derived.
	testRun.sample = { event, digest: digestOf(secret) };
	const targets = new Targets(ctx, undefined);
	const { target, detail } = await targets.ask(targetUrl);
	if (target === 'unreachable') throw outOfReach(ctx, targetUrl, detail);
	const body = { ...activity, secret };
	if (target !== 'live') {
		// Somebody else may be at that URL, or a proxy that does not let the question through: only the sample tells.
		const why = await post(targets, targetUrl, body);
		if (why !== undefined) throw outOfReach(ctx, targetUrl, why);
		return;
	}
	void sleep(DELAY_MS)
		.then(async () => await settle(post(targets, targetUrl, body)))
		.then((posted) => {
			const why = posted.ok ? posted.value : posted.error.message;
			if (why === undefined) return;
			ctx.logger.warn(`The sample event did not reach "${ctx.getNode().name}": ${why}`);
		});
}

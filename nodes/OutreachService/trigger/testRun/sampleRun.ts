/** A test run with samples. */
import type { IDataObject, IHookFunctions } from 'n8n-workflow';
import { NodeOperationError, sleep } from 'n8n-workflow';
import { randomUUID } from 'crypto';

import { createClient } from '../../api/client';
import { isSuccess } from '../../api/http';
import { Targets } from '../../targets/targets';
import { passesFilters } from '../delivery/applySelection';
import { ACTIVITY_FIELDS, activitySchema } from '../../domain/activity';
import { evaluateConditions, missText, type Conditions } from '../../domain/conditions';
import {
	ALL_EVENTS,
	canBeThirdParty,
	EVENT_TYPES,
	isLeadState,
	SAMPLE_EVENT,
} from '../../domain/eventTypes';
import type { WebhookBase } from '../../domain/triggerUrl';
import { SAMPLE_ID, sampleActivity, type Sample } from '../../domain/sample';
import { secretOf } from '../../domain/secret';
import type { Selection } from '../../parameters/selection';
import { nodeKey } from '../../runtime/triggerNodes';
import type { Runtime } from '../../runtime/runtime';
import { settle } from '../../utils/settle';
import { desiredWebhooks, type DesiredWebhook } from '../registration/desired';

/**
 * How long the sample waits after `create`, in milliseconds. n8n registers a test webhook once more when `create` has
 * returned, and only then tells the editor that it listens: an earlier delivery would leave both listening after the run.
 */
const DELAY_MS = 300;

/** The type of the sample of a chosen event. For `*`, it is a type that is not chosen by itself; undefined if all are. */
function typeOf(event: string, { events }: Selection): string | undefined {
	if (event !== ALL_EVENTS) return event;
	const others = [SAMPLE_EVENT, ...EVENT_TYPES];
	return others.find((type) => !events.includes(type) && !isLeadState(type));
}

/**
 * Samples of the chosen events: of the first one, or, if each has an output, of all of them, so that each branch can be
 * built. With *Third-Party Replies: Only*, there are only samples of events that such a reply can be.
 */
export function samplesOf(selection: Selection): Sample[] {
	const { events, outputs, campaignIds, thirdPartyReplies } = selection;
	const isThirdParty = thirdPartyReplies === 'only';
	const samples = events.flatMap((event) => {
		const type = typeOf(event, selection);
		if (type === undefined || (isThirdParty && !canBeThirdParty(type))) return [];
		const json = sampleActivity(type, {
			_id: `${SAMPLE_ID}${randomUUID()}`,
			createdAt: new Date().toISOString(),
			campaignId: campaignIds[0],
		});
		if (isThirdParty) json.isThirdPartyReply = true;
		return [{ event, json }];
	});
	return outputs === 'perEvent' ? samples : samples.slice(0, 1);
}

/** What a sample is cannot be changed. */
const FIXED = ['_id', 'type'];

/** Whether a sample can have any text in a field: it has one, or the field is one that services add to a lead. */
const takesText = (json: IDataObject, field: string): boolean =>
	typeof json[field] === 'string'
		? !FIXED.includes(field)
		: !(field in json || ACTIVITY_FIELDS.includes(field) || field.includes('.'));

/**
 * A sample with the texts that the conditions ask for: a field that must contain, begin with or equal 'Q3' is 'Q3'. It may
 * still not meet them.
 */
function withAskedTexts({ event, json }: Sample, { conditions }: Conditions): Sample {
	const asked = conditions.flatMap(
		({ field, rightValue }): Array<[string, string]> =>
			typeof rightValue === 'string' && takesText(json, field) ? [[field, rightValue]] : [],
	);
	return { event, json: { ...json, ...Object.fromEntries(asked) } };
}

/** The maximum number of conditions that an error lists. */
const MAX_MISSES = 5;

/**
 * The samples that meet the conditions, if necessary with the texts that these ask for.
 * @throws NodeOperationError when none does, with the condition and the value: the editor would wait for two minutes
 */
function meetingConditions(
	ctx: IHookFunctions,
	selection: Selection,
	samples: readonly Sample[],
): readonly Sample[] {
	const { onlyWhen } = selection;
	if (onlyWhen === undefined) return samples;
	const evaluate = ({ json }: Sample) => evaluateConditions(json, onlyWhen, ctx.getTimezone());
	const starts = (sample: Sample): boolean =>
		evaluate(sample).isMet && passesFilters(activitySchema.parse(sample.json), selection);
	const met = samples.flatMap(
		(sample) => [sample, withAskedTexts(sample, onlyWhen)].find(starts) ?? [],
	);
	if (met.length > 0) return met;
	const missTexts = new Set(samples.flatMap((sample) => evaluate(sample).misses.map(missText)));
	throw new NodeOperationError(
		ctx.getNode(),
		// The editor shows no description of an error that ends a test run before it has begun.
		`The sample event does not meet the conditions of 'Only When': ${[...missTexts].slice(0, MAX_MISSES).join('; ')}. Change the conditions until you publish, or set 'Test With' to 'Real Event'`,
	);
}

/** The webhook at whose URL the service would deliver an event. */
function webhookFor(
	event: string,
	selection: Selection,
	base: WebhookBase,
	keyId: string,
): DesiredWebhook | undefined {
	const webhooks = desiredWebhooks(selection, base, keyId);
	// An event without a webhook of its own comes from the webhook for all events, which is the first one.
	return webhooks.find((webhook) => webhook.event === event) ?? webhooks[0];
}

/** The error for a test URL that n8n itself cannot reach. @param why a sentence */
const outOfReach = (ctx: IHookFunctions, url: string, why: string): NodeOperationError =>
	new NodeOperationError(
		ctx.getNode(),
		`n8n could not reach its own test URL at ${new URL(url).origin}: check WEBHOOK_URL`,
		{
			description: `${why} n8n sends the sample to the URL that it gives the service. Whether the service can reach that URL was not tested. Set the environment variable WEBHOOK_URL to the public URL of n8n, and restart it. Where N8N_EDITOR_BASE_URL is set, set N8N_WEBHOOK_URL as well.`,
		},
	);

/** Posts a sample as the service would. @returns why that did not work, in a sentence; undefined when it did */
async function post(targets: Targets, url: string, body: object): Promise<string | undefined> {
	const response = await targets.post(url, body);
	if ('target' in response) return response.detail;
	return isSuccess(response.status) ? undefined : `It responded with status ${response.status}.`;
}

/**
 * Begins a test run with a sample (D35): nothing is registered at the service, and nothing is sent there. The node posts
 * the sample to its own test URL, with the secret, as the service would send an event. n8n takes a single delivery in a test
 * run, so the samples of other events are kept in the runtime, and start the workflow together with it.
 * @throws NodeOperationError when n8n cannot reach that URL, or the sample would not start the workflow
 */
export async function startSampleRun(
	ctx: IHookFunctions,
	runtime: Runtime,
	selection: Selection,
	base: WebhookBase,
): Promise<void> {
	const sampleRun = { base, otherSamples: [] as readonly Sample[] };
	runtime.sampleRuns.set(nodeKey(ctx), sampleRun);
	const [first, ...others] = meetingConditions(ctx, selection, samplesOf(selection));
	const key = await createClient(ctx, runtime).webhookKey();
	const webhook = first && webhookFor(first.event, selection, base, key.id);
	// There is always a sample, because a selection without events has been refused.
	if (first === undefined || webhook === undefined) return;
	const { targetUrl } = webhook;
	const secret = secretOf(key, targetUrl, webhook);
	sampleRun.otherSamples = others;
	const targets = new Targets(ctx, undefined);
	const { target, detail } = await targets.ask(targetUrl);
	if (target === 'unreachable') throw outOfReach(ctx, targetUrl, detail);
	const body = { ...first.json, secret };
	if (target !== 'live') {
		// Another program may be at that URL, or a proxy that does not let the question through: only the sample tells.
		const why = await post(targets, targetUrl, body);
		if (why !== undefined) throw outOfReach(ctx, targetUrl, why);
		return;
	}
	void postLater(ctx, targets, targetUrl, body);
}

/** Posts the sample once n8n listens. Never throws: nobody waits for it. */
async function postLater(
	ctx: IHookFunctions,
	targets: Targets,
	targetUrl: string,
	body: object,
): Promise<void> {
	await sleep(DELAY_MS);
	const posted = await settle(post(targets, targetUrl, body));
	const why = posted.ok ? posted.value : posted.error.message;
	if (why === undefined) return;
	ctx.logger.warn(`The sample event did not reach "${ctx.getNode().name}": ${why}`);
}

/** Notes that n8n has ended what is at a base. @returns whether that was a test run with a sample, which has no webhooks */
export function endSampleRun(ctx: IHookFunctions, runtime: Runtime, base: WebhookBase): boolean {
	const key = nodeKey(ctx);
	return runtime.sampleRuns.get(key)?.base === base && runtime.sampleRuns.delete(key);
}

import type { IWebhookFunctions } from 'n8n-workflow';

import { readCredential } from '../transport/credential';
import { settle } from '../transport/settle';
import { liveNode } from './live';
import { rememberedDigests } from './memory';
import { deriveSecret, digestOf, isOneOf } from './secret';
import { readSelection, subscribedEvents } from './selection';
import { hookUrl } from './wanted';

/** How long derived digests are good, in ms: a flood of forged calls then costs no database reads (D14). */
const DERIVED_MS = 60_000;
/** After a credential that could not be read, how long until it is tried again, in ms. */
const FAILED_MS = 5_000;
const MAX_DERIVED = 500;
/** A secret of ours has 64 characters; nothing much longer is worth hashing. */
const LONGEST_SECRET = 1_000;

type Derived = { until: number; digests: Promise<ReadonlyMap<string, string>> };

const derived = new Map<string, Derived>();

/** The address of this node as the webhook was registered with it. Older versions of n8n know no test address here. */
function ownUrl(ctx: IWebhookFunctions): string {
	const url =
		'getWebhookResourceUrl' in ctx && typeof ctx.getWebhookResourceUrl === 'function'
			? ctx.getWebhookResourceUrl('default')
			: ctx.getNodeWebhookUrl('default');
	return url ?? '';
}

async function derive(ctx: IWebhookFunctions, base: string): Promise<ReadonlyMap<string, string>> {
	const { apiKey } = await readCredential(ctx);
	const events = subscribedEvents(readSelection(ctx));
	return new Map(
		events.map((event) => [event, digestOf(deriveSecret(apiKey, hookUrl(base, event)))]),
	);
}

/** The digest of the secret that the credential gives now for this event; undefined when none can be had. */
async function derivedDigest(ctx: IWebhookFunctions, event: string): Promise<string | undefined> {
	const base = ownUrl(ctx);
	const key = [ctx.getWorkflow().id, ctx.getNode().id, base].join('\n');
	let entry = derived.get(key);
	if (!entry || entry.until < performance.now()) {
		entry = { until: performance.now() + DERIVED_MS, digests: derive(ctx, base) };
		if (derived.size >= MAX_DERIVED) derived.clear();
		derived.set(key, entry);
	}
	const digests = await settle(entry.digests);
	if (digests.ok) return digests.value.get(event);
	entry.until = Math.min(entry.until, performance.now() + FAILED_MS);
	ctx.logger.warn(
		`A delivery to "${ctx.getNode().name}" could not be checked: ${digests.error.message}`,
	);
	return undefined;
}

/**
 * Whether a delivery carries the secret of the webhook that it claims to come from (§6.4.5, D14): first the one that
 * was registered, by this process or as n8n saved it, then the one that the credential gives now. From what is first
 * to what is last it costs more.
 */
export async function isGenuine(
	ctx: IWebhookFunctions,
	event: string,
	secret: unknown,
): Promise<boolean> {
	if (typeof secret !== 'string' || secret === '' || secret.length > LONGEST_SECRET) return false;
	const digest = digestOf(secret);
	const live = liveNode(ctx)?.hooks.filter((hook) => hook.event === event) ?? [];
	const liveDigests = live.map((hook) => hook.digest);
	if (isOneOf(digest, liveDigests)) return true;
	const staticData = ctx.getWorkflowStaticData('node');
	if (isOneOf(digest, rememberedDigests(ctx, staticData, event))) return true;
	const current = await derivedDigest(ctx, event);
	return current !== undefined && isOneOf(digest, [current]);
}

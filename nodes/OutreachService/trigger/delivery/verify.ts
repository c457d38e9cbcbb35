import type { IWebhookFunctions } from 'n8n-workflow';

import { readCredential } from '../../api/credential';
import { settle } from '../../utils/settle';
import { activeNode } from '../../runtime/activeNodes';
import { rememberedDigests } from '../state/staticData';
import { deriveSecret, digestOf, isOneOf } from '../state/secret';
import { readSelection, subscribedEvents } from '../parameters';
import { hookUrl } from '../reconcile/desired';

/** How long derived digests are good, in ms: a flood of forged calls then costs no database reads (D14). */
const DERIVED_MS = 60_000;
/**
 * How long a failure to read the credential is held, in ms: short, so that the next delivery is verified as soon as
 * the database is back, and long enough that a flood of forged calls costs five reads a second.
 */
const FAILED_MS = 200;
const MAX_DERIVED = 500;
/** A secret of ours has 64 characters; nothing much longer is worth hashing. */
const LONGEST_SECRET = 1_000;

/** Whether a delivery comes from the service; `unverifiable` while the credential cannot be read. */
export type Verification = 'verified' | 'forged' | 'unverifiable';

type Derived = { until: number; digests: Promise<ReadonlyMap<string, string>>; isFailed: boolean };

const derived = new Map<string, Derived>();

/** The target URL of this node's webhooks, without the event. Older versions of n8n know no test URL here. */
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

/**
 * The digests of the secrets that the credential gives now, by event.
 * @throws when the credential cannot be read
 */
async function derivedDigests(ctx: IWebhookFunctions): Promise<ReadonlyMap<string, string>> {
	const base = ownUrl(ctx);
	const key = [ctx.getWorkflow().id, ctx.getNode().id, base].join('\n');
	const held = derived.get(key);
	if (held && held.until >= performance.now()) return await held.digests;

	const until = performance.now() + DERIVED_MS;
	const entry: Derived = { until, digests: derive(ctx, base), isFailed: false };
	if (derived.size >= MAX_DERIVED) derived.clear();
	derived.set(key, entry);
	const digests = await settle(entry.digests);
	if (!digests.ok) {
		entry.until = performance.now() + FAILED_MS;
		entry.isFailed = true;
		// Once for an outage, not five times a second.
		if (!held?.isFailed)
			ctx.logger.warn(
				`A delivery to "${ctx.getNode().name}" could not be checked: ${digests.error.message}`,
			);
	}
	return await entry.digests;
}

/**
 * Verifies that a delivery carries the secret of the webhook that it claims to come from (§6.4.5, D14): first the one
 * that was registered, by this process or as n8n saved it, then the one that the credential gives now. Ordered
 * cheapest first.
 */
export async function verify(
	ctx: IWebhookFunctions,
	event: string,
	secret: unknown,
): Promise<Verification> {
	if (typeof secret !== 'string' || secret === '' || secret.length > LONGEST_SECRET)
		return 'forged';
	const digest = digestOf(secret);
	const live = activeNode(ctx)?.hooks.filter((hook) => hook.event === event) ?? [];
	const liveDigests = live.map((hook) => hook.digest);
	if (isOneOf(digest, liveDigests)) return 'verified';
	const staticData = ctx.getWorkflowStaticData('node');
	if (isOneOf(digest, rememberedDigests(ctx, staticData, event))) return 'verified';
	const current = await settle(derivedDigests(ctx));
	if (!current.ok) return 'unverifiable';
	const expected = current.value.get(event);
	return expected !== undefined && isOneOf(digest, [expected]) ? 'verified' : 'forged';
}

/** Whose a webhook is, and whether this n8n may remove it. */
import { isOwnTestUrl, isOwnUrl, type WebhookBase } from '../../domain/triggerUrl';
import type { RegisteredWebhook } from '../../domain/registration';
import { isLocalUrl, isOutOfReach, isPrivateUrl } from '../../domain/targetUrl';
import { settingsOf, type Webhook } from '../../domain/webhook';
import { registrationKey } from '../../runtime/triggerNodes';
import type { Runtime } from '../../runtime/runtime';
import type { Context } from './context';

/**
 * Whose a webhook is; the first that applies:
 *
 * - `others`: another active node has registered it, or none of the following applies.
 * - `otherN8n`: it would be one of the next two, but seems to belong to another n8n, which has public URLs while this one has none.
 * - `leftBehind`: some node of this process was to remove it, and could not.
 * - `node`: the node has registered it, or it is at one of its target URLs, in production, or of a test
 *   run that has been over for long enough (in a removal, of any).
 */
export type Whose = 'others' | 'otherN8n' | 'leftBehind' | 'node';

/** What tells whose a webhook is, beside the webhook itself. */
type Facts = {
	base: WebhookBase;
	registered: readonly RegisteredWebhook[];
	/** The Base URL of the credential. */
	serviceUrl: string;
	/** Whether all webhooks of the node are to be removed. */
	isRemoval: boolean;
};

/** @returns a function that tells whose a webhook is, as the node sees it */
export function ownershipOf(
	ctx: Context,
	runtime: Runtime,
	{ base, registered, serviceUrl, isRemoval }: Facts,
): (webhook: Webhook) => Whose {
	const registeredIds = new Set(registered.map(({ id }) => id));
	// Another active node may have registered a webhook even at a URL of this one.
	const ofOthers = runtime.triggerNodes.webhooksOfOthers(ctx);
	const idsOfOthers = new Set(ofOthers.map(({ id }) => id));
	const isLeftByTestRun = leftByTestRun(ctx, runtime, base, { isRemoval });
	// The path of a node that is no longer active may be that of another one by now.
	const isBaseTaken = isRemoval && runtime.triggerNodes.isBaseOfOther(ctx, base);
	return (webhook) => {
		const { _id: id, targetUrl } = webhook;
		if (idsOfOthers.has(id)) return 'others';
		const isAtBase = isOwnUrl(base, targetUrl) && !isBaseTaken;
		const isOfNode = registeredIds.has(id) || isAtBase || isLeftByTestRun(webhook);
		const isLeftBehind = runtime.leftBehind.has(id, targetUrl);
		if (!isOfNode && !isLeftBehind) return 'others';
		if (!mayRemoveAt(targetUrl, base, serviceUrl)) return 'otherN8n';
		return isLeftBehind ? 'leftBehind' : 'node';
	};
}

/** How long a test run waits for its event, in milliseconds. */
const LISTENS_MS = 120_000;

/**
 * Tells whether a listed webhook is left over from a test run of the node, because n8n was stopped while it listened (D84).
 * Another main process may be listening, so a webhook counts only once it is older than the time for which n8n listens.
 */
function leftByTestRun(
	ctx: Context,
	{ testRuns }: Runtime,
	base: WebhookBase,
	{ isRemoval }: { isRemoval: boolean },
): (webhook: Webhook) => boolean {
	// The webhooks of a test run are changed, or one is listening.
	if (testRuns.isBaseOf(ctx, base) || testRuns.hasWebhooks(ctx)) return () => false;
	const editorUrl = ctx.getInstanceBaseUrl();
	return (webhook) => {
		if (!isOwnTestUrl(base, editorUrl, webhook.targetUrl)) return false;
		// After the removal of a node that is no longer active, no check follows that could remove the webhook later.
		if (isRemoval) return true;
		const age = Date.now() - Date.parse(settingsOf(webhook).createdAt ?? '');
		return age > LISTENS_MS;
	};
}

/**
 * Whether this n8n may remove a webhook at a URL (D33, D87). An n8n whose own URL is local or private, and which knows
 * webhooks at public URLs, mostly runs on a copy of another n8n's database: it leaves the webhooks of that n8n alone.
 */
function mayRemoveAt(targetUrl: string, base: WebhookBase, serviceUrl: string): boolean {
	if (isOutOfReach(base, serviceUrl)) return isLocalUrl(targetUrl);
	if (isPrivateUrl(base) && !isPrivateUrl(serviceUrl)) return isPrivateUrl(targetUrl);
	return true;
}

/** Warns of webhooks that stay although nobody of this n8n needs them, because they seem to belong to another n8n. */
export function warnOfOtherN8n(
	ctx: Context,
	runtime: Runtime,
	base: WebhookBase,
	ofOtherN8n: readonly Webhook[],
): void {
	if (ofOtherN8n.length === 0) return;
	runtime.warnOnce(
		ctx,
		`other n8n ${registrationKey(ctx, base)}`,
		`The webhooks of "${ctx.getNode().name}" at another URL were not removed, because they seem to belong to another n8n. The service cannot reach this n8n at ${new URL(base).origin}. If they do belong to this n8n, set WEBHOOK_URL, or delete them at the service.`,
	);
}

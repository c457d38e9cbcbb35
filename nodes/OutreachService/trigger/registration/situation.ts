/** What a change of a node's webhooks finds: what is desired, what the service lists, and what follows from both. */
import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { Client } from '../../api/client';
import { isOwnTestUrl, isOwnUrl, type WebhookBase } from '../../domain/triggerUrl';
import type { DesiredWebhook, RegisteredWebhook } from '../../domain/registration';
import { settingsOf, type Webhook } from '../../domain/webhook';
import { digestOf } from '../../domain/secret';
import { isLocalUrl, isPrivateUrl } from '../../domain/targetUrl';
import { registrationKey, type ActiveNode } from '../../runtime/activeNodes';
import type { Runtime } from '../../runtime/runtime';
import { closeByList } from './creates';
import { desiredWebhooks } from './desired';
import { CHECK, TEST_END, TEST_RUN, type Occasion } from './occasions';
import { planRegistration, type Plan, type Removable, type DesiredWithDigest } from './plan';

/** n8n's context in `create`, in `delete` and in `trigger()`. */
export type Context = IHookFunctions | ITriggerFunctions;

/** A node's registered webhooks, and the selection that they must serve: undefined to have all of them removed. */
export type Registration = Pick<ActiveNode, 'base' | 'webhooks' | 'service'> & {
	selection: ActiveNode['selection'] | undefined;
	/** See `Situation`. */
	hasBeenComplete: boolean;
};

/** The desired webhooks of a node; none when its parameters cannot be used. */
export const desiredOf = ({ base, selection }: Registration): DesiredWebhook[] =>
	selection?.ok ? desiredWebhooks(selection.value, base) : [];

/** What a change has found, before it sends anything but the request for the list. */
export type Found = {
	/** Identifies what the node has registered at its URL, see `registrationKey`. */
	key: string;
	/** The service that the credential names, see `Client.serviceId`. */
	service: string;
	/** Its host, for errors. */
	host: string;
	desired: readonly DesiredWithDigest[];
	/** All webhooks of the team. */
	listed: readonly Webhook[];
	/** The node's webhooks that are registered there, with those that the list shows to be the results of open creates. */
	registered: readonly RegisteredWebhook[];
	plan: Plan;
	/** The webhooks that the plan removes, without those that seem to belong to another n8n. */
	removable: readonly Removable[];
};

const isOfTestRun = (occasion: Occasion): boolean => occasion === TEST_RUN || occasion === TEST_END;

/**
 * Reads the credential, lists the webhooks (§4.1), and plans the change.
 * @throws RequestError when the credential cannot be used or the webhooks cannot be listed; NodeOperationError when the
 *   service cannot reach this n8n
 */
export async function findSituation(
	ctx: Context,
	runtime: Runtime,
	registration: Registration,
	occasion: Occasion,
	client: Client,
): Promise<Found> {
	const { activeNodes, openCreates } = runtime;
	const { base } = registration;
	const serviceUrl = await client.baseUrl();
	const service = await client.serviceId();
	const desired: DesiredWithDigest[] = [];
	for (const webhook of desiredOf(registration)) {
		desired.push({ ...webhook, digest: digestOf(await client.secretFor(webhook.targetUrl)) });
	}
	if (desired.length > 0 && isLocalUrl(base) && !isLocalUrl(serviceUrl)) {
		throw outOfReachError(ctx, base);
	}
	// From now on, deliveries with these secrets are accepted: a webhook may deliver before the response to its create
	// arrives (D81).
	if (!isOfTestRun(occasion)) activeNodes.update(ctx, { expected: desired });
	runtime.verifyingClients.forget();

	const listed = await client.listAgain();
	const knownBefore = registeredAtService(ctx, registration, service, listed);
	const key = registrationKey(ctx, base);
	const knownIds = new Set(knownBefore.map(({ id }) => id));
	const registered = [...knownBefore, ...closeByList(openCreates, key, listed, knownIds)];
	const isAtTestUrl = testUrlsOf(ctx, runtime, base, occasion);
	const plan = planRegistration({
		desired,
		listed,
		registered,
		isOwnUrl: (webhook) => isOwnUrl(base, webhook.targetUrl) || isAtTestUrl(webhook),
		hasBeenComplete: registration.hasBeenComplete,
		others: activeNodes.webhooksOfOthers(ctx),
		leftBehind: activeNodes.leftBehind,
	});
	const removable = plan.remove.filter(({ targetUrl }) => mayRemoveAt(targetUrl, base, serviceUrl));
	if (removable.length < plan.remove.length && runtime.once(`other n8n ${key}`)) {
		warnOfOtherN8n(ctx, base);
	}
	const { host } = new URL(serviceUrl);
	return { key, service, host, desired, listed, registered, plan, removable };
}

/**
 * The node's webhooks that are registered at the service that the credential names now. Another Base URL is another service
 * (D106): webhooks at the earlier one cannot be removed with this credential, and are named in n8n's log. But if the list
 * shows a webhook, it is the same service under another URL.
 */
function registeredAtService(
	ctx: Context,
	{ webhooks, service: before }: Registration,
	service: string,
	listed: readonly Webhook[],
): RegisteredWebhook[] {
	if (before === undefined || before === service) return [...webhooks];
	const listedIds = new Set(listed.map(({ _id }) => _id));
	const atService = webhooks.filter(({ id }) => listedIds.has(id));
	const elsewhere = webhooks.filter(({ id }) => !listedIds.has(id));
	if (elsewhere.length > 0) {
		const ids = elsewhere.map(({ id }) => id).join(', ');
		ctx.logger.warn(
			`The credential of "${ctx.getNode().name}" has another Base URL now. The webhooks that were registered at the earlier one stay there, and their deliveries are refused: ${ids}. Delete them with a credential that has the earlier Base URL.`,
			{ workflowId: ctx.getWorkflow().id },
		);
	}
	return atService;
}

/** How long n8n listens for a test event, in milliseconds. */
const LISTENS_MS = 120_000;

/**
 * Tells whether a listed webhook is left over from a test run of the node, because n8n was stopped while it listened (D84).
 * To a check, only a webhook counts that is older than the time for which n8n listens: another main process may be
 * listening.
 */
function testUrlsOf(
	ctx: Context,
	{ activeNodes }: Runtime,
	base: WebhookBase,
	occasion: Occasion,
): (webhook: Webhook) => boolean {
	if (isOfTestRun(occasion) || activeNodes.testRun(ctx)?.isListening) return () => false;
	const editorUrl = ctx.getInstanceBaseUrl();
	return (webhook) => {
		if (!isOwnTestUrl(base, editorUrl, webhook.targetUrl)) return false;
		const age = Date.now() - Date.parse(settingsOf(webhook).createdAt ?? '');
		return occasion !== CHECK || age > LISTENS_MS;
	};
}

/**
 * Whether this n8n may remove a webhook at a URL (D33, D87). An n8n whose own URL is local or private, and which knows
 * webhooks at public URLs, mostly runs on a copy of another n8n's database: it leaves the webhooks of that n8n alone.
 */
function mayRemoveAt(targetUrl: string, base: WebhookBase, serviceUrl: string): boolean {
	if (isLocalUrl(base) && !isLocalUrl(serviceUrl)) return isLocalUrl(targetUrl);
	if (isPrivateUrl(base) && !isPrivateUrl(serviceUrl)) return isPrivateUrl(targetUrl);
	return true;
}

function warnOfOtherN8n(ctx: Context, base: WebhookBase): void {
	ctx.logger.warn(
		`The webhooks of "${ctx.getNode().name}" at another URL were not removed, because they seem to belong to another n8n. The service cannot reach this n8n at ${new URL(base).origin}. If they do belong to this n8n, set WEBHOOK_URL, or delete them at the service.`,
		{ workflowId: ctx.getWorkflow().id },
	);
}

/** The error for a base that the service cannot reach: the workflow would be active, and never start (D33). */
const outOfReachError = (ctx: Context, base: WebhookBase): NodeOperationError =>
	new NodeOperationError(
		ctx.getNode(),
		// n8n shows the message alone when an activation fails, so what to do must be in it.
		`The service cannot reach this n8n at ${new URL(base).origin}: set WEBHOOK_URL to its public URL`,
		{
			description:
				"n8n's webhook URLs begin with this URL, which works only on the machine that runs n8n. Set the environment variable WEBHOOK_URL to the URL at which n8n can be reached from the internet, such as https://n8n.example.com/, and restart n8n. On your own computer, use a tunnel. Test runs have the URL of the editor where N8N_EDITOR_BASE_URL is set: then set N8N_WEBHOOK_URL as well, which applies to both.",
		},
	);

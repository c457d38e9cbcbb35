import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { createClient, type Client } from '../../api/client';
import { isConflict } from '../../api/errors';
import { ALL_EVENTS } from '../../model/eventTypes';
import { isOwnTestUrl, isOwnUrl, triggerUrlIn } from '../../model/n8nUrls';
import type { DesiredWebhook, RegisteredWebhook } from '../../model/registration';
import { settingsOf, type Webhook } from '../../model/schemas';
import { digestOf } from '../../model/secret';
import { isLocalUrl, isPrivateUrl, isSameUrl, normalizeUrl } from '../../model/targetUrl';
import { registrationKey, type ActiveNode } from '../../runtime/activeNodes';
import type { OpenCreate } from '../../runtime/openCreates';
import type { Runtime } from '../../runtime/runtime';
import { settle, type Settled } from '../../utils/settle';
import { closeByList, Creates, registeredAs } from './creates';
import { desiredWebhooks } from './desired';
import { CHECK, TEST_END, TEST_RUN, type Occasion } from './occasions';
import { isAsDesired, planRegistration, type Removable, type WantedWebhook } from './plan';
import { Removals } from './removals';

/** A node's webhooks, and the selection that they are to deliver: undefined when there are to be none. */
export type Registration = Pick<ActiveNode, 'base' | 'webhooks' | 'service'> & {
	selection: ActiveNode['selection'] | undefined;
	/** See `Situation`. */
	wasComplete: boolean;
};

const desiredOf = ({ base, selection }: Registration): DesiredWebhook[] =>
	selection?.ok ? desiredWebhooks(selection.value, base) : [];

/** The result of a change. */
export type Reconciled = {
	/** Whose deliveries are accepted: in force, or not removed or replaced yet. */
	webhooks: readonly RegisteredWebhook[];
	/** The service at which they are registered; undefined when the credential could not be read. */
	service: string | undefined;
	/** Desired, and nothing delivers them. */
	missing: readonly DesiredWebhook[];
	/** Events whose webhooks were gone, and had to be created again (D83). */
	lost: string[];
	/** Events whose webhooks the list does not show, and which are not replaced again (D82). */
	unlisted: string[];
	/** Why nothing was done, or the first desired webhook that could not be created was not. */
	failure: Error | undefined;
	/** Whether nothing is wrong but that creates of an earlier change are still open (D81). */
	isOnlyWaiting: boolean;
	/** The webhooks that could not be removed, which costs no event. */
	refused: ReadonlyMap<string, Error>;
	/** Whether the next check must look again: a webhook may exist that nobody knows of yet. */
	isUncertain: boolean;
};

const isOfTestRun = (occasion: Occasion): boolean => occasion === TEST_RUN || occasion === TEST_END;

export type Context = IHookFunctions | ITriggerFunctions;

type Options = {
	/** Cancels the change, but no create that was sent. */
	signal?: AbortSignal | undefined;
	/** For a caller that has read the credential already. */
	client?: Client;
};

/**
 * Makes the service have exactly the desired webhooks (§4.1–4.3): lists once, creates first, so that no event falls into
 * a gap, then removes. A service that refuses a create may have no room for it, or its URL may be taken: then what is in
 * the way is removed, and the create sent once more. While a desired webhook is missing, nothing that serves an event is
 * removed otherwise. Never throws: the failure is a RequestError, or a NodeOperationError when the service cannot reach
 * this n8n or the selection cannot be used.
 */
export async function reconcile(
	ctx: Context,
	runtime: Runtime,
	registration: Registration,
	occasion: Occasion,
	options: Options = {},
): Promise<Reconciled> {
	const done = await settle(change(ctx, runtime, registration, occasion, options));
	if (done.ok) return done.value;
	const { webhooks, service } = registration;
	const urls = new Set(webhooks.map(({ targetUrl }) => targetUrl));
	return {
		webhooks,
		service,
		missing: desiredOf(registration).filter(({ targetUrl }) => !urls.has(targetUrl)),
		lost: [],
		unlisted: [],
		failure: done.error,
		isOnlyWaiting: false,
		refused: new Map(),
		isUncertain: false,
	};
}

async function change(
	ctx: Context,
	runtime: Runtime,
	registration: Registration,
	occasion: Occasion,
	{ signal, client: given }: Options,
): Promise<Reconciled> {
	const { activeNodes, openCreates } = runtime;
	const { base, selection, wasComplete } = registration;
	// Nothing is known to be desired: what is registered stays as it is.
	if (selection?.ok === false) throw selection.error;
	const client = given ?? createClient(ctx, runtime, { signal, policy: occasion.policy });
	const serviceUrl = await client.baseUrl();
	const service = await client.serviceId();

	const wanted: WantedWebhook[] = [];
	for (const one of desiredOf(registration)) {
		wanted.push({ ...one, digest: digestOf(await client.secretFor(one.targetUrl)) });
	}
	if (wanted.length > 0 && isLocalUrl(base) && !isLocalUrl(serviceUrl)) {
		throw outOfReachError(ctx, base);
	}
	// What is created now may deliver before the response to its create arrives.
	if (!isOfTestRun(occasion)) activeNodes.update(ctx, { expected: wanted });
	runtime.verifyingClients.forget();

	const listed = await client.listAgain();
	const registered = withoutThoseElsewhere(ctx, registration, service, listed);
	const key = registrationKey(ctx, base);
	const knownIds = new Set(registered.map(({ id }) => id));
	registered.push(...closeByList(openCreates, key, listed, knownIds));

	const isAtTestUrl = testUrlsOf(ctx, runtime, base, occasion);
	const plan = planRegistration({
		wanted,
		listed,
		registered,
		isOwnUrl: (webhook) => isOwnUrl(base, webhook.targetUrl) || isAtTestUrl(webhook),
		wasComplete,
		others: activeNodes.webhooksOfOthers(ctx),
		leftBehind: activeNodes.leftBehind,
	});
	const touchable = plan.remove.filter(({ targetUrl }) => mayRemoveAt(targetUrl, base, serviceUrl));
	if (touchable.length < plan.remove.length && runtime.once(`other n8n ${key}`)) {
		warnOfOtherN8n(ctx, base);
	}

	const creates = new Creates({
		client,
		openCreates,
		registration: key,
		occasion,
		listed,
		registered,
		signal,
		host: new URL(serviceUrl).host,
		onLateOutcome: (open, outcome) =>
			void settleLate(ctx, runtime, { base, client: client.uncancellable(), open, outcome }),
	});
	const removals = new Removals(client, activeNodes);
	await creates.send(plan.create);
	const stillThere: RegisteredWebhook[] = [];
	for (const { wanted: one, predecessor } of plan.replacements) {
		const refusal = creates.failures.get(one);
		const isListed = listed.some(({ targetUrl }) => isSameUrl(targetUrl, one.targetUrl));
		if (!refusal || !isConflict(refusal) || isListed) continue;
		// The service has a webhook with this target URL, so the one that its list does not show is still there.
		creates.failures.delete(one);
		stillThere.push({ ...predecessor, isSecond: true });
	}
	const stillThereIds = new Set(stillThere.map(({ id }) => id));
	for (const { id } of creates.created) stillThereIds.add(id);
	const removable = touchable.filter(({ _id }) => !stillThereIds.has(_id));
	if (creates.refused.length > 0 && occasion.makesRoom !== 'never') {
		await removals.send(removable.filter(obstacleTo(creates, occasion)));
		if (removals.done.size > 0) await creates.send(creates.refused);
	}
	const { created } = creates;
	const [failure] = creates.failures.values();
	// While a desired webhook is missing, only those go that a successor at the same URL has replaced: both would deliver.
	const inForce = new Set(
		[...plan.keep, ...created].map(({ targetUrl }) => normalizeUrl(targetUrl)),
	);
	const isReplaced = ({ targetUrl }: Removable): boolean => inForce.has(normalizeUrl(targetUrl));
	await removals.send(failure ? removable.filter(isReplaced) : removable);

	const gone = new Set<WantedWebhook>(plan.lost);
	for (const { wanted: one, predecessor } of plan.replacements) {
		const removed = removals.done.get(predecessor.id);
		if (removed?.wasFound === false) gone.add(one);
		// The service had it, so its list is incomplete or late.
		const successor = created.find(({ targetUrl }) => targetUrl === one.targetUrl);
		if (removed?.wasFound && successor) successor.isSecond = true;
	}
	const leaving = new Set(
		plan.remove
			.map(({ _id }) => _id)
			.filter((id) => !removals.done.has(id) && !stillThereIds.has(id)),
	);
	const failed = [...creates.failures.keys()];
	const withoutSuccessor = new Set(failed.map(({ targetUrl }) => targetUrl));
	const former = registered.filter(
		({ id, targetUrl }) =>
			!removals.done.has(id) &&
			!stillThereIds.has(id) &&
			(leaving.has(id) || withoutSuccessor.has(targetUrl)),
	);
	const delivering = listed.filter(({ _id }) => !removals.done.has(_id));
	return {
		webhooks: [...plan.keep, ...created, ...stillThere, ...former],
		service,
		missing: failed.filter((one) => !delivering.some((webhook) => isAsDesired(webhook, one))),
		lost: wanted
			.filter((one) => gone.has(one) && !creates.failures.has(one))
			.map(({ event }) => event),
		unlisted: plan.unlisted.map(({ event }) => event),
		failure,
		isOnlyWaiting: failed.length > 0 && failed.every((one) => creates.waiting.has(one)),
		refused: removals.refused,
		isUncertain:
			openCreates.of(key).length > 0 ||
			creates.hasRepeated ||
			stillThere.length > 0 ||
			created.some(({ isSecond }) => isSecond),
	};
}

/**
 * What is registered at the service that the credential names now. Another Base URL is another service (D106): what was
 * registered at the earlier one cannot be removed from here, and is named in n8n's log. Where the list shows the webhook,
 * it is the same service with another URL.
 */
function withoutThoseElsewhere(
	ctx: Context,
	{ webhooks, service: before }: Registration,
	service: string,
	listed: readonly Webhook[],
): RegisteredWebhook[] {
	if (before === undefined || before === service) return [...webhooks];
	const listedIds = new Set(listed.map(({ _id }) => _id));
	const here = webhooks.filter(({ id }) => listedIds.has(id));
	const elsewhere = webhooks.filter(({ id }) => !listedIds.has(id));
	if (elsewhere.length > 0) {
		const ids = elsewhere.map(({ id }) => id).join(', ');
		ctx.logger.warn(
			`The credential of "${ctx.getNode().name}" has another Base URL now. The webhooks that were registered at the earlier one stay there, and their deliveries are refused: ${ids}. Delete them with a credential that has the earlier Base URL.`,
			{ workflowId: ctx.getWorkflow().id },
		);
	}
	return here;
}

/** How long n8n listens for a test event, in milliseconds. */
const LISTENS_MS = 120_000;

/**
 * Tells which listed webhooks are left over from test runs of the node (D84): n8n was stopped while it listened. A check
 * waits until they are older than n8n listens, because another main process may be listening.
 */
function testUrlsOf(
	ctx: Context,
	{ activeNodes }: Runtime,
	base: string,
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
 * Whether this n8n may remove a webhook at a URL (D33, D87). One at a private address, or that the service cannot reach at
 * all, and that knows webhooks at other addresses, is mostly a copy of another n8n's database.
 */
function mayRemoveAt(targetUrl: string, base: string, serviceUrl: string): boolean {
	if (isLocalUrl(base) && !isLocalUrl(serviceUrl)) return isLocalUrl(targetUrl);
	if (isPrivateUrl(base) && !isPrivateUrl(serviceUrl)) return isPrivateUrl(targetUrl);
	return true;
}

function warnOfOtherN8n(ctx: Context, base: string): void {
	ctx.logger.warn(
		`The webhooks of "${ctx.getNode().name}" at another URL were not removed, because they seem to belong to another n8n. The service cannot reach this n8n at ${new URL(base).origin}. If they do belong to this n8n, set WEBHOOK_URL, or delete them at the service.`,
		{ workflowId: ctx.getWorkflow().id },
	);
}

/** Registered at a URL that the service cannot reach, the workflow would be active and never start (D33). */
const outOfReachError = (ctx: Context, base: string): NodeOperationError =>
	new NodeOperationError(
		ctx.getNode(),
		// n8n shows the message alone when an activation fails, so what to do must be in it.
		`The service cannot reach this n8n at ${new URL(base).origin}: set WEBHOOK_URL to its public URL`,
		{
			description:
				"n8n's webhook URLs begin with this URL, which works only on the machine that runs n8n. Set the environment variable WEBHOOK_URL to the URL at which n8n can be reached from the internet, such as https://n8n.example.com/, and restart n8n. On your own computer, use a tunnel. Test runs have the URL of the editor where N8N_EDITOR_BASE_URL is set: then set N8N_WEBHOOK_URL as well, which applies to both.",
		},
	);

/** Whether a webhook can go before its successor is there, because it makes room for it. */
function obstacleTo(creates: Creates, { makesRoom }: Occasion): (webhook: Removable) => boolean {
	const failed = [...creates.failures];
	return (webhook) => {
		const { type = ALL_EVENTS, disabled, targetUrl } = settingsOf(webhook);
		// A person is there to see whether it works out, and no workflow relies on it yet.
		if (makesRoom === 'always' || disabled === true) return true;
		// Such a service may compare target URLs without their query.
		const registeredFor = triggerUrlIn(targetUrl)?.event;
		const isTaken = failed.some(
			([{ event }, error]) => isConflict(error) && event === registeredFor,
		);
		if (isTaken) return true;
		return (
			type !== ALL_EVENTS && failed.every(([{ event }]) => ![type, ALL_EVENTS].includes(event))
		);
	};
}

/**
 * Does what the outcome of a create asks for that arrives after the change that sent it has ended (D81): the webhook
 * becomes one of the node, or is removed if the node is no longer active. When n8n only shuts down, it stays: it may deliver
 * until the next start. Never throws.
 */
async function settleLate(
	ctx: Context,
	runtime: Runtime,
	{ base, client, open, outcome }: LateOutcome,
): Promise<void> {
	const { activeNodes, openCreates } = runtime;
	const key = registrationKey(ctx, base);
	await activeNodes.exclusively(ctx, base, async () => {
		// A change was still waiting for it, or a list has shown its result.
		if (!openCreates.of(key).includes(open)) return;
		// The next list tells whether there is a webhook.
		if (!outcome.ok) return;
		openCreates.close(key, open);
		const webhook = registeredAs(open, outcome.value);
		const { state, node } = activeNodes.known(ctx) ?? {};
		const testRun = activeNodes.testRun(ctx);
		if (testRun?.base === base) {
			// It is removed when n8n no longer listens.
			if (testRun.isListening) return;
		} else if (state === 'live' && node) {
			activeNodes.update(ctx, { webhooks: [...node.webhooks, webhook] });
			return;
		} else if (state === 'closed') {
			return;
		}
		const removals = new Removals(client, activeNodes);
		await removals.send([{ _id: webhook.id, targetUrl: webhook.targetUrl }]);
		for (const { message } of removals.refused.values()) {
			ctx.logger.warn(
				`The webhook ${webhook.id} of "${ctx.getNode().name}" was created after the workflow was deactivated, and could not be removed: ${message}. The next check or activation of a trigger with the same API key removes it.`,
				{ workflowId: ctx.getWorkflow().id },
			);
		}
	});
}

/** A create whose outcome has arrived. */
type LateOutcome = {
	base: string;
	client: Client;
	open: OpenCreate;
	outcome: Settled<Webhook>;
};

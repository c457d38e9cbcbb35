import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { createClient, type Client } from '../../api/client';
import { isConflict, isOutage, RequestError } from '../../api/errors';
import { CHECK, ITEM, USER, type Policy } from '../../api/retry';
import { ALL_EVENTS } from '../../model/eventTypes';
import type { DesiredWebhook, RegisteredWebhook } from '../../model/registration';
import { settingsOf, type Webhook } from '../../model/schemas';
import { digestOf } from '../../model/secret';
import { triggerUrlIn } from '../../model/n8nUrls';
import { isLocalUrl } from '../../model/targetUrl';
import type { ActiveNode } from '../../runtime/activeNodes';
import type { Runtime } from '../../runtime/runtime';
import { mapConcurrently } from '../../utils/mapConcurrently';
import { settle } from '../../utils/settle';
import { within } from '../../utils/within';
import { desiredWebhooks, webhookSettings } from './desired';
import { isAsDesired, planRegistration, type Removable, type WantedWebhook } from './plan';

/** A node's webhooks, and the selection that they are to deliver: undefined when there are to be none. */
export type Registration = Pick<ActiveNode, 'base' | 'webhooks'> & {
	selection: ActiveNode['selection'] | undefined;
};

const desiredOf = ({ base, selection }: Registration): DesiredWebhook[] =>
	selection?.ok ? desiredWebhooks(selection.value, base) : [];

/**
 * On what occasion webhooks are changed. A user who activates a workflow or begins a test run gets everything or an error.
 * At a start of n8n nothing is removed before its successor is there: the check a minute later makes room (D65).
 */
export type Occasion = 'activation' | 'testRun' | 'start' | 'check' | 'deactivation';

const POLICIES: Record<Occasion, Policy> = {
	...{ activation: USER, testRun: USER },
	...{ start: CHECK, check: CHECK },
	deactivation: ITEM,
};

/** What came of it. */
export type Reconciled = {
	/** Whose deliveries are accepted: in force, not removed yet, or not listed and without a successor: a list may lag. */
	webhooks: readonly RegisteredWebhook[];
	/** Desired, and nothing delivers them. */
	missing: readonly DesiredWebhook[];
	/** Events whose webhooks were gone, and had to be created again (D71). */
	lost: string[];
	/** Why nothing was done, or the first desired webhook that could not be created was not. */
	failure: Error | undefined;
	/** The webhooks that could not be removed, which costs no event. */
	refused: Map<string, Error>;
};

export type Context = IHookFunctions | ITriggerFunctions;

/**
 * Makes the service have exactly the desired webhooks (§4.1–4.3): lists once, creates first, so that no event falls into
 * a gap, then removes. A service that refuses a create may have no room for it, or its URL may be taken: then what is in
 * the way is removed, and the create sent once more. While a desired webhook is missing, nothing that serves an event is
 * removed otherwise. Never throws: the failure is a RequestError, or a NodeOperationError when the service cannot reach
 * this n8n or the selection cannot be used.
 * @param signal cancels the change; what a create that was sent still makes is removed
 */
export async function reconcile(
	ctx: Context,
	runtime: Runtime,
	registration: Registration,
	occasion: Occasion,
	signal?: AbortSignal,
): Promise<Reconciled> {
	const done = await settle(change(ctx, runtime, registration, occasion, signal));
	if (done.ok) return done.value;
	const { webhooks } = registration;
	const urls = new Set(webhooks.map(({ targetUrl }) => targetUrl));
	const missing = desiredOf(registration).filter(({ targetUrl }) => !urls.has(targetUrl));
	return { webhooks, missing, lost: [], failure: done.error, refused: new Map() };
}

async function change(
	ctx: Context,
	runtime: Runtime,
	registration: Registration,
	occasion: Occasion,
	signal: AbortSignal | undefined,
): Promise<Reconciled> {
	const { activeNodes } = runtime;
	const { base, selection, webhooks: known } = registration;
	// Nothing is known to be desired: what is registered stays as it is.
	if (selection?.ok === false) throw selection.error;
	const desired = desiredOf(registration);
	const isComplete = occasion === 'activation' || occasion === 'testRun';
	const client = createClient(ctx, runtime, { signal, policy: POLICIES[occasion] });
	// What is created now delivers before it is known here, with a key that may be new.
	runtime.verifyingClients.forget();
	const digestFor = async (url: string) => digestOf(await client.secretFor(url));
	const wanted = await Promise.all(
		desired.map(async (one) => ({ ...one, digest: await digestFor(one.targetUrl) })),
	);
	const listed = await client.listWebhooks();
	const isOutOfReach = isLocalUrl(base) && !isLocalUrl(await client.baseUrl());
	if (isOutOfReach && desired.length > 0) throw outOfReachError(ctx, base);
	const plan = planRegistration({
		...{ base, wanted, listed, known },
		others: activeNodes.webhooksOfOthers(ctx),
		leftBehind: activeNodes.leftBehind,
	});
	// An n8n that the service cannot reach, and that knows webhooks elsewhere, is mostly a copy of another one's database.
	const removable = plan.remove.filter(({ targetUrl }) => !isOutOfReach || isLocalUrl(targetUrl));
	if (removable.length < plan.remove.length) {
		ctx.logger.warn(
			`The webhooks of "${ctx.getNode().name}" at another URL were not removed, because they seem to belong to another n8n. The service cannot reach this n8n at ${new URL(base).origin}. If they do belong to this n8n, set WEBHOOK_URL, or delete them at the service.`,
			{ workflowId: ctx.getWorkflow().id },
		);
	}
	/** What is created in spite of a cancellation stays when n8n only shuts down: it may deliver until the next start. */
	const undo = async ({ _id: id, targetUrl }: Webhook): Promise<void> => {
		const isShutDown = activeNodes.known(ctx)?.state === 'closed';
		if (!isShutDown) await takeBack(ctx, runtime, [{ id, targetUrl }]);
	};
	const creates = new Creates(client, listed, { signal, isComplete, undo });
	const removals = new Removals(client, activeNodes);
	await creates.send(plan.create);
	if (creates.refused.length > 0 && occasion !== 'start') {
		await removals.send(removable.filter(obstacleTo(creates, isComplete)));
		if (removals.done.size > 0) await creates.send(creates.refused);
	}
	const { created } = creates;
	const [failure] = creates.failures.values();
	if (failure && isComplete) {
		await takeBack(ctx, runtime, created);
		throw failure;
	}
	if (!failure) await removals.send(removable);

	const leaving = new Set(plan.remove.map(({ _id }) => _id).filter((id) => !removals.done.has(id)));
	const failed = [...creates.failures.keys()];
	const withoutSuccessor = new Set(failed.map(({ targetUrl }) => targetUrl));
	const former = known.filter(
		({ id, targetUrl }) => leaving.has(id) || withoutSuccessor.has(targetUrl),
	);
	const webhooks = [...plan.keep, ...created, ...former];
	const delivering = listed.filter(({ _id }) => !removals.done.has(_id));
	const missing = failed.filter((one) => !delivering.some((webhook) => isAsDesired(webhook, one)));
	const lost = plan.lost.filter((one) => !creates.failures.has(one)).map(({ event }) => event);
	return { webhooks, missing, lost, failure, refused: removals.refused };
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
function obstacleTo(creates: Creates, isComplete: boolean): (webhook: Removable) => boolean {
	const failed = [...creates.failures];
	return (webhook) => {
		const { type = ALL_EVENTS, disabled, targetUrl } = settingsOf(webhook);
		// A user is there to see whether it works out, and no workflow relies on it yet.
		if (isComplete || disabled === true) return true;
		// Such a service may compare target URLs without their query.
		const registeredFor = triggerUrlIn(targetUrl)?.event;
		if (failed.some(([{ event }, error]) => isConflict(error) && event === registeredFor))
			return true;
		return (
			type !== ALL_EVENTS && failed.every(([{ event }]) => ![type, ALL_EVENTS].includes(event))
		);
	};
}

/** The removals of a change, and the outcome of each. What cannot be removed is left to the next change of any node. */
class Removals {
	/** IDs. */
	readonly done = new Set<string>();

	readonly refused = new Map<string, Error>();

	constructor(
		private readonly client: Client,
		private readonly activeNodes: Runtime['activeNodes'],
	) {}

	/** Removes what it has not removed yet. */
	async send(webhooks: readonly Removable[]): Promise<void> {
		await mapConcurrently(
			webhooks.filter(({ _id }) => !this.done.has(_id)),
			async ({ _id: id, targetUrl }) => {
				const result = await settle(this.client.deleteWebhook(id));
				if (result.ok) this.done.add(id);
				else this.refused.set(id, result.error);
				if (result.ok) this.activeNodes.leftBehind.delete(id);
				else this.activeNodes.leaveBehind([{ id, targetUrl }]);
			},
		);
	}
}

/** Longer than any policy lets a create take. */
const LONGEST_CREATE_MS = 10 * 60_000;

/** The creates of a change, and the outcome of each. */
class Creates {
	readonly created: RegisteredWebhook[] = [];

	readonly failures = new Map<WantedWebhook, Error>();

	constructor(
		private readonly client: Client,
		private readonly listed: readonly Webhook[],
		private readonly options: {
			signal: AbortSignal | undefined;
			isComplete: boolean;
			/** Called for each webhook that a create still makes after the cancellation. */
			undo: (webhook: Webhook) => Promise<void>;
		},
	) {}

	/** Those that the service refused, and that it may accept once something is out of the way. */
	get refused(): WantedWebhook[] {
		return [...this.failures].flatMap(([one, error]) => (this.isRefusal(error) ? [one] : []));
	}

	private isRefusal(error: Error): boolean {
		return !this.options.signal?.aborted && !isOutage(error);
	}

	/** Creates what it can. After an outage, or a refusal that fails an activation, nothing further is sent. */
	async send(wanted: readonly WantedWebhook[]): Promise<void> {
		const { signal, isComplete, undo } = this.options;
		const known = new Set(this.listed.map(({ _id }) => _id));
		let stop: Error | undefined;
		for (const one of wanted) this.failures.delete(one);
		await mapConcurrently(wanted, async (one) => {
			if (stop) {
				this.failures.set(one, stop);
				return;
			}
			const secret = await this.client.secretFor(one.targetUrl);
			let creating: Promise<Webhook> | undefined;
			const create = async (): Promise<Webhook> =>
				await (creating = this.client.createWebhook({ ...webhookSettings(one), secret }, known));
			// A create that was sent runs to its end, for which nobody waits after a cancellation.
			const result = await settle(within(LONGEST_CREATE_MS, signal, create));
			if (result.ok) {
				const { event, targetUrl, digest } = one;
				this.created.push({ id: result.value._id, event, targetUrl, digest });
				return;
			}
			if (signal?.aborted) void creating?.then(undo, () => undefined);
			this.failures.set(one, isConflict(result.error) ? URL_TAKEN : result.error);
			if (!this.isRefusal(result.error) || isComplete) stop = result.error;
		});
	}
}

/**
 * Removes what a change created that has failed or was cancelled. What cannot be removed is logged; the next change with
 * the same API key removes it.
 */
async function takeBack(
	ctx: Context,
	runtime: Runtime,
	webhooks: ReadonlyArray<Pick<RegisteredWebhook, 'id' | 'targetUrl'>>,
): Promise<void> {
	// The credential is read again, because nothing must cancel this.
	const removals = new Removals(createClient(ctx, runtime, { policy: ITEM }), runtime.activeNodes);
	await removals.send(webhooks.map(({ id, targetUrl }) => ({ _id: id, targetUrl })));
	for (const { id, targetUrl } of webhooks) {
		if (removals.done.has(id)) continue;
		ctx.logger.warn(
			`The webhook ${id} (${targetUrl}) was created by a change that failed, and could not be removed: ${removals.refused.get(id)?.message}. The next check or activation removes it.`,
			{ workflowId: ctx.getWorkflow().id },
		);
	}
}

/** A service may allow a target URL only once, and compare it without its query, in which a node's webhooks differ. */
const URL_TAKEN = new RequestError(
	'conflict',
	{
		message: 'The service refuses the target URL of this workflow: another webhook already has it',
		description:
			"Find the other webhook with the operation 'Get Many', and delete it if nobody needs it. If it belongs to this workflow, set the option 'Webhooks: Subscription' to 'One Webhook for Everything'. If it is not listed, another team has it: add a new trigger node to this workflow, which gets a different target URL.",
	},
	{ status: 409 },
);

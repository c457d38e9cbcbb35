import type { INode, Logger } from 'n8n-workflow';

import type { Client } from '../../api/createClient';
import { isCancelled, isConflict, isOutage, RequestError } from '../../api/errors';
import { ALL_EVENTS } from '../../model/eventTypes';
import type { DesiredWebhook, RegisteredWebhook } from '../../model/registration';
import { settingsOf, type Webhook } from '../../model/schemas';
import { digestOf } from '../../model/secret';
import { isSameUrl, normalizeUrl } from '../../model/targetUrl';
import { nodeKey } from '../../runtime/nodeKey';
import type { Runtime } from '../../runtime/runtime';
import { mapConcurrently } from '../../utils/mapConcurrently';
import { settle } from '../../utils/settle';
import { webhookSettings } from './desired';
import { isAsDesired, planRegistration, type WantedWebhook } from './plan';

/** Where and for which node webhooks are changed. */
export type Work = {
	ctx: { getWorkflow(): { id?: string | undefined }; getNode(): INode; logger: Logger };
	runtime: Runtime;
	client: Client;
};

export type Registration = {
	base: string;
	desired: readonly DesiredWebhook[];
	/** What was registered, in this process or before. */
	known: readonly RegisteredWebhook[];
	/** Whether this process has seen everything complete: then a webhook that it does not know is not the node's. */
	wasComplete?: boolean;
};

export type ReconcileOptions = {
	/** All or nothing: a user activates the workflow, who gets everything or an error. */
	isComplete?: boolean;
	/** Nothing is removed: what is desired is not known. */
	removesNothing?: boolean;
	/** After the list, before anything is changed; it may throw. */
	beforeChanges?: () => Promise<void>;
	/** Told what is registered soon: a webhook delivers as soon as it exists, before the response to its create. */
	expect?: (webhooks: RegisteredWebhook[]) => void;
};

/** What came of it. */
export type Reconciled = {
	/** Whose deliveries are accepted: in force, not removed yet, or gone and without a successor so far. */
	webhooks: RegisteredWebhook[];
	/** Desired, and nothing delivers them. */
	missing: DesiredWebhook[];
	/** Events whose webhooks were gone, and had to be created again (D59). */
	lost: string[];
	/** Why a desired webhook could not be created; the first of several. */
	failure: Error | undefined;
	/** The webhooks that could not be removed, which costs no event. */
	refused: Map<string, Error>;
};

/** The ID of a webhook that is just being created, or of which only the settings are known. */
export const PENDING = '';

/** Stands for the digest of a webhook that an earlier process registered: what n8n stored of it is lost. */
export const UNKNOWN_DIGEST = '';

/**
 * Makes the service have exactly the desired webhooks (§4.1–4.3): lists once, creates first, so that no event falls into
 * a gap, then removes. A service that refuses a create may have no room for it, or its URL may be taken: then what is in
 * the way is removed, and the create sent once more. While a desired webhook is missing, nothing that serves an event is
 * removed otherwise.
 * @throws RequestError when the list cannot be fetched; with `isComplete` also when a webhook cannot be created, after
 *   removing those that were
 */
export async function reconcile(
	work: Work,
	{ base, desired, known, wasComplete = false }: Registration,
	{ isComplete = false, removesNothing = false, beforeChanges, expect }: ReconcileOptions = {},
): Promise<Reconciled> {
	const { ctx, runtime, client } = work;
	const digestFor = async (url: string) => digestOf(await client.secretFor(url));
	const wanted = await Promise.all(
		desired.map(async (one) => ({ ...one, digest: await digestFor(one.targetUrl) })),
	);
	const listed = await client.listWebhooks();
	await beforeChanges?.();
	const others = runtime.activeNodes.webhooksOfOthers(ctx);
	const plan = planRegistration({ base, wanted, listed, known, others });
	if (plan.create.length > 0) {
		expect?.([...known, ...plan.create.map((one) => ({ ...one, id: PENDING }))]);
		runtime.derivedDigests.forget(nodeKey(ctx));
	}
	const removable = removesNothing ? [] : plan.remove;

	const creates = new Creates(client, listed, isComplete);
	await creates.send(plan.create);
	const refused = new Map<string, Error>();
	const removed = new Set<string>();
	const remove = async (webhooks: readonly Webhook[]): Promise<void> => {
		await mapConcurrently(webhooks, async ({ _id }) => {
			const result = await settle(client.deleteWebhook(_id));
			if (result.ok) removed.add(_id);
			else refused.set(_id, result.error);
		});
	};
	if (creates.refused.length > 0) {
		await remove(removable.filter(obstacleTo(creates, isComplete)));
		if (removed.size > 0) await creates.send(creates.refused);
	}
	const { created } = creates;
	const failure = creates.failure(removed);
	if (failure && isComplete) {
		await undo(work, created);
		throw failure;
	}
	if (!failure) await remove(removable.filter(({ _id }) => !removed.has(_id)));

	const isListed = new Set(listed.map(({ _id }) => _id));
	const inForce = new Set([...plan.keep, ...created].map(({ id }) => id));
	const remaining = known.filter(
		({ id }) => isListed.has(id) && !inForce.has(id) && !removed.has(id),
	);
	const gone: RegisteredWebhook[] = [];
	/** Not listed, and registered with an earlier key. */
	const ofEarlierKey: RegisteredWebhook[] = [];
	for (const one of known.filter(({ id }) => !isListed.has(id))) {
		const { digest, targetUrl } = one;
		const isCurrent = digest === UNKNOWN_DIGEST || digest === (await digestFor(targetUrl));
		(isCurrent ? gone : ofEarlierKey).push(one);
	}

	const atUrl = new Map<string, Webhook[]>();
	for (const webhook of listed) {
		const url = normalizeUrl(webhook.targetUrl);
		atUrl.set(url, [...(atUrl.get(url) ?? []), webhook]);
	}
	/** The listed webhooks that deliver what is desired, whoever created them. */
	const delivering = (one: DesiredWebhook): Webhook[] =>
		(atUrl.get(normalizeUrl(one.targetUrl)) ?? []).filter((webhook) => isAsDesired(webhook, one));
	const worked = (one: RegisteredWebhook): boolean =>
		delivering(one).some(({ _id }) => _id === one.id);
	const ids = new Set(known.map(({ id }) => id));
	const hadStopped = known.filter((one) => !ofEarlierKey.includes(one) && !worked(one));
	const lost = created.filter(
		(one) =>
			hadStopped.some(({ targetUrl }) => targetUrl === one.targetUrl) &&
			// Before everything was complete here, an earlier process may have created it without n8n saving that.
			!delivering(one).some(({ _id }) => !wasComplete || ids.has(_id)),
	);
	const isDelivered = (one: DesiredWebhook): boolean =>
		delivering(one).some(({ _id }) => !removed.has(_id));
	const notCreated = new Map(creates.missing.map((one) => [one.targetUrl, one]));
	// What stands in for it may be what an earlier process created, with the same secret.
	const waiting = gone.filter(({ targetUrl }) => notCreated.has(targetUrl));
	const standIns = ofEarlierKey.filter((one) => notCreated.has(one.targetUrl) && isDelivered(one));
	warnOfEarlierKey(
		work,
		ofEarlierKey.filter((one) => !standIns.includes(one)),
	);
	return {
		webhooks: [...plan.keep, ...created, ...remaining, ...waiting, ...standIns],
		missing: creates.missing.filter((one) => !isDelivered(one)),
		lost: lost.map(({ event }) => event),
		failure,
		refused,
	};
}

/** Whether a webhook can go before its successor is there, because it makes room for it. */
function obstacleTo(creates: Creates, isComplete: boolean): (webhook: Webhook) => boolean {
	const { missing, conflicts } = creates;
	return (webhook) => {
		const { type = ALL_EVENTS, disabled, targetUrl } = settingsOf(webhook);
		// A user is there to see whether it works out, and no workflow relies on it yet.
		if (isComplete || disabled === true) return true;
		if (conflicts.some((one) => isSameUrl(one.targetUrl, targetUrl))) return true;
		return type !== ALL_EVENTS && missing.every(({ event }) => ![type, ALL_EVENTS].includes(event));
	};
}

/** The creates of a plan, and the outcome of each. */
class Creates {
	readonly created: RegisteredWebhook[] = [];

	private readonly failures = new Map<WantedWebhook, Error>();

	constructor(
		private readonly client: Client,
		private readonly listed: readonly Webhook[],
		private readonly isComplete: boolean,
	) {}

	get missing(): WantedWebhook[] {
		return [...this.failures.keys()];
	}

	/** Those that the service refused, and that it may accept once something is out of the way. */
	get refused(): WantedWebhook[] {
		return this.failedWith((error) => !isOutage(error) && !isCancelled(error));
	}

	/** Those whose target URL another webhook has, where a service allows it only once (D7). */
	get conflicts(): WantedWebhook[] {
		return this.failedWith(isConflict);
	}

	/** @param removed IDs of the webhooks that are no longer in the way */
	failure(removed: ReadonlySet<string>): Error | undefined {
		const [first] = this.failures;
		if (!first) return undefined;
		const [desired, error] = first;
		if (!isConflict(error)) return error;
		const there = this.listed.filter(({ _id }) => !removed.has(_id));
		return conflictError(desired, there);
	}

	private failedWith(fits: (error: Error) => boolean): WantedWebhook[] {
		return [...this.failures].flatMap(([desired, error]) => (fits(error) ? [desired] : []));
	}

	/** Creates what it can. After an outage, or a refusal that fails an activation, nothing further is sent. */
	async send(wanted: readonly WantedWebhook[]): Promise<void> {
		const known = new Set(this.listed.map(({ _id }) => _id));
		let stop: Error | undefined;
		for (const one of wanted) this.failures.delete(one);
		await mapConcurrently(wanted, async (one) => {
			if (stop) {
				this.failures.set(one, stop);
				return;
			}
			const settings = webhookSettings(one, await this.client.secretFor(one.targetUrl));
			const result = await settle(
				this.client.createWebhook(settings, { known, cancellable: 'untilSent' }),
			);
			if (result.ok) {
				this.created.push({ ...one, id: result.value._id });
				return;
			}
			this.failures.set(one, result.error);
			const isRefused = !isOutage(result.error) && !isCancelled(result.error);
			if (!isRefused || this.isComplete) stop = result.error;
		});
	}
}

/** Services that allow a target URL only once may compare it without its query, in which a node's webhooks differ. */
const withoutQuery = (url: string): string =>
	normalizeUrl(url).replace(/\?.*/, '').replace(/\/+$/, '').toLowerCase();

function conflictError(desired: DesiredWebhook, webhooks: readonly Webhook[]): RequestError {
	const url = withoutQuery(desired.targetUrl);
	const other = webhooks.find(({ targetUrl }) => withoutQuery(targetUrl) === url);
	return RequestError.forResponse(
		{ status: 409 },
		{
			// When an activation fails, n8n 2 shows the message alone and n8n 1 the description alone: the webhook is in both.
			message: `The service refuses the target URL of this workflow: ${other ? `the webhook ${other._id}` : 'another webhook'} already has it`,
			description: other
				? `The target URL of this workflow belongs to the webhook ${other._id}: ${other.targetUrl}. Delete it if nobody needs it. If it belongs to this workflow, set the option 'Subscription' to 'One Webhook for Everything'.`
				: 'Another team has a webhook with the target URL of this workflow. Add a new trigger node to this workflow: it gets a different target URL.',
		},
	);
}

/**
 * Removes what a failing activation has created. What cannot be removed is logged; the next activation finds it by its
 * target URL.
 */
async function undo({ ctx, client }: Work, created: readonly RegisteredWebhook[]): Promise<void> {
	await mapConcurrently(created, async ({ id, event }) => {
		const result = await settle(client.deleteWebhook(id));
		if (result.ok) return;
		ctx.logger.warn(
			`Webhook ${id} (${event}) could not be removed after an activation that failed: ${result.error.message}. The next activation of the workflow removes it.`,
		);
	});
}

/** Webhooks that an earlier API key registered, and that the current one does not list: perhaps those of another team. */
function warnOfEarlierKey({ ctx }: Work, webhooks: readonly RegisteredWebhook[]): void {
	if (webhooks.length === 0) return;
	const ids = [...new Set(webhooks.map(({ id }) => id))];
	ctx.logger.warn(
		`The service no longer lists the webhooks ${ids.join(', ')} of "${ctx.getNode().name}". If the API key has since been changed to one of another team, delete them in the earlier team.`,
		{ workflowId: ctx.getWorkflow().id },
	);
}

/**
 * Removes all webhooks of a node: the registered ones, also those that the service does not list yet, and those at one of
 * its target URLs.
 * @param isOurs whether this n8n registered what is at a URL
 * @returns the registered webhooks that remain, and why some could not be removed
 * @throws RequestError when the list cannot be fetched
 */
export async function removeAll(
	work: Work,
	{ base, known }: Pick<Registration, 'base' | 'known'>,
	isOurs: (targetUrl: string) => boolean = () => true,
): Promise<Pick<Reconciled, 'refused'> & { remaining: RegisteredWebhook[]; foreign: Webhook[] }> {
	const { ctx, runtime, client } = work;
	const listed = await client.listWebhooks();
	const others = runtime.activeNodes.webhooksOfOthers(ctx);
	const { remove } = planRegistration({ base, wanted: [], listed, known, others });
	const foreign = remove.filter(({ targetUrl }) => !isOurs(targetUrl));
	const isListed = new Set(listed.map(({ _id }) => _id));
	const unlisted = known.filter(({ id }) => id !== PENDING && !isListed.has(id));
	const refused = new Map<string, Error>();
	const unreachable: RegisteredWebhook[] = [];
	const ids = remove.filter((webhook) => !foreign.includes(webhook)).map(({ _id }) => _id);
	await mapConcurrently([...ids, ...unlisted.map(({ id }) => id)], async (id) => {
		const result = await settle(client.deleteWebhook(id));
		if (!result.ok) {
			refused.set(id, result.error);
			return;
		}
		const one = unlisted.find((webhook) => webhook.id === id);
		if (!one || result.value.wasFound) return;
		if (one.digest !== digestOf(await client.secretFor(one.targetUrl))) unreachable.push(one);
	});
	warnOfEarlierKey(work, unreachable);
	const stays = new Set([...refused.keys(), ...foreign.map(({ _id }) => _id)]);
	return { refused, foreign, remaining: known.filter(({ id }) => stays.has(id)) };
}

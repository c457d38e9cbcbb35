/** Which webhooks an event goes to, and the attempts to deliver it (§6). */
import { setTimeout as sleep } from 'node:timers/promises';
import fastq, { type queueAsPromised } from 'fastq';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { DEFAULT_TEAM, sampleActivity, type Activity } from './model/activity';
import { groupCovers } from './model/eventTypes';
import type { HookStore, StoredHook } from './model/hooks';
import { addTo, makeId } from './support';
import type { Switches } from './switches';

/** One attempt to deliver one activity to one webhook. */
export interface LedgerEntry {
	hookId: string;
	/** Undefined when the activity has no `_id`. */
	activityId: string | undefined;
	type: string;
	targetUrl: string;
	/** Counted from 1. */
	attempt: number;
	/** Start of the attempt: ISO 8601, UTC. */
	at: string;
	/** The status of the receiver's response. Undefined if there was no response. */
	status: number | undefined;
	/** Why there was no response: an error code such as ECONNREFUSED, or a message. */
	error: string | undefined;
	/** Duration of the attempt in milliseconds. */
	ms: number;
	/** Whether no further attempt follows. */
	final: boolean;
}

type Outcome = Pick<LedgerEntry, 'status' | 'error'>;

/** Deliveries in flight at once. */
const CONCURRENCY = 64;

/** How many attempts to keep. */
const LEDGER_SIZE = 2000;

/** How long a sender that disconnects (`disconnectEvery`) waits for a response, in milliseconds. */
const DISCONNECT_AFTER_MS = 500;

/** Sends events to the webhooks that match them, with limited concurrency and the retries that the switches set (§6). */
export class Emitter {
	private readonly agent = new Agent({ keepAliveTimeout: 4000 });
	private isClosed = false;
	private firstAttempts = 0;
	private readonly queue: queueAsPromised<() => Promise<LedgerEntry>, LedgerEntry> = fastq.promise(
		async (attempt: () => Promise<LedgerEntry>) => attempt(),
		CONCURRENCY,
	);
	/** The webhooks with `isFirst`, each with a lead and a campaign of which it has received an activity. */
	private readonly received = new Set<string>();
	private nextSeed = 1;
	/** The newest attempts (`LEDGER_SIZE`), oldest first. */
	readonly ledger: LedgerEntry[] = [];

	constructor(
		private readonly store: HookStore,
		private readonly switches: () => Switches,
	) {}

	/** Delivers to every matching webhook of the activity's team, as often as `copies` says. @returns all attempts. */
	async emit(input: Activity, copies: number): Promise<LedgerEntry[]> {
		const activity = completeActivity(input, this.nextSeed++);
		const deliveries = this.store
			.list(activity.teamId ?? DEFAULT_TEAM)
			.filter((hook) => this.isMatch(hook, activity))
			.flatMap((hook) => Array.from({ length: copies }, () => this.deliver(hook, activity)));
		return (await Promise.all(deliveries)).flat();
	}

	/** Aborts the requests in flight. Deliveries that wait are no longer sent. */
	async close(): Promise<void> {
		this.isClosed = true;
		await this.agent.destroy();
	}

	/** Whether a webhook receives an activity (§6.3). */
	private isMatch(hook: StoredHook, activity: Activity): boolean {
		const { type, campaignId, isFirst, disabled } = hook;
		const isOfType =
			type === undefined || type === activity.type || groupCovers(type, activity.type);
		const isOfCampaign = campaignId === undefined || campaignId === activity.campaignId;
		if (disabled || !isOfType || !isOfCampaign) return false;
		return isFirst !== true || this.isFirst(hook, activity);
	}

	/** Whether this is the first activity of its lead in its campaign (§2.1). The next one isn't. */
	private isFirst({ id }: StoredHook, { campaignId, leadId }: Activity): boolean {
		const key = JSON.stringify([id, campaignId, leadId]);
		const isFirst = !this.received.has(key);
		this.received.add(key);
		return isFirst;
	}

	/**
	 * Delivers, and waits until the outcome is final: a 2xx, the last attempt, or the end of the webhook or the service.
	 * Never rejects: failures are in the attempts.
	 */
	private async deliver(hook: StoredHook, activity: Activity): Promise<LedgerEntry[]> {
		// §6.4.5: with the webhook's secret, if it has one.
		const body = JSON.stringify({ ...activity, secret: hook.secret ?? activity.secret });
		const attempts: LedgerEntry[] = [];
		let isFinal = false;
		while (!isFinal) {
			const { redeliveryDelayMs } = this.switches();
			if (attempts.length > 0) await sleep(redeliveryDelayMs, undefined, { ref: false });
			const attempt = attempts.length + 1;
			const entry = await this.queue.push(() => this.attempt(hook, activity, body, attempt));
			addTo(this.ledger, entry, LEDGER_SIZE);
			attempts.push(entry);
			isFinal = entry.final;
		}
		return attempts;
	}

	private async attempt(
		hook: StoredHook,
		{ _id, type }: Activity,
		body: string,
		attempt: number,
	): Promise<LedgerEntry> {
		const { id: hookId, targetUrl } = hook;
		const began = performance.now();
		const at = new Date().toISOString();
		const error = this.whyNotSent(hook);
		const outcome =
			error === undefined
				? await this.post(targetUrl, body, this.timeoutMs(attempt))
				: { status: undefined, error };
		const ms = Math.round((performance.now() - began) * 10) / 10;
		const final = !this.shouldRetry(hook, outcome, attempt);
		return { hookId, activityId: _id, type, targetUrl, attempt, at, ...outcome, ms, final };
	}

	/** Follows no redirects: a 3xx is a response like any other that isn't a 2xx. */
	private async post(url: string, body: string, timeoutMs: number): Promise<Outcome> {
		try {
			const response = await request(url, {
				method: 'POST',
				headers: { 'content-type': 'application/json', 'user-agent': 'outreach-service' },
				body,
				dispatcher: this.agent,
				signal: AbortSignal.timeout(timeoutMs),
			});
			await response.body.dump();
			return { status: response.statusCode, error: undefined };
		} catch (error) {
			return { status: undefined, error: reasonFor(error) };
		}
	}

	/** Deleting or disabling the webhook ends the subscription (§6.3.3), so deliveries that still wait aren't sent. */
	private whyNotSent({ id }: StoredHook): string | undefined {
		const current = this.store.get(id);
		if (current === undefined) return 'webhook deleted';
		if (current.disabled) return 'webhook disabled';
		return this.isClosed ? 'service stopped' : undefined;
	}

	private timeoutMs(attempt: number): number {
		const { disconnectEvery, deliveryTimeoutMs } = this.switches();
		if (attempt > 1 || disconnectEvery === 0) return deliveryTimeoutMs;
		this.firstAttempts += 1;
		return this.firstAttempts % disconnectEvery === 0 ? DISCONNECT_AFTER_MS : deliveryTimeoutMs;
	}

	private shouldRetry(hook: StoredHook, { status }: Outcome, attempt: number): boolean {
		const { redeliveries, redeliverOn } = this.switches();
		if (attempt > redeliveries || this.whyNotSent(hook) !== undefined) return false;
		if (status === undefined || status >= 500) return true;
		return redeliverOn === 'notOk' && (status < 200 || status > 299);
	}
}

/** Node.js errors carry a code, those of undici and abort signals a name. */
const errorSchema = z.object({
	name: z.string(),
	message: z.string(),
	code: z.string().optional().catch(undefined),
});

function reasonFor(error: unknown): string {
	const { name, message, code = message } = errorSchema.parse(error);
	return name === 'TimeoutError' ? 'timed out' : code;
}

/**
 * Fills in the fields that `input` lacks. An input with `_id`, `teamId` and `createdAt` is complete and kept as it is.
 * Otherwise the other fields come from a sample with a new `_id` and the current time; a field that is `undefined` is
 * omitted.
 */
function completeActivity(input: Activity, seed: number): Activity {
	if (['_id', 'teamId', 'createdAt'].every((field) => Object.hasOwn(input, field))) return input;
	return {
		...sampleActivity(input.type, seed),
		_id: makeId('act_'),
		teamId: DEFAULT_TEAM,
		createdAt: new Date().toISOString(),
		...input,
	};
}

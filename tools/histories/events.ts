/** What was delivered in a history, compared with what ran. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { newActivityId } from '../load/events';
import { judge, overlaps, type Period, type Run, type Selected, type Verdict } from '../load/judge';
import type { LedgerEntry } from '../service';
import { CAMPAIGN, selects, subscriptionFor, type Settings } from './settings';
import type { EventAttempt, Executions, Source, Trigger, World } from './world';

const eventOf = ({ webhookUrl, subscription, type, id }: Source) =>
	`${type} ${id} at ${webhookUrl} for ${subscription}`;

/** An item of the trigger with _Data Format: Grouped_. */
const itemSchema = z.object({
	event: z.object({ id: z.string(), type: z.string(), subscription: z.string() }),
});

/** The events in the items with which a trigger has started an execution. */
export const runsOf = (
	items: readonly unknown[],
	{ webhookUrl }: Trigger,
	execution: Omit<Run, 'event'>,
): Run[] =>
	items.flatMap((item): Run[] => {
		const event = itemSchema.safeParse(item).data?.event;
		return event === undefined ? [] : [{ ...execution, event: eventOf({ ...event, webhookUrl }) }];
	});

/** One attempt to deliver, and whether who sent it knows the webhook's secret: undefined if that cannot be told any more. */
type Delivery = LedgerEntry & { isForged: boolean | undefined };

/** How much later than its sender has given up n8n may handle a delivery, in milliseconds. */
const GIVEN_UP_MS = 30_000;

/** The deliveries of a history. */
export class Events {
	readonly deliveries: Delivery[] = [];
	private readonly pending = new Set<Promise<unknown>>();
	/** The types sent for each activity. */
	private readonly sent = new Map<string, Set<string>>();

	/** @param isForged whether the webhook with this ID and target URL lacks the secret */
	constructor(
		private readonly world: World,
		private readonly isForged: (hookId: string, targetUrl: string) => boolean | undefined,
	) {}

	/** Has the service deliver an activity. @returns the attempts, once the outcome at each webhook is final */
	async send(type: string, id = newActivityId(), copies = 1): Promise<LedgerEntry[]> {
		if (!this.world.areReachable) return [];
		this.sent.set(id, (this.sent.get(id) ?? new Set()).add(type));
		const activity = {
			_id: id,
			createdAt: new Date().toISOString(),
			teamId: this.world.team,
			campaignId: CAMPAIGN,
			leadId: `lea_${randomUUID()}`,
			type,
		};
		const delivery = this.world.service.emit(activity, { copies }).then((attempts) => {
			for (const one of attempts) {
				this.deliveries.push({ ...one, isForged: this.isForged(one.hookId, one.targetUrl) });
			}
			this.pending.delete(delivery);
			return attempts;
		});
		this.pending.add(delivery);
		return await delivery;
	}

	/** Waits until no delivery is in progress. */
	async delivered(): Promise<void> {
		while (this.pending.size > 0) await Promise.all(this.pending);
	}

	/** Sends an activity to a target URL as somebody who does not know the secret. */
	async forge(targetUrl: string, type: string): Promise<void> {
		if (!this.world.areReachable) return;
		const [from, activityId] = [performance.now(), newActivityId()];
		const at = new Date().toISOString();
		const response = await fetch(targetUrl, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ _id: activityId, type, campaignId: CAMPAIGN, secret: 'f'.repeat(64) }),
		}).catch(() => undefined);
		this.deliveries.push({
			hookId: '',
			activityId,
			type,
			targetUrl,
			status: response?.status,
			error: undefined,
			ms: performance.now() - from,
			attempt: 1,
			at,
			final: true,
			isForged: true,
		});
	}

	/** Sends again what n8n has not accepted although its webhook still exists. @returns what it has not accepted even then */
	async resend(existing: ReadonlySet<string>, count: number): Promise<string[]> {
		const resent = this.undelivered(existing).slice(-count);
		for (const id of resent) for (const type of this.sent.get(id) ?? []) await this.send(type, id);
		const remaining = new Set(this.undelivered(existing));
		return resent.filter((id) => remaining.has(id));
	}

	private undelivered(existing: ReadonlySet<string>): string[] {
		const pending = new Map<string, string>();
		for (const { activityId = '', type, targetUrl, status, isForged } of this.deliveries) {
			const key = [activityId, type, targetUrl].join(' ');
			if (status === 200) pending.delete(key);
			else if (isForged === false && existing.has(targetUrl)) pending.set(key, activityId);
		}
		return [...new Set(pending.values())];
	}

	/** Each accepted event has run once, and none that was forged, over the whole history so far. */
	judge({ runs, losses }: Executions): Verdict {
		const ran = new Set(runs.map(({ event }) => event));
		const attempts = this.deliveries.flatMap((entry) => this.attemptOf(entry, ran));
		return judge(attempts, runs, {
			downTimes: this.world.downTimes,
			losses,
			mayBeRefused: true,
			selected: (attempt) => this.selectionFor(attempt),
		});
	}

	/** @returns nothing for a delivery to somebody else, or to a test run */
	private attemptOf(
		{ activityId: id, targetUrl, type, status, at, ms, isForged }: Delivery,
		ran: ReadonlySet<string>,
	): EventAttempt[] {
		const { webhookUrl } = triggerAt(this.world, targetUrl) ?? {};
		if (webhookUrl === undefined || id === undefined) return [];
		const from = Date.parse(at);
		const period = { from, until: from + Math.ceil(ms) };
		// What its sender has given up, a busy n8n may handle when the settings have changed.
		const handledUntil = status === undefined ? period.until + GIVEN_UP_MS : period.until;
		const handled = { from, until: handledUntil };
		const sources = this.settingsDuring(webhookUrl, handled).map((settings) => ({
			webhookUrl,
			type,
			id,
			subscription: subscriptionFor(settings, type),
		}));
		// While the settings were changing, it counts for what ran.
		const source = sources.find((one) => ran.has(eventOf(one))) ?? sources[0];
		if (source === undefined) return [];
		return [{ event: eventOf(source), ...source, ...period, status, isForged }];
	}

	/** The settings that the trigger at this URL may have used in a period. */
	private settingsDuring(webhookUrl: string, period: Period): Settings[] {
		const { periods = [] } = triggerAt(this.world, webhookUrl) ?? {};
		return periods.filter((one) => overlaps(one, period)).map(({ settings }) => settings);
	}

	private selectionFor(attempt: EventAttempt): Selected {
		const selections = this.settingsDuring(attempt.webhookUrl, attempt).map((settings) =>
			selects(settings, attempt.type),
		);
		if (selections.every(Boolean)) return 'yes';
		return selections.some(Boolean) ? 'maybe' : 'no';
	}
}

/** A target URL without its query. */
export const baseOf = (targetUrl: string): string => targetUrl.replace(/\/?(\?.*)?$/, '');

/** The trigger with this production URL, with or without a query. */
export const triggerAt = ({ workflows }: World, targetUrl: string): Trigger | undefined =>
	workflows
		.flatMap(({ triggers }) => triggers)
		.find(({ webhookUrl }) => webhookUrl === baseOf(targetUrl));

/** What was delivered in a history, compared with what ran. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { judge, overlaps, type Run, type Selected, type Verdict } from '../load/judge';
import { newActivityId } from '../load/send';
import type { LedgerEntry } from '../service';
import { CAMPAIGN, selects, subscriptionFor } from './settings';
import type { EventAttempt, Executions, Trigger, World } from './world';

/** One activity of one type runs once for each subscription of a trigger: the selected event, `*` for all events. */
const eventOf = (webhookUrl: string, type: string, id: string, subscription: string) =>
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
		const { event } = itemSchema.safeParse(item).data ?? {};
		if (event === undefined) return [];
		const { type, id, subscription } = event;
		return [{ ...execution, event: eventOf(webhookUrl, type, id, subscription) }];
	});

/** One attempt to deliver, and whether who sent it knows the webhook's secret: undefined if that cannot be told any more. */
type Delivery = Pick<LedgerEntry, 'activityId' | 'type' | 'targetUrl' | 'status' | 'at' | 'ms'> & {
	isForged: boolean | undefined;
};

/** The deliveries of a history. */
export class Events {
	readonly deliveries: Delivery[] = [];
	private readonly pending = new Set<Promise<unknown>>();

	/** @param isForged whether the webhook with this ID and target URL lacks the secret */
	constructor(
		private readonly world: World,
		private readonly isForged: (hookId: string, targetUrl: string) => boolean | undefined,
	) {}

	/** Has the service deliver an activity. @returns the attempts, once the outcome at each webhook is final */
	async send(type: string, id = newActivityId(), copies = 1): Promise<LedgerEntry[]> {
		if (!this.world.areReachable) return [];
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
		const { status } = response ?? {};
		const ms = performance.now() - from;
		this.deliveries.push({ activityId, type, targetUrl, status, at, ms, isForged: true });
	}

	/** Each accepted event has run once, and none that was forged, over the whole history so far. */
	judge({ runs, losses }: Executions): Verdict {
		const ran = new Set(runs.map(({ event }) => event));
		const attempts = this.deliveries.flatMap((entry) => this.attemptsOf(entry, ran));
		return judge(attempts, runs, {
			downTimes: this.world.downTimes,
			losses,
			mayBeRefused: true,
			selected: (attempt) => this.selectionFor(attempt),
		});
	}

	/**
	 * A delivery counts for each subscription with which its activity ran: a trigger changes from one to another while a change
	 * is published, a busy n8n may be late, and each of two subscriptions may then run the activity once.
	 *
	 * @returns nothing for a delivery to somebody else, or to a test run
	 */
	private attemptsOf(
		{ activityId: id, targetUrl, type, status, at, ms, isForged }: Delivery,
		ran: ReadonlySet<string>,
	): EventAttempt[] {
		const { webhookUrl, periods } = triggerAt(this.world, targetUrl) ?? {};
		if (webhookUrl === undefined || periods === undefined || id === undefined) return [];
		const events = periods.map(({ settings }) =>
			eventOf(webhookUrl, type, id, subscriptionFor(settings, type)),
		);
		const ranAs = new Set(events.filter((event) => ran.has(event)));
		const from = Date.parse(at);
		const until = from + Math.ceil(ms);
		const attempt = { webhookUrl, type, from, until, status, isForged };
		return [...(ranAs.size > 0 ? ranAs : events.slice(0, 1))].map((event) => ({
			event,
			...attempt,
		}));
	}

	/** What its sender has given up, a busy n8n may handle with later settings. */
	private selectionFor({ webhookUrl, type, status, ...period }: EventAttempt): Selected {
		const { periods = [] } = triggerAt(this.world, webhookUrl) ?? {};
		const selections = periods
			.filter((one) => overlaps(one, period))
			.map(({ settings }) => selects(settings, type));
		if (selections.every(Boolean)) return 'yes';
		return selections.some(Boolean) || status === undefined ? 'maybe' : 'no';
	}
}

/** A target URL without its query. */
export const baseOf = (targetUrl: string): string => targetUrl.replace(/\/?(\?.*)?$/, '');

/** The trigger with this production URL, with or without a query. */
export const triggerAt = ({ workflows }: World, targetUrl: string): Trigger | undefined =>
	workflows
		.flatMap(({ triggers }) => triggers)
		.find(({ webhookUrl }) => webhookUrl === baseOf(targetUrl));

import { z } from 'zod';
import { DEFAULT_TEAM, type Activity, type ActivityInput } from '../model/activity';
import { groupCovers, recipientsOf } from '../model/eventTypes';
import type { HookStore, StoredHook } from '../model/hooks';
import { sampleActivity, sampleThirdPartyReply } from '../model/sampleActivity';
import { makeId } from '../support';
import type { Switches } from '../switches';
import type { Dispatcher, LedgerEntry } from './dispatcher';

/** How to send one event. */
export interface EmitOptions {
	/** The team whose webhooks receive it. Default: the activity's `teamId`; for a sample, the team of the first key. */
	team?: string;
	/** Send the input unchanged: nothing is filled in, normalized or omitted. */
	exact?: boolean;
	/** How many copies to send to each matching webhook at the same time. Default 1. */
	copies?: number;
}

/** Sends events to the webhooks that match them (§6). */
export class Emitter {
	/** The leads and campaigns of which a webhook with `isFirst` has received an activity. */
	private readonly received = new WeakMap<StoredHook, Set<string>>();
	private nextSeed = 1;

	constructor(
		private readonly store: HookStore,
		private readonly dispatcher: Dispatcher,
		private readonly switches: () => Switches,
		private readonly defaultTeam: string,
	) {}

	/** Delivers to every matching webhook and waits until each outcome is final. @returns all attempts. */
	async emit(
		input: ActivityInput,
		{ team = this.teamOf(input), exact = false, copies = 1 }: EmitOptions = {},
	): Promise<LedgerEntry[]> {
		const activity: Activity = exact
			? input
			: withRecipients(completeActivity(input, team, this.nextSeed++));
		const hooks = this.store.list(team).filter((hook) => this.isMatch(hook, activity));
		const deliveries = hooks.flatMap((hook) => {
			const body = this.bodyFor(hook, activity);
			const delivery = { hook, activityId: activity._id, type: activity.type, body };
			return Array.from({ length: copies }, () => this.dispatcher.deliver(delivery));
		});
		return (await Promise.all(deliveries)).flat();
	}

	/** Samples always carry the default team, even if this service was started for another one. */
	private teamOf({ teamId }: ActivityInput): string {
		return typeof teamId === 'string' && teamId !== DEFAULT_TEAM ? teamId : this.defaultTeam;
	}

	/** Whether a webhook receives an activity (§6.3). */
	private isMatch(hook: StoredHook, activity: Activity): boolean {
		const { campaignFilter, isFirstScope } = this.switches();
		const { type, campaignId, isFirst, disabled } = hook;
		const isOfType =
			type === undefined || type === activity.type || groupCovers(type, activity.type);
		const isOfCampaign =
			campaignFilter === 'ignore' || campaignId === undefined || campaignId === activity.campaignId;
		if (disabled || !isOfType || !isOfCampaign) return false;
		return isFirst !== true || isFirstScope === 'ignore' || this.isFirst(hook, activity);
	}

	/** Whether this is the first activity of its lead in its campaign (§2.1). The next one isn't. */
	private isFirst(hook: StoredHook, { campaignId, leadId }: Activity): boolean {
		const key = JSON.stringify([campaignId, leadId]);
		const received = this.received.get(hook) ?? new Set<string>();
		this.received.set(hook, received);
		const isFirst = !received.has(key);
		received.add(key);
		return isFirst;
	}

	/** The JSON body of a delivery: the activity, with the webhook's secret if it has one (§6.4.5). */
	private bodyFor({ type, secret }: StoredHook, activity: Activity): string {
		const isForGroup = type !== undefined && groupCovers(type, activity.type);
		return JSON.stringify({
			...activity,
			...(isForGroup && this.switches().groupDeliveryType === 'group' && { type }),
			...(secret !== undefined && { secret }),
		});
	}
}

/**
 * Fills in the fields that `input` lacks. An input with `_id`, `teamId` and `createdAt` is complete and kept as it is.
 * Otherwise the other fields come from a sample with a new `_id` and the current time; a field that is `undefined` is
 * omitted.
 */
function completeActivity(input: ActivityInput, team: string, seed: number): Activity {
	if (['_id', 'teamId', 'createdAt'].every((field) => Object.hasOwn(input, field))) return input;
	const sample =
		input.type === 'emailsReplied' && input.isThirdPartyReply === true
			? sampleThirdPartyReply(seed)
			: sampleActivity(input.type, seed);
	return {
		...sample,
		_id: makeId('act_'),
		teamId: team,
		createdAt: new Date().toISOString(),
		...input,
	};
}

const recipientList = z.array(
	z.object({ address: z.string().toLowerCase(), name: z.string().default('') }),
);

/**
 * Applies the rules for recipients (§2.4): lower-case addresses, no empty lists, and each list only on the events that
 * carry it. An invalid list is omitted.
 */
function withRecipients({ to, cc, bcc, ...activity }: Activity): Activity {
	const given = { to, cc, bcc };
	const lists = recipientsOf(activity.type).flatMap((name) => {
		const parsed = recipientList.safeParse(given[name]);
		return parsed.success && parsed.data.length > 0 ? [[name, parsed.data] as const] : [];
	});
	return { ...activity, ...Object.fromEntries(lists) };
}

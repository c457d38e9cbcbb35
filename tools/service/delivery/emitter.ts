import { DEFAULT_TEAM, type Activity, type ActivityInput } from '../model/activity';
import type { HookStore } from '../store/hookStore';
import type { Switches } from '../switches';
import { normalizeRecipients } from '../model/recipients';
import { completeActivity, composeBody } from './compose';
import type { Dispatcher } from './dispatcher';
import type { LedgerEntry } from './ledger';
import { Matcher } from './matching';

/** How to send one event. */
export interface EmitOptions {
	/** The team whose webhooks receive it. Default: the activity's `teamId`; for a sample, the team of the first key. */
	team?: string;
	/** Seed of the sample that missing fields come from. Default: a new one each time. */
	seed?: number;
	/** Send the input unchanged: nothing is filled in, normalized or omitted. */
	exact?: boolean;
	/** How many copies to send to each matching webhook at the same time. Default 1. */
	copies?: number;
}

/** Sends events to the webhooks that match them (§6). */
export class Emitter {
	private readonly matcher = new Matcher();
	private nextSeed = 1;

	constructor(
		private readonly store: HookStore,
		private readonly dispatcher: Dispatcher,
		private readonly switches: () => Switches,
		private readonly defaultTeam: string,
	) {}

	/** Delivers to every matching webhook and waits until each outcome is final. @returns all attempts. */
	async emit(input: ActivityInput, options: EmitOptions = {}): Promise<LedgerEntry[]> {
		const team = options.team ?? this.teamOf(input);
		const activity = options.exact
			? input
			: normalizeRecipients(completeActivity(input, team, options.seed ?? this.nextSeed++));
		return this.deliver(activity, team, options.copies ?? 1);
	}

	private async deliver(activity: Activity, team: string, copies: number): Promise<LedgerEntry[]> {
		const switches = this.switches();
		const hooks = this.matcher.match(this.store.list(team), activity, switches);
		const deliveries = hooks.flatMap((hook) => {
			const body = composeBody(activity, hook, this.store.secretOf(hook), switches);
			const delivery = { hook, activityId: activity._id, type: activity.type, body };
			return Array.from({ length: copies }, () => this.dispatcher.deliver(delivery));
		});
		return (await Promise.all(deliveries)).flat();
	}

	/** Samples always carry the default team, even if this service was started for another one. */
	private teamOf({ teamId }: ActivityInput): string {
		return typeof teamId === 'string' && teamId !== DEFAULT_TEAM ? teamId : this.defaultTeam;
	}
}

import { DEFAULT_TEAM, type Activity, type ActivityInput } from '../model/activity';
import type { HookStore } from '../store/hookStore';
import type { Switches } from '../switches';
import { completeActivity, composeBody, settleActivity } from './compose';
import type { Dispatcher } from './dispatcher';
import type { LedgerEntry } from './ledger';
import { Matcher } from './matching';

/** How one event is to be sent. */
export interface EmitOptions {
	/** Whose hooks it is for. Default: the activity's `teamId`; for a sample, the team of the first key. */
	team?: string;
	/** Which sample the missing fields come from. Default: another one each time. */
	seed?: number;
	/** Send the input as it is: no sample, no order among recipients, nothing left out. */
	exact?: boolean;
	/** How often each matching hook gets it, at the same time. Default 1. */
	copies?: number;
}

/** Makes activities happen: finds the hooks they are for and has them delivered (§6). */
export class EventEmission {
	private readonly matcher = new Matcher();
	private nextSeed = 1;

	constructor(
		private readonly store: HookStore,
		private readonly dispatcher: Dispatcher,
		private readonly switches: () => Switches,
		private readonly defaultTeam: string,
	) {}

	/** Delivers to every hook it is for, and waits until each fate is final. @returns all attempts. */
	async emit(input: ActivityInput, options: EmitOptions = {}): Promise<LedgerEntry[]> {
		const switches = this.switches();
		const team = options.team ?? this.teamOf(input);
		const activity = options.exact
			? input
			: settleActivity(completeActivity(input, team, options.seed ?? this.nextSeed++), switches);
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

	/** Samples all name the default team, whichever team this service was started for. */
	private teamOf({ teamId }: ActivityInput): string {
		return typeof teamId === 'string' && teamId !== DEFAULT_TEAM ? teamId : this.defaultTeam;
	}
}

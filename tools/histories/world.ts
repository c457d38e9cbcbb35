/**
 * What a history happens in: n8n with active workflows, and the local service. There are two worlds: nodes in the process of
 * the tests, which takes minutes in an instant (`test/integration/support/historyWorld.ts`), and the real n8n of
 * `tools/chaos`, which crashes for real.
 */
import type { Run, Loss, Period } from '../load/judge';
import type { RunningService } from '../service';
import type { Attempt } from '../load/send';
import { webhooksFor, type Settings } from './settings';

/** Settings that n8n may be using for a trigger, and when, in milliseconds since 1970. */
interface SettingsPeriod extends Period {
	settings: Settings;
}

export interface Trigger {
	/** Its production URL, without the query. */
	webhookUrl: string;
	/** The same for a test run. */
	testUrl: string;
	/** All settings, oldest first. The last ones are what the user wants. */
	periods: SettingsPeriod[];
}

export interface Workflow {
	triggers: Trigger[];
	/** Whether the user has published it. */
	active: boolean;
	/**
	 * n8n has reported that the workflow is published with the latest settings, and nobody has changed or unpublished it
	 * since. In this state no failure may remove a webhook.
	 */
	published: boolean;
	/** Whether a test run of it waits for its event. */
	listening: boolean;
}

export interface EventAttempt extends Attempt {
	/** The trigger's production URL, without the query. */
	webhookUrl: string;
	type: string;
}

/**
 * What goes wrong: the service is slow, busy, unreachable, refuses requests, does not remove webhooks or does not list all of
 * them; the key is another one; or somebody changes a webhook of n8n's.
 */
export type Trouble =
	| 'delay'
	| 'busy'
	| 'outage'
	| 'refusal'
	| 'no removal'
	| 'incomplete list'
	| 'new key'
	| 'tampering';

/** What n8n has run, and told. */
export interface Executions {
	runs: Run[];
	/** Executions whose events cannot be read, because n8n was killed. */
	losses: Array<Loss<EventAttempt>>;
	/** What the triggers of a workflow have reported. */
	reports: Array<{ workflow: Workflow; text: string }>;
}

/** How n8n ends: it is killed, or stops in order; or another main process leads, and this one goes on. */
export type Ending = 'kill' | 'stop' | 'leader';

export interface World<W extends Workflow = Workflow> {
	readonly service: RunningService;
	/** The team of the workflows' credential at the service. */
	readonly team: string;
	readonly workflows: readonly W[];
	/** When n8n was down or starting. */
	readonly downTimes: readonly Period[];
	/** Whether each workflow has an n8n of its own. */
	readonly areSeparate: boolean;
	/** Whether the service's deliveries reach every n8n. */
	readonly areReachable: boolean;
	/** Whether n8n can list the webhooks of a workflow, as far as it does not depend on the service. */
	canList(workflow: W): boolean;
	/** Whether the key in a target URL is the current one. */
	isWithCurrentKey(targetUrl: string): boolean;

	/** As a user does. Waits until n8n has finished, if told to. Sets what `Workflow` says. */
	publish(workflow: W, waits: boolean): Promise<void>;
	unpublish(workflow: W, waits: boolean): Promise<void>;
	/** In an active workflow, the change is published at once. */
	change(workflow: W, trigger: Trigger, settings: Settings, waits: boolean): Promise<void>;
	/** Begins a test run. @returns whether n8n listens */
	listen(workflow: W): Promise<boolean>;
	stopListening(workflow: W): Promise<void>;
	/** Gives the credential another key of the team. */
	changeKey(): Promise<void>;
	/** Ends n8n, and starts it again; `meanwhile`, it is down. A world with several n8n's ends that of the workflow. */
	restart(workflow: W, how: Ending, meanwhile: () => Promise<void>): Promise<void>;
	/** Lets each trigger of a workflow check its webhooks this often. */
	check(workflow: W, count: number): Promise<void>;
	pause(ms: number): Promise<void>;
	executions(): Promise<Executions>;
}

export const periodOf = (settings: Settings): SettingsPeriod => ({
	settings,
	from: Date.now(),
	until: Number.POSITIVE_INFINITY,
});

/** The settings that a user has chosen last. */
export const settingsOf = ({ periods }: Trigger): Settings => {
	const last = periods.at(-1);
	if (last === undefined) throw new Error('A trigger has no settings');
	return last.settings;
};

/**
 * Notes that a user has published, changed or unpublished a workflow. Until n8n reports the result, it may use the old or the
 * new settings, and may call `delete` and `create` at any time (see 'How n8n behaves' in docs/decisions.md).
 */
export function markPending(workflow: Workflow): void {
	workflow.published = false;
	for (const trigger of workflow.triggers) trigger.periods.push(periodOf(settingsOf(trigger)));
}

/** Notes that n8n has reported a workflow as published with the latest settings. */
export function markPublished(workflow: Workflow): void {
	workflow.published = true;
	for (const { periods } of workflow.triggers) {
		for (const period of periods.slice(0, -1)) period.until = Math.min(period.until, Date.now());
	}
}

/** All webhooks that these workflows must have, as lines, without those of test runs. */
export const desiredLines = (workflows: readonly Workflow[]): string[] =>
	workflows
		.filter(({ active }) => active)
		.flatMap(({ triggers }) => triggers)
		.flatMap((trigger) => webhooksFor(settingsOf(trigger), trigger.webhookUrl));

/**
 * The webhooks that no failure may remove, as lines: while a change is published, those that are desired before and after it.
 */
export const requiredLines = (workflows: readonly Workflow[]): string[] =>
	workflows
		.filter(({ active, published }) => active && published)
		.flatMap(({ triggers }) => triggers)
		.flatMap((trigger) => {
			const last = webhooksFor(settingsOf(trigger), trigger.webhookUrl);
			const inUse = trigger.periods
				.filter(({ until }) => until === Number.POSITIVE_INFINITY)
				.map(({ settings }) => webhooksFor(settings, trigger.webhookUrl));
			return last.filter((line) => inUse.every((lines) => lines.includes(line)));
		});

/**
 * Judges a history. It knows only the service's state, the responses to deliveries, the executions, and what was done: none of
 * the desired webhooks missing, none too many, nothing of others removed, each genuine event ran once, none that was forged,
 * and what is reported is true.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Fault, HookView } from '../service';
import { baseOf, Events, triggerAt } from './events';
import { isRefusal } from './faults';
import { ACTIVITY_TYPES, lineOf, reportedEventOf } from './settings';
import {
	desiredLines,
	requiredLines,
	settingsOf,
	type Trouble,
	type Workflow,
	type World,
} from './world';

/** The troubles among which a loss must be reported all the same. */
const REPORTS_AMONG: readonly Trouble[] = ['delay', 'busy', 'outage', 'tampering'];

/** What somebody does to a webhook of n8n's directly at the service. */
export type Tampering = 'remove' | 'disable' | 'replace';

export class Oracle {
	/** Webhooks of other clients, as they were created. */
	readonly foreign: HookView[] = [];

	readonly events: Events;

	/** What has gone wrong since the last rest, or since the beginning. */
	readonly troubles = new Set<Trouble>();

	/** Whether anything but users' own actions has needed a repair in this history. */
	private isDisturbed = false;

	/** What has to be reported: by the line of a webhook that somebody has removed or disabled, its workflow and event. */
	private readonly toReport = new Map<string, { workflow: Workflow; event: string }>();

	/** IDs of webhooks that somebody has put in the place of n8n's own. */
	private readonly impostors = new Set<string>();

	/** Lines for the required webhooks that a change has removed since the last step. */
	private readonly gaps = new Set<string>();

	private readonly problems: string[] = [];

	/** The required webhooks that have worked. */
	private readonly working = new Set<string>();

	private isByHand = false;

	private changesByHand = 0;

	/** Whether n8n may not know the key before the current one: it started with the current one, or could read none. */
	mayNotKnowKey = false;

	/** Stops watching the service. */
	readonly stop: () => void;

	constructor(readonly world: World) {
		this.events = new Events(world, (...webhook) => this.isForged(...webhook));
		this.stop = world.service.onHooksChange(() => this.observe());
	}

	/** The team's webhooks, oldest first. */
	get webhooks(): HookView[] {
		return this.world.service.hooks(this.world.team);
	}

	/** Those that do not belong to other clients. */
	get ownWebhooks(): HookView[] {
		const ids = new Set(this.foreign.map(({ _id }) => _id));
		return this.webhooks.filter(({ _id }) => !ids.has(_id));
	}

	/** A webhook of our own, by its number modulo how many there are: of all, or of a workflow. */
	ownWebhook(number: number, workflow?: Workflow): HookView | undefined {
		const all = this.ownWebhooks;
		const own = workflow === undefined ? all : all.filter(isAt(workflow));
		return own[number % Math.max(own.length, 1)];
	}

	/** Notes that something goes wrong. */
	disturb(trouble: Trouble): void {
		this.troubles.add(trouble);
		this.isDisturbed = true;
		if (!REPORTS_AMONG.includes(trouble)) this.toReport.clear();
	}

	addFault(fault: Fault): void {
		const isRemoval = fault.match?.method === 'DELETE';
		if (isRemoval && fault.kind !== 'delay') this.disturb('no removal');
		// After a 504, too, the service may still carry out the request.
		const isLate = fault.kind === 'delay' || (fault.kind === 'status' && fault.status === 504);
		if (fault.kind === 'status' && fault.status === 429) this.disturb('busy');
		if (isLate) this.disturb('delay');
		else this.disturb(isRefusal(fault) ? 'refusal' : 'outage');
		this.world.service.addFault(fault);
	}

	/**
	 * Somebody removes, disables or replaces a webhook directly at the service. n8n is not responsible for what is missing then.
	 *
	 * @param isSeen whether n8n has listed the webhook before: else it cannot tell that it was there
	 */
	tamper(workflow: Workflow, webhook: HookView, what: Tampering, isSeen: boolean): void {
		const { service } = this.world;
		const { _id, targetUrl, type, campaignId, team } = webhook;
		this.disturb('tampering');
		this.byHand(() => {
			if (what === 'disable') service.disableHook(_id);
			else service.removeHook(_id);
			if (what !== 'replace') return;
			this.impostors.add(service.addHook({ targetUrl, type, campaignId, team })._id);
		});
		const trigger = triggerAt(this.world, targetUrl);
		const isNeeded = requiredLines([workflow]).includes(lineOf(webhook));
		const isCalm = [...this.troubles].every((trouble) => REPORTS_AMONG.includes(trouble));
		// After a replacement, n8n gets forged deliveries: then it cannot tell whether anything is lost, and says nothing.
		if (!trigger || !isSeen || !isNeeded || !isCalm || what === 'replace') return;
		const event = reportedEventOf(type, settingsOf(trigger));
		this.toReport.set(lineOf(webhook), { workflow, event });
	}

	/** Somebody sends an event without the secret. n8n replaces the webhook, and nobody is told of what it cannot tell apart. */
	async forge({ targetUrl }: HookView, type: string): Promise<void> {
		this.toReport.clear();
		await this.events.forge(targetUrl, type);
	}

	private byHand(change: () => void): void {
		this.changesByHand += 1;
		this.isByHand = true;
		change();
		this.observe();
		this.isByHand = false;
	}

	/**
	 * n8n ends. It has told, or cannot tell any more, of what was missing and is there again. A new process cannot know that a
	 * webhook was replaced, so nothing is left of that.
	 */
	beforeRestart(workflow: Workflow): void {
		this.byHand(() => {
			for (const { _id } of this.webhooks.filter(isAt(workflow))) {
				if (this.impostors.has(_id)) this.world.service.removeHook(_id);
			}
		});
		// Where another address has webhooks of the same path, the address of n8n may have changed: a start calls nothing lost.
		const hasOther = this.foreign.some(({ targetUrl }) => targetUrl.includes('keyId='));
		const isCopied = this.world.areSeparate && this.world.workflows.length > 1;
		const works = this.ownWebhooks.filter((one) => this.isWorking(one)).map(lineOf);
		for (const [line, lost] of this.toReport) {
			const isForgotten = hasOther || isCopied || works.includes(line);
			if (lost.workflow === workflow && isForgotten) this.toReport.delete(line);
		}
	}

	/** A user has changed a workflow: nobody is told of a webhook that is not desired any more when its loss is found. */
	forgetUndesired(): void {
		const desired = desiredLines(this.world.workflows);
		for (const line of this.toReport.keys())
			if (!desired.includes(line)) this.toReport.delete(line);
	}

	private isWorking = ({ _id, disabled }: HookView): boolean =>
		!disabled && !this.impostors.has(_id);

	/** Compares the service's webhooks with the required ones: no failure may remove one that works, not even for a moment. */
	observe(): void {
		const required = new Set(requiredLines(this.world.workflows));
		const working = new Set(this.webhooks.filter((one) => this.isWorking(one)).map(lineOf));
		// A process that has started after a change of the key refuses what the webhooks of the earlier key deliver, so it needs
		// none. And where a target URL can have one webhook only, another one takes its place.
		const mayBeMissing =
			this.isByHand || this.mayNotKnowKey || this.world.service.switches.hookUrls !== 'shared';
		for (const webhook of required) {
			if (working.has(webhook)) this.working.add(webhook);
			else if (this.working.delete(webhook) && !mayBeMissing) this.gaps.add(webhook);
		}
		for (const webhook of this.working) if (!required.has(webhook)) this.working.delete(webhook);
	}

	/** While one n8n acts, it changes no webhook of another one that is active, and so does nothing by itself. */
	async whileActs(workflow: Workflow, act: () => Promise<void>): Promise<void> {
		const others = this.world.areSeparate
			? this.world.workflows.filter((one) => one !== workflow && one.active)
			: [];
		const idsAt = () =>
			others.map((other) => this.webhooks.filter(isAt(other)).map(({ _id }) => _id));
		const [before, changesBefore] = [idsAt(), this.changesByHand];
		await act();
		// What the service has refused another n8n for the time being, that n8n tries again meanwhile.
		const goesOnLater = (['delay', 'busy', 'no removal'] as const).some((one) =>
			this.troubles.has(one),
		);
		if (goesOnLater || this.changesByHand > changesBefore) return;
		if (isDeepStrictEqual(idsAt(), before)) return;
		this.problems.push(`the webhooks of another n8n have changed: ${JSON.stringify(before)}`);
	}

	/** What must be true after each step, whatever is under way. @returns a line for each problem */
	afterStep(): string[] {
		this.observe();
		const deleted = new Set(
			this.world.service.requests
				.filter(({ method }) => method === 'DELETE')
				.map(({ path }) => path.replace('/hooks/', '')),
		);
		const touched = this.foreign.filter(({ _id }) => deleted.has(_id));
		return [
			...this.problems,
			...this.wrongGaps().map((webhook) => `removed although still needed: ${webhook}`),
			...touched.map(({ targetUrl }) => `a foreign webhook was sent a DELETE: ${targetUrl}`),
		];
	}

	/**
	 * Only if the service refuses the webhooks of a new key beside those of the earlier one, each of these makes room for its
	 * successor; and if that is refused all the same, no second one does.
	 */
	private wrongGaps(): string[] {
		const gaps = [...this.gaps];
		this.gaps.clear();
		if (!this.troubles.has('new key') || !this.troubles.has('refusal')) return gaps;
		const left = gaps.filter((webhook) => !this.working.has(webhook));
		return left.length < 2 ? [] : left;
	}

	/** The service has exactly the desired webhooks. */
	differences(): string[] {
		const own = this.ownWebhooks.map(lineOf);
		const desired = desiredLines(this.world.workflows);
		const changed = this.foreign.filter(
			(webhook) => !this.webhooks.some((other) => isDeepStrictEqual(webhook, other)),
		);
		const impostors = this.webhooks.filter(({ _id }) => this.impostors.has(_id));
		return [
			...without(desired, own).map((webhook) => `missing: ${webhook}`),
			...without(own, desired).map((webhook) => `unexpected: ${webhook}`),
			...changed.map(({ targetUrl }) => `changed, although foreign: ${targetUrl}`),
			...impostors.map(({ targetUrl }) => `replaced, and not repaired: ${targetUrl}`),
		];
	}

	/** No event has a second webhook, also while something goes wrong, if n8n sees all of them and can remove them. */
	tooMany(): string[] {
		const reasons: Trouble[] = ['no removal', 'incomplete list', 'refusal', 'new key'];
		if (reasons.some((trouble) => this.troubles.has(trouble))) return [];
		const lines = this.ownWebhooks.filter((one) => this.isWorking(one)).map(lineOf);
		return without(lines, [...new Set(lines)]).map((webhook) => `once too many: ${webhook}`);
	}

	/** n8n accepts an event for each webhook that a workflow needs and has; there may be an earlier one beside its successor. */
	async notAccepted(): Promise<string[]> {
		if (!this.world.areReachable) return [];
		// A check can create webhooks meanwhile, for which no event has been sent.
		const before = new Set(this.needed().values());
		const accepted = new Set<string>();
		for (const type of ACTIVITY_TYPES) {
			const needed = this.needed();
			for (const { hookId, status } of await this.events.send(type)) {
				const line = needed.get(hookId);
				if (line !== undefined && status === 200) accepted.add(line);
			}
		}
		return [...new Set(this.needed().values())]
			.filter((line) => before.has(line) && !accepted.has(line))
			.map((line) => `not accepted: ${line}`);
	}

	/** The lines of the webhooks that work, and that workflows need, by their IDs. */
	private needed(): Map<string, string> {
		const required = new Set(requiredLines(this.world.workflows));
		return new Map(
			this.ownWebhooks
				.filter((one) => this.isWorking(one) && required.has(lineOf(one)))
				.filter(({ targetUrl }) => !this.mayNotKnowKey || this.world.isWithCurrentKey(targetUrl))
				.map((one) => [one._id, lineOf(one)]),
		);
	}

	/** Each accepted event ran once, and what was lost is reported, and nothing else. */
	async executionProblems(): Promise<string[]> {
		const executions = await this.world.executions();
		const { reports } = executions;
		const isReported = (workflow: Workflow, event: string): boolean =>
			reports
				.filter((report) => report.workflow === workflow)
				// If all events have been selected since, the report names them.
				.some(({ text }) => text.includes(event) || text.includes('All Events'));
		const missing = [...this.toReport]
			.filter(([, { workflow, event }]) => !isReported(workflow, event))
			.map(([line]) => `its loss is not reported: ${line}`);
		const { hookUrls, listDelayMs } = this.world.service.switches;
		// Whether a webhook that a late list does not show was lost, its removal tells: it is gone, too, if its successor has replaced it.
		const isAmbiguous = listDelayMs > 0 && ['replace', 'update'].includes(hookUrls);
		const untrue =
			this.isDisturbed || isAmbiguous
				? []
				: reports.map(({ text }) => `reported, although nothing happened: ${text}`);
		return [...this.events.judge(executions).problems, ...missing, ...untrue];
	}

	/** From now on, everything is as if nothing had gone wrong. */
	beginAgain(): void {
		this.troubles.clear();
		this.toReport.clear();
		this.mayNotKnowKey = false;
	}

	private isForged(hookId: string, targetUrl: string): boolean | undefined {
		if (this.impostors.has(hookId) || this.foreign.some(({ _id }) => _id === hookId)) return true;
		// A process that has not known an earlier key refuses what is delivered with it.
		return this.world.isWithCurrentKey(targetUrl) ? false : undefined;
	}
}

/** Whether a webhook is at a base of a workflow. */
const isAt =
	({ triggers }: Workflow) =>
	({ targetUrl }: HookView): boolean =>
		triggers.some(({ webhookUrl, testUrl }) => [webhookUrl, testUrl].includes(baseOf(targetUrl)));

/** Multiset difference: the texts in `these` that are not in `those`. */
function without(these: string[], those: string[]): string[] {
	const rest = [...those];
	return these.filter((one) => {
		const index = rest.indexOf(one);
		if (index >= 0) rest.splice(index, 1);
		return index < 0;
	});
}

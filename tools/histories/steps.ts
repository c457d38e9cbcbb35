/**
 * The vocabulary of all histories: what n8n, its users, the service and other clients of it do, each said once. What only
 * concerns the service is carried out here; for the rest, a system has a method. There are two: the trigger in one process
 * (`test/integration/support/triggerSystem.ts`), which takes minutes in an instant and can look into that process, and the
 * real n8n of `tools/chaos`, which crashes for real. What must be true afterwards, each system checks by itself.
 */
import type fc from 'fast-check';
import type { Fault, HookView, RunningService } from '../service';
import { troubleOf, type Trouble } from './faults';
import { carryOutAll, kindOfStep, type Step, type Steps } from './step';

/** Active workflows and their triggers, with the local service. Workflows and triggers are known by their numbers, from 0. */
export interface System<Settings, Restart> {
	readonly service: RunningService;
	/** The team of the triggers' credential at the service. */
	readonly team: string;
	/** The team's webhooks that belong to the triggers. */
	readonly ownWebhooks: readonly HookView[];
	/** The production URL of each trigger, without the event. */
	readonly webhookUrls: readonly string[];

	isActive(workflow: number): boolean;
	/** Activates a workflow, and waits until n8n has finished, if told to. */
	activate(workflow: number, waits: boolean): Promise<void>;
	/** Deactivates a workflow, and waits until its webhooks are removed, if told to. */
	deactivate(workflow: number, waits: boolean): Promise<void>;
	/** Changes what a user has chosen in a trigger. In an active workflow, the change is published at once. */
	change(trigger: number, settings: Settings, waits: boolean): Promise<void>;
	/** Ends n8n, or its part that runs triggers, and starts it again; `meanwhile`, it is down. */
	restart(how: Restart, given: { meanwhile: () => Promise<void> }): Promise<void>;
	/** Lets each trigger make this many checks, one after the other. */
	check(count: number): Promise<void>;
	pause(ms: number): Promise<void>;
	/** n8n loses what a workflow has stored, if anything. */
	loseStaticData(workflow: number): Promise<void>;

	/** Called when something goes wrong at the service, or with the process of n8n. */
	disturb(trouble: Trouble): void;
	/** Makes a change to one of the triggers' webhooks, for which n8n is not responsible. */
	changeByHand(webhook: HookView, change: () => void): void;
	/** Called with each webhook that another client has created. */
	addForeign(webhook: HookView): void;
}

/** What most steps need, with settings that do not matter to them. */
type AnySystem = Omit<System<never, never>, 'change' | 'restart'>;

/** Values that a system with one trigger, or one that always waits, leaves out. */
type OfWorkflow = { workflow?: number; waits?: boolean };

// Users

/** A user waits until n8n has finished, or continues immediately. */
export const activate = kindOfStep<OfWorkflow, AnySystem>('activate', {
	isPossible: ({ workflow = 0 }, system) => !system.isActive(workflow),
	run: ({ workflow = 0, waits = true }, system) => system.activate(workflow, waits),
});

export const deactivate = kindOfStep<OfWorkflow, AnySystem>('deactivate', {
	isPossible: ({ workflow = 0 }, system) => system.isActive(workflow),
	run: ({ workflow = 0, waits = true }, system) => system.deactivate(workflow, waits),
});

type Change<Settings> = { trigger?: number; settings: Settings; waits?: boolean };

export const change = <Settings>(values: fc.Arbitrary<Change<Settings>>, weight?: number) =>
	kindOfStep<Change<Settings>, Pick<System<Settings, never>, 'change'>>('change', {
		run: ({ trigger = 0, settings, waits = true }, system) =>
			system.change(trigger, settings, waits),
	})(values, weight);

// n8n

type Restart<How, In> = {
	how: How;
	/** How long n8n goes on before, in milliseconds. */
	afterMs?: number;
	/** What happens while n8n is down. */
	meanwhile?: Array<Step<In>>;
	/** How long to wait afterwards, in milliseconds, while n8n activates its workflows and retries failures. */
	waitMs?: number;
};

export const restart = <How, In extends AnySystem & Pick<System<never, How>, 'restart'>>(
	values: fc.Arbitrary<Restart<How, In>>,
	weight?: number,
): Steps<In> =>
	kindOfStep<Restart<How, In>, In>('restart n8n', {
		run: async ({ how, afterMs = 0, meanwhile = [], waitMs = 0 }, system) => {
			system.disturb('outage');
			await system.pause(afterMs);
			await system.restart(how, { meanwhile: () => carryOutAll(meanwhile, system) });
			await system.pause(waitMs);
		},
	})(values, weight);

export const check = kindOfStep<{ count?: number }, AnySystem>('check', {
	run: ({ count = 1 }, system) => system.check(count),
});

/** Nothing happens for a while. */
export const pause = kindOfStep<{ ms: number }, AnySystem>('pause', {
	run: ({ ms }, system) => system.pause(ms),
});

/** As when a Code node in a worker stores something else. */
export const loseStaticData = kindOfStep<{ workflow?: number }, AnySystem>('lose static data', {
	run: async ({ workflow = 0 }, system) => {
		system.disturb('lost data');
		await system.loseStaticData(workflow);
	},
});

// The service

/** Makes the next matching requests fail. */
export const fault = kindOfStep<Fault, AnySystem>('fault', {
	run: (one, system) => addFault(one, system),
});

export function addFault(one: Fault, system: AnySystem): void {
	system.disturb(troubleOf(one));
	system.service.addFault(one);
}

/** The team reaches, or nearly reaches, its maximum number of webhooks. */
export const webhookLimit = kindOfStep<{ room: number }, AnySystem>('webhook limit', {
	run: ({ room }, system) => {
		system.disturb('refusal');
		const count = system.service.hooks(system.team).length;
		system.service.setSwitches({ maxHooks: Math.max(1, count + room) });
	},
});

/** A trigger's webhook, by its number modulo how many there are. */
export const ownWebhook = (
	{ ownWebhooks }: Pick<AnySystem, 'ownWebhooks'>,
	number: number,
): HookView | undefined => ownWebhooks[number % Math.max(ownWebhooks.length, 1)];

/** The next list lacks a webhook that exists, as one that comes from a cache. */
export const incompleteList = kindOfStep<{ webhook: number }, AnySystem>('incomplete list', {
	run: ({ webhook }, system) => {
		system.disturb('incomplete list');
		const hidden = ownWebhook(system, webhook);
		const listed = system.service.hooks(system.team).filter(({ _id }) => _id !== hidden?._id);
		system.service.addFault({
			kind: 'status',
			status: 200,
			body: JSON.stringify(listed),
			contentType: 'application/json',
			match: { method: 'GET' },
		});
	},
});

// Other clients

/** Something happens to one of the triggers' webhooks directly at the service. */
export type Tampering = { what: 'remove' | 'disable'; webhook: number };

export const tamper = kindOfStep<Tampering, AnySystem>('tamper with a webhook', {
	run: ({ what, webhook }, system) => {
		const { service } = system;
		const lost = ownWebhook(system, webhook);
		if (lost === undefined) return;
		system.changeByHand(lost, () => {
			if (what === 'remove') service.removeHook(lost._id);
			else service.disableHook(lost._id);
		});
	},
});

/**
 * Makes target URLs of other clients' webhooks from the production URL of a trigger: elsewhere, or similar to one of its
 * own. A trigger owns what has its path and the query that it writes (D7).
 */
const FOREIGN_URLS = {
	elsewhere: () => 'https://crm.example.com/hooks',
	'no query': (url) => url,
	'no event': (url) => `${url}?event=`,
	'another path': (url, type) => `${url}2?event=${type}`,
	'a longer path': (url, type) => `${url}/more?event=${type}`,
	'a slash': (url, type) => `${url}/?event=${type}`,
	'more in the query': (url, type) => `${url}?event=${type}&copy=1`,
	'another query': (url, type) => `${url}?source=${type}`,
	'another query, then its own': (url, type) => `${url}?source=${type}&event=${type}`,
} satisfies Record<string, (url: string, type: string) => string>;

export const ANY_FOREIGN_URL = Object.keys(FOREIGN_URLS) as Array<keyof typeof FOREIGN_URLS>;

type ForeignWebhook = { trigger?: number; url: keyof typeof FOREIGN_URLS; type: string };

export const foreignWebhook = kindOfStep<ForeignWebhook, AnySystem>('foreign webhook', {
	run: ({ trigger = 0, url, type }, system) => {
		const targetUrl = FOREIGN_URLS[url](system.webhookUrls[trigger]!, type);
		system.addForeign(system.service.addHook({ targetUrl, type, team: system.team }));
	},
});

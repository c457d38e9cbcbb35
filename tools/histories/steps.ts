/** What n8n, its users, the service and other clients of it do, each said once. A world chooses the values. */
import type { Fault } from '../service';
import { carryOutAll, kindOfStep, type State, type Step } from './history';
import type { Settings } from './settings';
import type { Ending, Workflow } from './world';

/** The number of a workflow, modulo how many there are; a user waits until n8n has finished, or continues immediately. */
type OfWorkflow = { workflow: number; waits?: boolean };

const workflowIn = ({ world: { workflows } }: State, { workflow }: OfWorkflow): Workflow =>
	workflows[workflow % workflows.length]!;

// Users

export const publish = kindOfStep<OfWorkflow>(
	'publish',
	async (oracle, values) => {
		const workflow = workflowIn(oracle, values);
		await oracle.whileActs(workflow, () => oracle.world.publish(workflow, values.waits ?? true));
	},
	(oracle, values) => !workflowIn(oracle, values).active,
);

export const unpublish = kindOfStep<OfWorkflow>(
	'unpublish',
	async (oracle, values) => {
		const workflow = workflowIn(oracle, values);
		await oracle.whileActs(workflow, () => oracle.world.unpublish(workflow, values.waits ?? true));
		oracle.forgetUndesired(workflow);
	},
	(oracle, values) => workflowIn(oracle, values).active,
);

type Change = OfWorkflow & { trigger: number; settings: Settings };

export const change = kindOfStep<Change>('change', async (oracle, values) => {
	const workflow = workflowIn(oracle, values);
	const trigger = workflow.triggers[values.trigger % workflow.triggers.length]!;
	await oracle.whileActs(workflow, () =>
		oracle.world.change(workflow, trigger, values.settings, values.waits ?? true),
	);
	oracle.forgetUndesired(workflow);
});

/** Begins a test run, of a workflow that may be active, too, or ends it. */
export const listen = kindOfStep<OfWorkflow & { isStart: boolean }>(
	'test run',
	async (oracle, values) => {
		const workflow = workflowIn(oracle, values);
		await oracle.whileActs(workflow, async () => {
			if (values.isStart) workflow.listening = await oracle.world.listen(workflow);
			else await oracle.world.stopListening(workflow);
		});
	},
	(oracle, values) => workflowIn(oracle, values).listening !== values.isStart,
);

export const newKey = kindOfStep<object>(
	'new key',
	async (oracle) => {
		oracle.disturb('new key');
		await oracle.world.changeKey();
	},
	({ troubles }) => !troubles.has('new key'),
);

// n8n

type Restart = OfWorkflow & {
	how: Ending;
	/** How long n8n goes on before, in milliseconds. */
	afterMs?: number;
	/** What happens while n8n is down. */
	meanwhile?: Step[];
	/** How long to wait afterwards, in milliseconds, while n8n activates its workflows and retries failures. */
	waitMs?: number;
};

export const restart = kindOfStep<Restart>('restart n8n', async (oracle, values) => {
	const { how, afterMs = 0, meanwhile = [], waitMs = 0 } = values;
	const { world } = oracle;
	const workflow = workflowIn(oracle, values);
	oracle.disturb('outage');
	await world.pause(afterMs);
	oracle.beforeRestart(workflow);
	const end = async () =>
		await oracle.whileActs(workflow, () =>
			world.restart(workflow, how, () => carryOutAll(meanwhile, oracle)),
		);
	if (oracle.troubles.has('new key') && how !== 'leader') await oracle.unwatched(end);
	else await end();
	await world.pause(waitMs);
});

export const check = kindOfStep<OfWorkflow & { count?: number }>(
	'check',
	async (oracle, values) => {
		const workflow = workflowIn(oracle, values);
		await oracle.whileActs(workflow, () => oracle.world.check(workflow, values.count ?? 1));
	},
);

/** Nothing happens for a while. */
export const pause = kindOfStep<{ ms: number }>('pause', ({ world }, { ms }) => world.pause(ms));

/** A Code node writes what it likes, or a backup brings the data of another n8n. Nothing of ours is in it. */
export const staticData = kindOfStep<OfWorkflow & { isCopied: boolean }>(
	'static data',
	async (oracle, values) => {
		const from = values.isCopied
			? workflowIn(oracle, { workflow: values.workflow + 1 })
			: undefined;
		await oracle.world.setStaticData(workflowIn(oracle, values), from);
	},
);

// The service

/** Makes the next matching requests fail. */
export const fault = kindOfStep<Fault>('fault', (oracle, one) => oracle.addFault(one));

/** The service cannot be reached for a while, as during a restart. */
export const outage = kindOfStep<{ ms: number }>('outage', (oracle, { ms }) => {
	oracle.disturb('outage');
	oracle.world.outage(ms);
});

/** The team reaches, or nearly reaches, its maximum number of webhooks. */
export const webhookLimit = kindOfStep<{ room: number }>('webhook limit', (oracle, { room }) => {
	oracle.disturb('refusal');
	oracle.world.service.setSwitches({ maxHooks: Math.max(1, oracle.webhooks.length + room) });
});

/** The next list lacks a webhook that exists, as one that comes from a cache. */
export const incompleteList = kindOfStep<{ webhook: number }>(
	'incomplete list',
	(oracle, { webhook }) => {
		oracle.disturb('incomplete list');
		const hidden = oracle.ownWebhook(webhook);
		const listed = oracle.webhooks.filter(({ _id }) => _id !== hidden?._id);
		oracle.world.service.addFault({
			kind: 'status',
			status: 200,
			body: JSON.stringify(listed),
			contentType: 'application/json',
			match: { method: 'GET' },
		});
	},
);

/** The service refuses to remove one webhook, several times. */
export const refusedRemoval = kindOfStep<{ webhook: number; refusal: Fault; times: number }>(
	'refused removal',
	(oracle, { webhook, refusal, times }) => {
		const refused = oracle.ownWebhook(webhook);
		if (refused === undefined) return;
		const match = { method: 'DELETE', path: `/hooks/${refused._id}` };
		oracle.addFault({ ...refusal, match, times });
	},
);

interface Sending {
	types: string[];
	/** Whether all types belong to one activity, as for a reply that also warms a lead. */
	isOneActivity: boolean;
	/** How many copies each webhook receives at the same time. */
	copies: number;
	/** The webhook at which somebody who does not know its secret sends an event, too. */
	forgedAt: number;
	/** Whether to wait for all outcomes before the next step (default: yes). */
	waits?: boolean;
}

export const sendEvents = kindOfStep<Sending>(
	'send events',
	async (oracle, { types, isOneActivity, copies, forgedAt, waits = true }) => {
		const { events, world } = oracle;
		const [first] = types;
		const id = isOneActivity ? `${world.team}_${events.deliveries.length}` : undefined;
		const target = oracle.ownWebhook(forgedAt);
		const sent: Array<Promise<unknown>> = types.map((type) => events.send(type, id, copies));
		if (target !== undefined && first !== undefined) sent.push(oracle.forge(target, first));
		if (waits) await Promise.all(sent);
	},
);

// Other clients

type Tampering = OfWorkflow & {
	what: 'remove' | 'disable' | 'replace';
	webhook: number;
	/** How many checks there are before: after these, n8n knows the webhook. */
	checks: number;
};

/** Something happens to one of the triggers' webhooks directly at the service. */
export const tamper = kindOfStep<Tampering>('tamper', async (oracle, values) => {
	const { what, webhook, checks } = values;
	const workflow = workflowIn(oracle, values);
	if (checks > 0) {
		await oracle.whileActs(workflow, () => oracle.world.check(workflow, checks));
	}
	const chosen = oracle.ownWebhook(webhook, workflow);
	const { service } = oracle.world;
	// Nobody can miss a webhook that no list has shown (D112). Lists are less than a minute late.
	if (chosen !== undefined && service.switches.listDelayMs > 0) {
		await oracle.whileActs(workflow, () => oracle.world.check(workflow, 1));
	}
	const own = service.hooks().some(({ _id }) => _id === chosen?._id) ? chosen : undefined;
	const canList =
		oracle.world.canList(workflow) &&
		service.faults.every(({ fault }) => ['POST', 'DELETE'].includes(fault.match?.method ?? 'GET'));
	// A process that has not listed the webhook cannot tell that another one is in its place, nor can a removal that is under way.
	const change = what === 'replace' && !(canList && workflow.active) ? 'disable' : what;
	if (own !== undefined) oracle.tamper(own, change, checks > 0 && canList);
});

/**
 * Makes target URLs of other clients' webhooks from the production URL of a trigger: elsewhere, or similar to one of its
 * own. A trigger owns what has its path and the query that it writes (D7); what another n8n has at the same path is not its.
 */
const FOREIGN_URLS = {
	elsewhere: () => 'https://crm.example.com/hooks',
	'another n8n': (url, type) =>
		`https://n8n.example.com${new URL(url).pathname}?event=${type}&keyId=AAAAAAAAAAAAAAAAAAAAAA`,
	'another path prefix': (url, type) =>
		`${url.replace('/webhook/', '/prefix/webhook/')}?event=${type}&keyId=AAAAAAAAAAAAAAAAAAAAAA`,
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

type ForeignWebhook = OfWorkflow & { url: keyof typeof FOREIGN_URLS; type: string };

export const foreignWebhook = kindOfStep<ForeignWebhook>('foreign webhook', (oracle, values) => {
	const { url, type } = values;
	const { webhookUrl } = workflowIn(oracle, values).triggers[0]!;
	const { service, team } = oracle.world;
	oracle.addForeign(
		service.addHook({ targetUrl: FOREIGN_URLS[url](webhookUrl, type), type, team }),
	);
});

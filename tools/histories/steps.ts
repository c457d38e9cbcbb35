/** What n8n, its users, the service and other clients of it do, each said once. A world chooses what must suit it. */
import fc, { type Arbitrary } from 'fast-check';
import type { Fault } from '../service';
import { carryOutAll, kindOfStep, type State, type Step } from './history';
import type { Oracle, Tampering } from './oracle';
import { ACTIVITY_TYPES, anySettings } from './settings';
import type { Ending, Workflow } from './world';

/** A webhook of ours, by its number modulo how many there are. */
const webhook = fc.nat(9);

/** A step in one of the workflows, chosen by its number modulo how many there are. */
const inWorkflow = <Values>(
	kind: string,
	values: Arbitrary<Values>,
	act: (oracle: Oracle, workflow: Workflow, values: Values) => Promise<void> | void,
	isPossible: (workflow: Workflow) => boolean = () => true,
): Arbitrary<Step> => {
	const chosen = ({ world: { workflows } }: State, number: number) =>
		workflows[number % workflows.length]!;
	return kindOfStep(
		kind,
		fc.tuple(fc.nat(1), values),
		(oracle, [number, given]) => act(oracle, chosen(oracle, number), given),
		(state, [number]) => isPossible(chosen(state, number)),
	);
};

// Users, who wait until n8n has finished, or continue immediately.

export const publish = inWorkflow(
	'publish',
	fc.boolean(),
	(oracle, workflow, waits) =>
		oracle.whileActs(workflow, () => oracle.world.publish(workflow, waits)),
	({ active }) => !active,
);

export const unpublish = inWorkflow(
	'unpublish',
	fc.boolean(),
	async (oracle, workflow, waits) => {
		await oracle.whileActs(workflow, () => oracle.world.unpublish(workflow, waits));
		oracle.forgetUndesired();
	},
	({ active }) => active,
);

export const change = inWorkflow(
	'change',
	fc.record({ trigger: fc.nat(1), settings: anySettings, waits: fc.boolean() }),
	async (oracle, workflow, { trigger, settings, waits }) => {
		const changed = workflow.triggers[trigger % workflow.triggers.length]!;
		await oracle.whileActs(workflow, () => oracle.world.change(workflow, changed, settings, waits));
		oracle.forgetUndesired();
	},
);

/** Begins a test run, of a workflow that may be active, too, or ends it. */
export const listen = inWorkflow('test run', fc.constant({}), (oracle, workflow) =>
	oracle.whileActs(workflow, async () => {
		if (workflow.listening) await oracle.world.stopListening(workflow);
		else workflow.listening = await oracle.world.listen(workflow);
	}),
);

export const newKey = kindOfStep(
	'new key',
	fc.constant({}),
	async (oracle) => {
		oracle.disturb('new key');
		await oracle.world.changeKey();
	},
	({ troubles }) => !troubles.has('new key'),
);

// n8n

interface Restart {
	how: Ending;
	/** What happens while n8n is down. */
	meanwhile: Step[];
	/** How long n8n goes on before, in milliseconds. */
	afterMs?: number;
	/** How long to wait afterwards, in milliseconds, while n8n activates its workflows and retries failures. */
	waitMs?: number;
}

export const restart = (values: Arbitrary<Restart>) =>
	inWorkflow(
		'restart n8n',
		values,
		async (oracle, workflow, { how, meanwhile, afterMs = 0, waitMs = 0 }) => {
			const { world } = oracle;
			oracle.disturb('outage');
			await world.pause(afterMs);
			oracle.beforeRestart(workflow);
			if (oracle.troubles.has('new key') && how !== 'leader') oracle.mayNotKnowKey = true;
			await oracle.whileActs(workflow, () =>
				world.restart(workflow, how, () => carryOutAll(meanwhile, oracle)),
			);
			await world.pause(waitMs);
		},
	);

export const check = (maxCount: number) =>
	inWorkflow('check', fc.integer({ min: 1, max: maxCount }), (oracle, workflow, count) =>
		oracle.whileActs(workflow, () => oracle.world.check(workflow, count)),
	);

/** Nothing happens for a while. */
export const pause = (...ms: number[]) =>
	kindOfStep('pause', fc.constantFrom(...ms), ({ world }, chosen) => world.pause(chosen));

// The service

/** Makes the next matching requests fail. */
export const fault = (faults: Arbitrary<Fault>) =>
	kindOfStep('fault', faults, (oracle, one) => oracle.addFault(one));

/** The team reaches, or nearly reaches, its maximum number of webhooks. */
export const webhookLimit = kindOfStep('webhook limit', fc.nat(2), (oracle, room) => {
	oracle.disturb('refusal');
	oracle.world.service.setSwitches({ maxHooks: Math.max(1, oracle.webhooks.length + room) });
});

/** The next list lacks a webhook that exists, as one that comes from a cache. */
export const incompleteList = kindOfStep('incomplete list', webhook, (oracle, number) => {
	oracle.disturb('incomplete list');
	const hidden = oracle.ownWebhook(number);
	const listed = oracle.webhooks.filter(({ _id }) => _id !== hidden?._id);
	oracle.world.service.addFault({
		kind: 'status',
		status: 200,
		body: JSON.stringify(listed),
		contentType: 'application/json',
		match: { method: 'GET' },
	});
});

/** The service refuses to remove one webhook, several times. */
export const refusedRemoval = (...refusals: Fault[]) =>
	kindOfStep(
		'refused removal',
		fc.tuple(webhook, fc.constantFrom(...refusals), fc.integer({ min: 1, max: 60 })),
		(oracle, [number, refusal, times]) => {
			const refused = oracle.ownWebhook(number);
			if (refused === undefined) return;
			const match = { method: 'DELETE', path: `/hooks/${refused._id}` };
			oracle.addFault({ ...refusal, match, times });
		},
	);

interface Sending {
	types: string[];
	/** Whether all types belong to one activity, as for a reply that also warms a lead. */
	isOneActivity: boolean;
	/** Whether to wait for all outcomes before the next step. */
	waits: boolean;
}

/** The service delivers events, and somebody who does not know the secret of a webhook sends one, too. */
export const sendEvents = (values: Arbitrary<Sending>) =>
	kindOfStep(
		'send events',
		// How many copies each webhook receives at the same time.
		fc.record({ sending: values, copies: fc.integer({ min: 1, max: 3 }), forgedAt: webhook }),
		async (oracle, { sending: { types, isOneActivity, waits }, copies, forgedAt }) => {
			const { events, world } = oracle;
			const id = isOneActivity ? `${world.team}_${events.deliveries.length}` : undefined;
			const target = oracle.ownWebhook(forgedAt);
			const sent: Array<Promise<unknown>> = types.map((type) => events.send(type, id, copies));
			if (target !== undefined) sent.push(oracle.forge(target, types[0] ?? ''));
			if (waits) await Promise.all(sent);
		},
	);

export const anyTypes = fc.subarray<string>([...ACTIVITY_TYPES], { minLength: 1 });

// Other clients

/**
 * Something happens to one of the triggers' webhooks directly at the service.
 *
 * @param checks how many checks there are before: after these, n8n knows the webhook
 */
export const tamper = (checks: number, ...whats: Tampering[]) =>
	inWorkflow(
		'tamper',
		fc.tuple(webhook, fc.constantFrom(...whats)),
		async (oracle, workflow, [number, what]) => {
			const { world } = oracle;
			const { switches, faults } = world.service;
			const { _id } = oracle.ownWebhook(number, workflow) ?? {};
			// Nobody can miss a webhook that no list has shown (D112). Lists are less than a minute late.
			const count = Math.max(checks, switches.listDelayMs > 0 ? 1 : 0);
			if (count > 0) await oracle.whileActs(workflow, () => world.check(workflow, count));
			const webhookNow = oracle.webhooks.find((one) => one._id === _id);
			if (webhookNow === undefined) return;
			const canList =
				world.canList(workflow) &&
				faults.every(({ match }) => ['POST', 'DELETE'].includes(match?.method ?? 'GET'));
			// A process that has not listed the webhook cannot tell that another one is in its place, nor can a removal that is under
			// way. n8n cannot remove what a late list does not show yet. Where a create updates what is there, the other one would become
			// n8n's own, and it counts as the result of a create at this URL whose outcome is not known.
			const canReplace =
				canList &&
				workflow.active &&
				switches.listDelayMs === 0 &&
				switches.hookUrls !== 'update' &&
				!oracle.troubles.has('delay');
			const change = what === 'replace' && !canReplace ? 'disable' : what;
			oracle.tamper(workflow, webhookNow, change, checks > 0 && canList);
		},
	);

/**
 * Makes target URLs of other clients' webhooks from the production URL of a trigger: elsewhere, or similar to one of its
 * own. A trigger owns what has its path and the query that it writes (D7); what another n8n has at the same path is not its.
 */
const FOREIGN_URLS: Record<string, (url: string, type: string) => string> = {
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
};

export const foreignWebhook = inWorkflow(
	'foreign webhook',
	fc.constantFrom(...Object.entries(FOREIGN_URLS)),
	({ foreign, world: { service, team } }, { triggers }, [, urlFrom]) => {
		const type = 'emailsReplied';
		const targetUrl = urlFrom(triggers[0]!.webhookUrl, type);
		foreign.push(service.addHook({ targetUrl, type, team }));
	},
);

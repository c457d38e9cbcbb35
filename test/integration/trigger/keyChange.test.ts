/**
 * A change of the API key: the webhooks are replaced within a minute, no process refuses what it has taken before, and no earlier
 * secret is accepted for long. The world is a local service without rate limit, one trigger in a main process of n8n, and a
 * webhook process that may take its deliveries.
 */
import fc from 'fast-check';

import { webhookKeyOf } from '../../../nodes/OutreachService/domain/secret';
import { targetUrlOf, triggerUrlIn } from '../../../nodes/OutreachService/domain/triggerUrl';
import { deriveSecret } from '../../../tools/load/deriveSecret';
import { startService, type RunningService } from '../../../tools/service';
import { tries } from '../../propertyRuns';
import { N8n } from '../support/n8n';
import { passTime } from '../support/passTime';
import { post } from '../support/post';
import type { RunningTrigger, TriggerHost } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld({ switches: { rateLimit: 'off' } });

const TWO = ['emailsReplied', 'smsReplied'];

/** How long main accepts the deliveries of replaced webhooks, in milliseconds. */
const AFTER_REPLACEMENT_MS = 60_000;

/** How long a webhook process does, after it has first seen the new key. */
const AFTER_NEW_KEY_MS = 120_000;

const keyIdIn = (targetUrl: string): string => triggerUrlIn(targetUrl)?.query.keyId ?? '';

let activities = 0;

/** Delivers an event as a webhook that was made with an API key would. @returns the status of the response */
async function deliver(host: TriggerHost, apiKey: string, event = 'emailsReplied') {
	const keyId = webhookKeyOf(apiKey).id;
	const targetUrl = targetUrlOf(host.webhookUrl, { event, keyId });
	const secret = deriveSecret(apiKey, targetUrl);
	const activity = { _id: `act_${++activities}`, type: event, secret };
	return (await post(targetUrl, activity)).status;
}

/** A process, and when it has taken the first delivery of each key. */
type Process = { n8n: N8n; takenAt: Map<string, number> };

const newProcess = (n8n = new N8n()): Process => ({ n8n, takenAt: new Map() });

class History {
	private readonly teams = new Set<string>();

	private readonly keys = new Set<string>();

	private main = newProcess(world.n8n);

	private readonly webhookProcess = newProcess();

	private running: RunningTrigger | undefined;

	constructor(
		private readonly number: number,
		private readonly host: TriggerHost,
	) {
		this.enter('first', 'tea');
	}

	enter(name: string, team: string): void {
		const [key, ofTeam] = [`${name}-${team}-${this.number}`, `${team}_${this.number}`];
		this.keys.add(key);
		this.teams.add(ofTeam);
		world.useKey(this.host, key, ofTeam);
	}

	async begin(): Promise<void> {
		await this.host.activate();
		this.running = await this.host.startTrigger();
	}

	async check(): Promise<void> {
		await this.running?.check();
	}

	async publish(): Promise<void> {
		await this.running?.close();
		await this.host.publish();
		this.running = await this.host.startTrigger('update');
	}

	async restart(): Promise<void> {
		await this.running?.close();
		this.main = newProcess();
		this.host.moveToNewProcess(undefined, this.main.n8n);
		await this.host.activate('init');
		this.running = await this.host.startTrigger('init');
	}

	/** One of the webhooks is deleted. */
	vanish(): void {
		const [first] = this.webhooks;
		if (first) world.service.removeHook(first._id);
	}

	private get webhooks() {
		return [...this.teams].flatMap((team) => world.service.hooks(team));
	}

	/** Every webhook delivers. A process refuses none whose key it has taken before, or that has the current key. */
	async deliverTo(which: 'main' | 'webhookProcess'): Promise<void> {
		const { takenAt, n8n } = this[which];
		this.host.moveToNewProcess(undefined, n8n);
		for (const teamId of this.teams) {
			const keyIds = new Map(
				world.service.hooks(teamId).map((one) => [one._id, keyIdIn(one.targetUrl)]),
			);
			for (const { hookId, status, error } of await world.service.emit({
				type: 'smsReplied',
				teamId,
			})) {
				const keyId = keyIds.get(hookId) ?? '';
				if (status === 200) takenAt.set(keyId, takenAt.get(keyId) ?? performance.now());
				else
					expect([which, keyId, status, error, this.mayRefuse(which, keyId)]).toEqual([
						which,
						keyId,
						status,
						error,
						true,
					]);
			}
		}
		this.host.moveToNewProcess(undefined, this.main.n8n);
	}

	private mayRefuse(which: 'main' | 'webhookProcess', keyId: string): boolean {
		const { takenAt } = this[which];
		if (keyId === webhookKeyOf(this.host.credential.apiKey).id) return false;
		const since = takenAt.get(keyId);
		if (since === undefined) return true;
		// Long enough after a newer key that this busy machine does not decide.
		const isOld = [...takenAt.values()].some(
			(newer) => newer > since && performance.now() - newer > AFTER_NEW_KEY_MS - 20_000,
		);
		return which === 'webhookProcess' && isOld;
	}

	/** Everything works again. */
	async end(): Promise<void> {
		world.service.clearFaults();
		for (let checks = 0; checks < 2; checks++) await this.check();
		const { apiKey } = this.host.credential;
		const own = world.service.hooks(`${apiKey.split('-')[1]}_${this.number}`);
		expect(own.map(({ type }) => type).sort()).toEqual(TWO);
		expect(own.map(({ targetUrl }) => keyIdIn(targetUrl))).toEqual(
			TWO.map(() => webhookKeyOf(apiKey).id),
		);
		await this.deliverTo('webhookProcess');
		await passTime(AFTER_NEW_KEY_MS);
		for (const { n8n } of [this.main, this.webhookProcess]) {
			this.host.moveToNewProcess(undefined, n8n);
			for (const key of this.keys) {
				expect(await deliver(this.host, key)).toBe(key === apiKey ? 200 : 401);
			}
		}
		await this.running?.close();
		await this.host.stop();
	}
}

const step = fc.oneof(
	fc.record({
		do: fc.constant('enter' as const),
		key: fc.constantFrom('one', 'two', 'three'),
		team: fc.constantFrom('tea', 'tea', 'other'),
	}),
	fc.record({
		do: fc.constantFrom('check', 'check', 'restart', 'publish', 'vanish', 'fail' as const),
	}),
	fc.record({ do: fc.constantFrom('main', 'webhookProcess' as const) }),
);

const FAULTS = [
	{ kind: 'status', status: 401, match: { method: 'POST' } },
	{ kind: 'status', status: 503, match: { method: 'DELETE' }, times: 4 },
	{ kind: 'cut', when: 'after', match: { method: 'POST' } },
] as const;

it('However keys change, among failures, restarts and publications: no process refuses what it has taken before, and in the end only the current key counts', async () => {
	let histories = 0;
	await fc.assert(
		fc.asyncProperty(
			fc.array(step, { maxLength: 12, size: 'max' }),
			fc.constantFrom(...FAULTS),
			async (steps, fault) => {
				world.service.clearFaults();
				const history = new History(++histories, await world.trigger(TWO, { repairMinutes: 1 }));
				await history.begin();
				for (const one of steps) {
					if (one.do === 'enter') history.enter(one.key, one.team);
					else if (one.do === 'main' || one.do === 'webhookProcess')
						await history.deliverTo(one.do);
					else if (one.do === 'fail') world.service.addFault(fault);
					else await history[one.do]();
				}
				await history.end();
			},
		),
		{
			numRuns: Number(process.env.HISTORIES ?? tries(8)),
			seed: Number(process.env.SEED ?? Date.now()),
		},
	);
}, 600_000);

/**
 * A change of the API key: the webhooks are replaced within a minute, no process refuses what it has taken before, and no earlier
 * secret is accepted for long. The world is a local service without rate limit, one trigger in a main process of n8n, and a
 * webhook process that may take its deliveries.
 */

import { webhookKeyOf } from '../../../nodes/OutreachService/domain/secret';
import { targetUrlOf, triggerUrlIn } from '../../../nodes/OutreachService/domain/triggerUrl';
import { startService, type RunningService } from '../../../tools/service';
import { textLike } from '../support/matchers';
import { passTime } from '../support/passTime';
import type { TriggerHost } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld({ switches: { rateLimit: 'off' } });

const TWO = ['emailsReplied', 'smsReplied'];

/** How long main accepts the deliveries of replaced webhooks, in milliseconds. */
const AFTER_REPLACEMENT_MS = 60_000;

/** How long a webhook process does, after it has first seen the new key. */
const AFTER_NEW_KEY_MS = 120_000;

let activities = 0;

/** Delivers an event as a webhook that was made with an API key would. @returns the status of the response */
async function deliver(host: TriggerHost, apiKey: string): Promise<number> {
	const event = 'emailsReplied';
	const targetUrl = targetUrlOf(host.webhookUrl, { event, keyId: webhookKeyOf(apiKey).id });
	return await world.deliver({ _id: `act_${++activities}`, type: event }, { targetUrl, apiKey });
}

/** An active workflow with an earlier key, whose cron job lets every check run. */
async function activeTrigger(options = {}): Promise<TriggerHost> {
	const host = await world.trigger(TWO, { repairMinutes: 0, ...options });
	world.useKey(host, 'earlier', 'tea');
	await host.activate();
	return host;
}

const typesOf = (service: RunningService, team?: string): string[] =>
	service
		.hooks(team)
		.map(({ type }) => type ?? '*')
		.sort();

/** How n8n learns of another credential. */
const OCCASIONS: Array<[string, (host: TriggerHost) => Promise<void>]> = [
	['a check', async (host) => await host.check()],
	['a publication', async (host) => await host.publish()],
];

describe.each(OCCASIONS)('After a change of the credential, %s', (_, change) => {
	it('moves the webhooks to another team, whose events run, and reports nothing', async () => {
		const host = await activeTrigger();
		world.useKey(host, 'of-another-team', 'tea_other');
		expect(await deliver(host, 'earlier')).toBe(200);
		await change(host);
		expect(typesOf(world.service, 'tea_other')).toEqual(TWO);
		await until(() => world.service.hooks('tea').length === 0);
		expect(await deliver(host, 'of-another-team')).toBe(200);
		// The last deliveries of the earlier webhooks may still be on their way.
		expect(await deliver(host, 'earlier')).toBe(200);
		await passTime(AFTER_REPLACEMENT_MS);
		expect(await deliver(host, 'earlier')).toBe(401);
		await host.check();
		expect(host.failedExecutions).toEqual([]);
	});

	it.each(['earlier', 'of-another-service'])(
		'moves them to another service, and removes them at the earlier one (key %s)',
		async (apiKey) => {
			const other = await startService({ control: false, apiKeys: [apiKey] });
			try {
				const host = await activeTrigger();
				Object.assign(host.credential, { apiKey, baseUrl: other.baseUrl });
				await change(host);
				expect(typesOf(other)).toEqual(TWO);
				await until(() => world.webhooks.length === 0);
				await host.deactivate();
				expect(other.hooks()).toEqual([]);
			} finally {
				await other.close();
			}
		},
	);

	it('leaves them at the same service if only its URL is another one', async () => {
		const host = await activeTrigger();
		host.credential.baseUrl = world.service.baseUrl.replace('127.0.0.1', 'localhost');
		const warnings = world.warnings();
		await change(host);
		await passTime(5_000);
		expect([typesOf(world.service), warnings()]).toEqual([TWO, []]);
		await world.service.emit({ type: 'smsReplied', teamId: 'tea' });
		expect(host.started).toHaveLength(1);
	});

	it('replaces them, and says nothing of an earlier key that no longer works', async () => {
		const host = await activeTrigger();
		const before = world.webhookIds;
		world.useKey(host, 'next', 'tea');
		world.service.removeApiKey('earlier');
		const warnings = world.warnings();
		await change(host);
		await passTime(5_000);
		expect(world.webhookIds.filter((id) => before.includes(id))).toEqual([]);
		expect([typesOf(world.service), warnings()]).toEqual([TWO, []]);
	});
});

it.each([{ maxHooks: 2 }, { hookUrls: 'oncePerTeam' }] as const)(
	'Webhooks are replaced within a minute after a change of the key, also where %j',
	async (switches) => {
		const host = await activeTrigger();
		const counts: number[] = [];
		world.service.setSwitches(switches);
		world.service.onHooksChange(() => counts.push(world.webhooks.length));
		world.useKey(host, 'next', 'tea');
		await host.check();
		const keyIds = world.webhooks.map(({ targetUrl }) => triggerUrlIn(targetUrl)?.query.keyId);
		expect(new Set(keyIds)).toEqual(new Set([webhookKeyOf('next').id]));
		expect(typesOf(world.service)).toEqual(TWO);
		// The new ones come first, if there is room.
		expect(counts).toEqual('maxHooks' in switches ? [1, 2, 1, 2] : [3, 4, 3, 2]);
		for (const type of TWO) await world.service.emit({ type, teamId: 'tea' });
		expect(host.statuses).toEqual([200, 200]);
		await host.check();
		expect(host.failedExecutions).toEqual([]);
	},
);

it.each<[string, () => void, string[], unknown[]]>([
	[
		'no longer works, they stay, which the log says once',
		() => world.service.removeApiKey('earlier'),
		TWO,
		[textLike(/could not be removed with the earlier credential: .+ Delete them with that/)],
	],
	['fails for a while, a later check removes them', () => world.refuse('DELETE', 503, 4), [], []],
])(
	'If the key of the former team, with which its webhooks are removed, %s',
	async (_, begin, left, logged) => {
		const host = await activeTrigger();
		const warnings = world.warnings();
		world.useKey(host, 'of-another-team', 'tea_other');
		begin();
		for (let checks = 0; checks < 3; checks++) {
			await host.check();
			await passTime(20_000);
		}
		expect(warnings()).toEqual(logged);
		await until(() => world.service.hooks('tea').length === left.length);
	},
);

it('A webhook that the service makes for the earlier key only later is removed, too', async () => {
	const host = await activeTrigger();
	world.delay('POST', 90_000);
	host.reload({ ...host.node.parameters, events: [...TWO, 'smsSent'] });
	await host.publish();
	// The change waits for the create longer than n8n waits for the change.
	await passTime(10_000);
	world.useKey(host, 'of-another-team', 'tea_other');
	await host.check();
	expect(typesOf(world.service, 'tea_other')).toEqual([...TWO, 'smsSent']);
	for (let checks = 0; checks < 3; checks++) {
		await passTime(60_000);
		await host.check();
	}
	await until(() => world.service.hooks('tea').length === 0);
});

it('A key that comes back while its webhooks are being removed has them again, and none is called lost', async () => {
	const host = await activeTrigger();
	await host.check();
	world.useKey(host, 'of-another-team', 'tea_other');
	world.delay('DELETE', 3_000, { skip: 1 });
	await host.check();
	await until(() => world.service.hooks('tea').length === 1);
	world.useKey(host, 'earlier', 'tea');
	await host.publish();
	await host.check(2);
	expect(typesOf(world.service, 'tea')).toEqual(TWO);
	expect(world.service.hooks('tea_other')).toEqual([]);
	expect(host.failedExecutions).toEqual([]);
});

describe('While a new key does not work', () => {
	async function publishWithWrongKey(): Promise<TriggerHost> {
		const host = await activeTrigger({ repairMinutes: 1 });
		host.credential.apiKey = 'wrong';
		await host.publish();
		return host;
	}

	it('the earlier webhooks deliver, one report says why, and they are replaced once it works', async () => {
		const host = await publishWithWrongKey();
		for (let checks = 0; checks < 3; checks++) {
			await host.check();
			await host.publish();
			await world.service.emit({ type: 'smsReplied', teamId: 'tea' });
		}
		await passTime(AFTER_NEW_KEY_MS);
		expect(await deliver(host, 'earlier')).toBe(200);
		expect(new Set(host.statuses)).toEqual(new Set([200]));
		world.useKey(host, 'next', 'tea_other');
		await host.check();
		await until(() => world.service.hooks('tea').length === 0);
		expect(typesOf(world.service, 'tea_other')).toEqual(TWO);
		expect(host.reports).toEqual(['The webhooks of "Trigger" cannot be checked or changed']);
	});

	it('a deactivation removes the earlier webhooks', async () => {
		const host = await publishWithWrongKey();
		await host.deactivate();
		await until(() => world.webhooks.length === 0);
	});
});

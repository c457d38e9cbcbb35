/**
 * Static data is input: it comes with imported, copied and restored workflows. The world is a local service and one
 * trigger in one process of n8n.
 */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { digestOf } from '../../../nodes/OutreachService/domain/secret';
import { tries } from '../../propertyRuns';
import { post } from '../support/post';
import type { TriggerHost } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld({ switches: { rateLimit: 'off' } });

const SECRET = 'a secret of whoever made the workflow';

const anything = fc.jsonValue();

/** What somebody may plant who knows how the package stores things, but not the ID of this n8n. */
const planted = (host: TriggerHost): fc.Arbitrary<IDataObject> => {
	const { _id, targetUrl } = world.webhooks[0]!;
	const hook = fc.record({
		id: fc.constantFrom(_id, 'hoo_other'),
		event: fc.constantFrom('emailsReplied', '*'),
		targetUrl: fc.constantFrom(targetUrl, host.webhookUrl, host.testUrl),
		digest: fc.constant(digestOf(SECRET)),
	});
	const registration = fc.record({
		owner: fc.oneof(fc.constant(''), fc.stringMatching(/^[\da-f]{16}$/)),
		hooks: fc.array(hook, { maxLength: 3 }),
	});
	return fc.record(
		{
			registration: fc.oneof(registration, anything),
			sampleRun: fc.oneof(
				fc.array(
					fc.record({ event: fc.constant('emailsReplied'), digest: fc.constant(digestOf(SECRET)) }),
				),
				anything,
			),
			testRun: fc.oneof(fc.constantFrom(targetUrl, host.webhookUrl, host.testUrl), anything),
		},
		{ requiredKeys: [] },
	);
};

const postForged = async (url: string): Promise<number> =>
	(await post(url, { _id: 'act_1', type: 'emailsReplied', secret: SECRET })).status;

describe('Whatever static data says', () => {
	it.each(['trigger', 'manual'] as const)(
		'opens nothing, and ends no removal early (mode %s)',
		async (mode) => {
			const host = await world.trigger(['emailsReplied'], {}, { mode, id: 'planted' });
			await host.activate(mode === 'manual' ? 'manual' : 'activate');
			const samples = fc.sample(planted(host), tries(8));
			await host.deactivate();
			await host.settled();
			for (const staticData of samples) {
				const inNewProcess = mode === 'trigger';
				await host.activate(mode === 'manual' ? 'manual' : 'activate');
				const { targetUrl } = world.webhooks[0]!;
				const stored = { [`node:${host.node.name}`]: staticData };
				if (inNewProcess) host.moveToNewProcess(stored);
				else host.reload(undefined, stored);
				expect(await postForged(targetUrl)).toBe(401);
				await world.service.emit({ type: 'emailsReplied' });
				expect(host.statuses.at(-1)).toBe(200);
				await host.deactivate();
				await host.settled();
				expect(world.webhooks).toEqual([]);
				host.reload(undefined, {});
			}
			expect(host.started).toHaveLength(samples.length);
		},
	);
});

it('A sample is accepted only while the process that sent it waits for it', async () => {
	const test = await world.trigger(
		['paused'],
		{ testWith: 'sampleEvent' },
		{ mode: 'manual', id: 'sampled' },
	);
	await test.activate('manual');
	await until(() => test.started.length > 0);
	test.credential.apiKey = 'another key';
	await test.deactivate();
	test.moveToNewProcess();
	const again = await post(`${test.testUrl}?event=paused`, test.bodies.at(-1)!);
	expect(again.status).toBe(401);
	expect(JSON.stringify(test.staticData)).toBe('{}');
});

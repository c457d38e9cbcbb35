/**
 * What becomes of a delivery: an item, or a response without an execution. The world is a local service and one trigger
 * in one process of n8n.
 */
import type { INodeParameters } from 'n8n-workflow';

import { deriveSecret } from '../../deriveSecret';
import { post } from '../support/post';
import type { TriggerHost } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

it.each([{ batch: { values: { maxEvents: 2, maxSeconds: 8 } } }, {}])(
	'A delivery without an ID becomes an item, although it is nested too deep for JavaScript to write it as JSON: %j',
	async (options) => {
		const host = await world.activeTrigger(['emailsReplied'], { output: 'grouped', ...options });
		const { targetUrl } = world.webhooks[0]!;
		const secret = deriveSecret(world.service.apiKey, targetUrl);
		const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
		const json = JSON.stringify({ type: 'emailsReplied', secret, nested: 0 });
		const body = json.replace('"nested":0', `"nested":${nested}`);
		const responses = await Promise.all([post(targetUrl, body), post(targetUrl, body)]);
		expect(responses.map(({ status }) => status)).toEqual([200, 200]);
		expect(host.started).toHaveLength(2);
	},
);

const UNVERIFIED = { verifySecret: false, duplicateMemory: 'off' };

it.each<[string, INodeParameters, TriggerHost['duringRawRead']]>([
	['before it is examined', UNVERIFIED, async (response) => await until(() => response.closed)],
	[
		'before it is added to a batch',
		{ ...UNVERIFIED, batch: { values: { maxEvents: 5, maxSeconds: 0.5 } } },
		async (response) => await until(() => response.closed),
	],
	// n8n waits forever for the rest of a body in gzip.
	['while n8n still reads its body', {}, async () => await new Promise(() => undefined)],
])(
	'A delivery whose sender disconnects %s starts nothing, and the next one does not wait for it',
	async (_, options, whileReading) => {
		const host = await world.activeTrigger(['emailsReplied'], options);
		const impatient = new AbortController();
		host.duringRawRead = async (response) => {
			impatient.abort();
			await whileReading(response);
		};
		// n8n has not parsed a body without the content type of JSON.
		const request = { method: 'POST', body: '{"type":"emailsReplied"}', signal: impatient.signal };
		const sent = fetch(world.webhooks[0]!.targetUrl, request);
		await expect(sent).rejects.toMatchObject({ name: 'AbortError' });
		await until(() => host.pending === 0);
		await world.service.emit({ type: 'emailsReplied' });
		expect([host.statuses, host.started.length]).toEqual([[200], 1]);
	},
);

it('The retry of an execution that failed before the event was read says so, instead of running without an event', async () => {
	const host = await world.activeTrigger(['emailsReplied']);
	// What n8n stores of an execution whose trigger failed in `webhook()`.
	await expect(host.execute([{ json: {} }], { mode: 'retry' })).rejects.toMatchObject({
		name: 'NodeOperationError',
		message: 'This execution has no event to retry',
	});
	const items = [{ json: {} }, { json: { type: 'emailsReplied' } }];
	expect(await host.execute(items, { mode: 'retry' })).toEqual(items);
	expect(await host.execute([{ json: {} }])).toEqual([{ json: {} }]);
});

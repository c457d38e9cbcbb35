/**
 * What becomes of a delivery: an item, or a response without an execution. The world is a local service and one trigger
 * in one process of n8n.
 */
import { deriveSecret } from '../../../tools/load/deriveSecret';
import { post } from '../support/post';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

describe('A delivery without an ID', () => {
	it.each([{ batch: { values: { maxEvents: 2, maxSeconds: 8 } } }, {}])(
		'becomes an item, although it is nested too deep for JavaScript to write it as JSON: %j',
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

	it.each([{}, { batch: { values: { maxEvents: 5, maxSeconds: 0.5 } } }])(
		'starts nothing when its sender disconnects before it is examined: %j',
		async (options) => {
			const host = await world.activeTrigger(['emailsReplied'], {
				...options,
				verifySecret: false,
				duplicateMemory: 'off',
			});
			const impatient = new AbortController();
			host.duringRawRead = async (response) => {
				impatient.abort();
				await until(() => response.closed);
			};
			const headers = { 'content-type': 'text/plain' };
			const body = '{"type":"emailsReplied"}';
			const [{ targetUrl } = { targetUrl: '' }] = world.webhooks;
			const { signal } = impatient;
			await expect(
				fetch(targetUrl, { method: 'POST', headers, body, signal }),
			).rejects.toMatchObject({ name: 'AbortError' });
			await until(() => host.pending === 0);
			// The next one does not wait for it.
			await world.service.emit({ type: 'emailsReplied' });
			expect(host.statuses).toEqual([200]);
			expect(host.started).toHaveLength(1);
		},
	);
});

it('A delivery whose sender disconnects while n8n still reads its body is not waited for any longer', async () => {
	const host = await world.activeTrigger(['emailsReplied']);
	const impatient = new AbortController();
	host.duringRawRead = async () => {
		impatient.abort();
		// n8n waits forever for the rest of a body in gzip.
		await new Promise(() => undefined);
	};
	const [{ targetUrl } = { targetUrl: '' }] = world.webhooks;
	const { signal } = impatient;
	await expect(
		fetch(targetUrl, { method: 'POST', body: '{"type":"emailsReplied"}', signal }),
	).rejects.toMatchObject({ name: 'AbortError' });
	await until(() => host.pending === 0);
	expect(host.started).toEqual([]);
});

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

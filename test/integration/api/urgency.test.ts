/** D91 and D107: who waits for the rate limit. The world is a local service and both nodes in one process of n8n. */
import { jsonOf } from '../support/action';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

/** How many requests the service accepts while a person waits for twelve seconds: 20 in each two. */
const PATIENCE = 120;

/** How many requests the service gets until a task ends, those of the task included. */
const requestsUntilEndOf = async (task: () => Promise<unknown>): Promise<number> => {
	const before = world.requests().length;
	await task();
	return world.requests().length - before;
};

const getMany = async () => jsonOf(await world.run('getAll'));

describe('While more than a hundred executions wait in one process', () => {
	it('each of them succeeds in the end, and none says that the service is busy', async () => {
		const { _id } = world.addWebhook();
		// Each refusal stops the queue for half a minute: the last one waits for longer than the 120 s of an item.
		for (let refusals = 0; refusals < 5; refusals++) {
			const headers = { 'retry-after': '30' };
			world.service.addFault({ kind: 'status', status: 429, headers, skip: 20 * refusals });
		}
		const runs = Array.from({ length: 120 }, async () => await getMany());
		const results = await Promise.all(runs);
		expect(results.map((webhooks) => webhooks.map((one) => one._id))).toEqual(
			Array(120).fill([_id]),
		);
		expect(world.requests()).toHaveLength(125);
		expect(world.service.stats().refused).toBe(0);
	}, 300_000);

	it('a trigger is activated, a list opens and a credential is tested within seconds', async () => {
		const waiting = Array.from({ length: 140 }, async () => await getMany());
		await until(() => world.requests().length >= 19);
		expect(
			await requestsUntilEndOf(async () => {
				await world.activeTrigger(['emailsReplied', 'emailsBounced', 'paused']);
				await world.searchWebhooks();
				expect(await world.testCredential()).toMatchObject({ status: 'OK' });
			}),
		).toBeLessThan(PATIENCE);
		expect(world.webhookTypes).toEqual(['emailsReplied', 'emailsBounced', 'paused']);
		await Promise.all(waiting);
	}, 120_000);
});

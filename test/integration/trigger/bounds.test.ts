/**
 * What a process remembers of a trigger does not grow with the number of its activations and test runs. The world is a
 * local service and one trigger in one process of n8n.
 */
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

/**
 * What is remembered of the latest only: see unit/runtime/duplicates.test.ts. Each cycle has other bases, because each server of the test
 * has a port of its own.
 */
const RECENT = ['told', 'rememberedActivities', 'bases'];

const stats = (): Record<string, number> =>
	Object.fromEntries(
		Object.entries(world.n8n.runtime.stats()).filter(([name]) => !RECENT.includes(name)),
	);

/** Activates, fails, deactivates and tests two workflows, with what can go wrong in between. */
async function cycle(): Promise<void> {
	const options = { repairMinutes: 1 };
	const host = await world.trigger(['emailsReplied', 'smsReplied'], options, { id: 'active' });
	world.refuse('POST', 400);
	await expect(host.activate()).rejects.toThrow('refused the request with status 400');
	await host.activate();
	await world.service.emit({ type: 'emailsReplied' });
	world.service.removeHook(world.webhookIds[0]!);
	await host.check();
	// Its webhooks stay, and the next activation removes them.
	world.refuse('DELETE', 403, 2);
	await host.deactivate();
	world.service.clearFaults();
	await host.activate();
	await host.deactivate();
	await host.stop();
	for (const [id, options] of [
		['tested', {}],
		['sampled', { testWith: 'sampleEvent' }],
	] as const) {
		const test = await world.activeTrigger(['emailsReplied'], options, { id, mode: 'manual' });
		await until(() => id === 'tested' || test.started.length > 0);
		await test.deactivate();
		await test.stop();
	}
	expect(world.webhooks).toEqual([]);
}

it('After four cycles of activating, failing, deactivating and testing, everything is as after one', async () => {
	await cycle();
	const afterOne = stats();
	expect(afterOne).toMatchObject({
		triggerNodes: 0,
		triggers: 0,
		sampleRuns: 0,
		changes: 0,
		locks: 0,
	});
	for (let cycles = 1; cycles < 4; cycles += 1) await cycle();
	expect(stats()).toEqual(afterOne);
});

it('Of what was told, the latest 10,000 things are remembered', () => {
	const { runtime } = world.n8n;
	for (let count = 0; count < 10_500; count++) runtime.noteTold(`${count}`);
	expect(runtime.stats().told).toBe(10_000);
	expect([runtime.noteTold('500'), runtime.noteTold('0')]).toEqual([false, true]);
});

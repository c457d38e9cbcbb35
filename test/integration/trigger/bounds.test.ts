/**
 * What a process remembers of a trigger does not grow with the number of its activations and test runs. The world is a
 * local service and one trigger in one process of n8n.
 */
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

/**
 * What is remembered of the latest only: see unit/utils/recentSet.test.ts. Each cycle has other bases, because each server of the test
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
	world.service.addFault({ kind: 'status', status: 400, match: { method: 'POST' } });
	await expect(host.activate()).rejects.toThrow('refused the request with status 400');
	await host.activate();
	const { check, close } = await host.startTrigger();
	await world.service.emit({ type: 'emailsReplied' });
	world.service.removeHook(world.webhookIds[0]!);
	await check();
	await close();
	// Its webhooks stay, and the next activation removes them.
	world.service.addFault({ kind: 'status', status: 403, times: 2, match: { method: 'DELETE' } });
	await host.deactivate();
	await host.settled();
	world.service.clearFaults();
	await host.activate();
	await host.deactivate();

	const testRun = await world.trigger(['emailsReplied'], {}, { id: 'tested', mode: 'manual' });
	await testRun.activate('manual');
	await testRun.deactivate();
	await testRun.settled();
	const sample = await world.trigger(
		['emailsReplied'],
		{ testWith: 'sampleEvent' },
		{ id: 'sampled', mode: 'manual' },
	);
	await sample.activate('manual');
	await until(() => sample.started.length > 0);
	await sample.deactivate();
	await sample.settled();
	expect(world.webhooks).toEqual([]);
	for (const one of [host, testRun, sample]) await one.stop();
}

it('After four cycles of activating, failing, deactivating and testing, everything is as after one', async () => {
	await cycle();
	const afterOne = stats();
	expect(afterOne).toMatchObject({ triggerNodes: 0, sampleRuns: 0, changes: 0, locks: 0 });
	for (let cycles = 1; cycles < 4; cycles += 1) await cycle();
	expect(stats()).toEqual(afterOne);
});

/**
 * Two nodes with the same webhook URL in one n8n: a node owns exactly what is at its base (D110), so one of them has none. The world
 * is a local service and one process of n8n. Two n8n's with the same workflow: `histories.test.ts`.
 */
import { passTime } from '../support/passTime';
import { textLike } from '../support/matchers';
import type { TriggerHost } from '../support/trigger';
import { useWorld } from '../support/world';

const world = useWorld({ switches: { rateLimit: 'off' } });

describe('A node that is pasted into another workflow of the same n8n, and so has the same webhook URL', () => {
	/** Two workflows with one node each, and one webhook path for both. */
	async function twoWorkflows(): Promise<[TriggerHost, TriggerHost]> {
		const options = { repairMinutes: 1 };
		const first = await world.activeTrigger(['emailsReplied'], options, { id: 'first' });
		const second = await world.trigger(['smsReplied'], options, { id: 'second' });
		second.shareUrlsOf(first);
		return [first, second];
	}

	const REFUSED =
		'"Test · Trigger" is active with the same webhook URL: delete the node "Trigger" in this workflow, and add it again';

	it('is not activated while the other one is active, which keeps its webhooks', async () => {
		const [first, second] = await twoWorkflows();
		const before = world.webhookIds;
		await expect(second.activate()).rejects.toThrow(REFUSED);
		await passTime(120_000);
		expect(world.webhookIds).toEqual(before);
		await world.service.emit({ type: 'emailsReplied' });
		expect(first.started).toHaveLength(1);
		await first.deactivate();
		await second.activate();
		expect(world.webhookTypes).toEqual(['smsReplied']);
	});

	it('stays without webhooks after a start, reports it, and takes over when the other one ends', async () => {
		const [first, second] = await twoWorkflows();
		const before = world.webhookIds;
		await second.activate('init');
		const { check } = await second.startTrigger('init');
		for (let checks = 0; checks < 3; checks++) await check();
		expect(world.webhookIds).toEqual(before);
		const [report, ...more] = second.failedExecutions;
		expect([report?.message, more]).toEqual([textLike(/^The webhooks of "Trigger" cannot be/), []]);
		expect(report?.description).toContain(REFUSED);
		await first.deactivate();
		await check();
		expect(world.webhookTypes).toEqual(['smsReplied']);
		await second.deactivate();
		expect(world.webhooks).toEqual([]);
	});

	it('takes nothing from the other one when it ends first', async () => {
		const [first, second] = await twoWorkflows();
		const before = world.webhookIds;
		await second.activate('init');
		await second.deactivate();
		await passTime(120_000);
		expect(world.webhookIds).toEqual(before);
		expect(first.isKnownToProcess).toBe(true);
	});
});

/**
 * Which webhooks a trigger takes for its own, and replaces or removes, and which it leaves to others. The world is a
 * local service and triggers in one process of n8n.
 */
import type { Fault } from '../../../tools/service';
import { useWorld } from '../support/world';

const world = useWorld();

/** Another node than the one that every workflow has. */
const SECOND = {
	id: 'second',
	name: 'Second',
	webhookId: '00000000-0000-4000-8000-000000000002',
};

describe('An activation replaces', () => {
	it('a webhook at its target URL that it did not register, because nobody knows the secret', async () => {
		const host = await world.activeTrigger(['emailsReplied']);
		const [left] = world.webhookIds;
		host.moveToNewProcess({});
		await host.activate();
		expect(world.webhookIds).toHaveLength(1);
		expect(world.webhookIds).not.toContain(left);
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.started).toHaveLength(1);
	});

	it('a new webhook that equals the desired one, and does not mistake it for its own when the response is lost', async () => {
		const host = await world.activeTrigger(['emailsReplied']);
		const { targetUrl, type } = world.webhooks[0]!;
		await host.deactivate();
		const { _id } = world.addWebhook({ targetUrl, type, secret: 'not ours' });
		world.service.addFault({ kind: 'cut', match: { method: 'POST' } });
		await host.activate();
		expect(world.webhookIds).toHaveLength(1);
		expect(world.webhookIds).not.toContain(_id);
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.started).toHaveLength(1);
	});

	it('the webhooks that a crash left of an earlier selection', async () => {
		const host = await world.activeTrigger(['emailsReplied']);
		// Killed before n8n saved the static data; then a user changes the selection.
		host.moveToNewProcess({});
		host.reload({ events: ['dialerEnded'], options: {} }, {});
		await host.activate();
		expect(world.webhooks).toEqual([expect.objectContaining({ type: 'dialerEnded' })]);
	});
});

describe('A deactivation', () => {
	it('removes webhooks whose process was killed before n8n saved them, whatever their type', async () => {
		world.service.setSwitches({ unknownTypes: 'accept' });
		const host = await world.activeTrigger(['emailsReplied'], { customEventTypes: 'brandNew' });
		const registered = world.webhooks;
		await host.deactivate();
		for (const { targetUrl, type } of registered) world.addWebhook({ targetUrl, type });
		await host.deactivate();
		expect(world.webhookIds).toEqual([]);
	});
});

describe('A webhook that a deactivation could not remove', () => {
	it.each<[string, Fault]>([
		['the removal is refused', { kind: 'status', status: 403, match: { method: 'DELETE' } }],
		['the list cannot be fetched', { kind: 'status', status: 401 }],
	])('goes with the next check of another workflow (%s)', async (_, fault) => {
		const gone = await world.activeTrigger(['emailsReplied']);
		const other = await world.activeTrigger(['smsSent'], { repairMinutes: 1 }, { node: SECOND });
		const [left, ...kept] = world.webhookIds;
		world.service.addFault(fault);
		await gone.deactivate();
		expect(world.webhookIds).toContain(left);
		await (await other.startTrigger()).check();
		expect(world.webhookIds).toEqual(kept);
	});

	it('is replaced when its workflow is activated again, without a gap', async () => {
		const host = await world.activeTrigger(['emailsReplied']);
		const [left] = world.webhookIds;
		world.service.addFault({ kind: 'status', status: 503, match: { method: 'DELETE' }, times: 9 });
		await host.deactivate();
		world.service.clearFaults();
		const counts: number[] = [];
		world.service.onHooksChange(() => counts.push(world.webhooks.length));
		await host.activate('update');
		expect(counts).toEqual([2, 1]);
		expect(world.webhookIds).not.toContain(left);
	});
});

describe('A trigger never touches', () => {
	it('webhooks of another trigger in the same workflow', async () => {
		const one = await world.trigger(['emailsReplied'], {}, { id: 'wf' });
		const two = await world.trigger(['emailsReplied'], {}, { id: 'wf', node: SECOND });
		await one.activate();
		await two.activate();
		const [, second] = world.webhookIds;
		await one.deactivate();
		expect(world.webhookIds).toEqual([second]);
	});

	it('webhooks of the active workflow in a test run of the same node, or the other way round', async () => {
		const active = await world.trigger(['emailsReplied'], {}, { id: 'wf' });
		const test = await world.trigger(['emailsReplied'], {}, { id: 'wf', mode: 'manual' });
		await active.activate();
		await test.activate('manual');
		expect(world.webhookIds).toHaveLength(2);
		const [first] = world.webhookIds;
		await test.deactivate();
		await test.settled();
		expect(world.webhookIds).toEqual([first]);

		await test.activate('manual');
		const [, second] = world.webhookIds;
		await active.deactivate();
		expect(world.webhookIds).toEqual([second]);
	});

	it('webhooks of the workflow that it was copied from, although the copy includes the static data', async () => {
		const original = await world.activeTrigger(['emailsReplied'], {}, { id: 'original' });
		const copy = await world.trigger(['smsSent'], {}, { id: 'copy' });
		copy.reload(undefined, original.savedStaticData);
		await copy.activate();
		await copy.deactivate();
		expect(world.webhooks).toEqual([expect.objectContaining({ type: 'emailsReplied' })]);
		await world.service.emit({ type: 'emailsReplied' });
		expect(original.started).toHaveLength(1);
	});
});

it('Where the service allows a target URL only once and another webhook has it, an activation says what to do, and registers nothing', async () => {
	const host = await world.activeTrigger(['emailsReplied']);
	const { targetUrl } = world.webhooks[0]!;
	await host.deactivate();
	const unrelated = world.addWebhook({ targetUrl: 'https://crm.test/in' });
	const other = world.addWebhook({ targetUrl: targetUrl.replace(/\?.*/, '') });
	world.service.addFault({ kind: 'status', status: 409, match: { method: 'POST' } });
	await expect(host.call('create')).rejects.toMatchObject({
		message: 'The service refuses the target URL of this workflow: another webhook already has it',
		description: expect.stringMatching(/Get Many.*Subscription.*new trigger node/) as string,
		httpCode: '409',
	});
	expect(world.webhookIds).toEqual([unrelated._id, other._id]);
});

/**
 * A repair of which the service carries out only a part, or for which it has no room. The world is a local service and
 * one trigger in one process of n8n.
 */
import type { HookView } from '../../../tools/service';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

const isOf = (method: string) => (request: string) => request.startsWith(method);

async function activeTrigger(events: string[], options = {}) {
	const host = await world.activeTrigger(events, { repairMinutes: 1, ...options });
	const { check } = await host.startTrigger();
	return { host, check };
}

describe('A repair', () => {
	it('keeps the successors of two disabled webhooks when the removal of one is refused', async () => {
		const { host, check } = await activeTrigger(['emailsReplied', 'smsReplied']);
		const disabled = world.webhookIds;
		for (const id of disabled) world.service.disableHook(id);
		world.service.addFault({ kind: 'status', status: 403, match: { method: 'DELETE' } });
		await check();
		const successors = world.webhookIds.filter((id) => !disabled.includes(id));
		expect(successors).toHaveLength(2);
		expect(world.webhooks).toHaveLength(3);
		const since = world.service.requests.length;
		await check();
		expect(world.webhookIds).toEqual(successors);
		expect(world.requests(since)).toEqual(['GET /hooks', 'DELETE /hooks/:id']);
		for (const type of ['emailsReplied', 'smsReplied']) await world.service.emit({ type });
		expect(host.started).toHaveLength(2);
	});

	it('reports no removal as failed that succeeds at the second attempt', async () => {
		const { check } = await activeTrigger(['emailsReplied', 'smsReplied']);
		const disabled = world.webhookIds;
		for (const id of disabled) world.service.disableHook(id);
		// There is room for one successor, so both old webhooks are to make room for the other one.
		world.service.setSwitches({ maxHooks: 3 });
		world.service.addFault({ kind: 'status', status: 403, match: { method: 'DELETE' } });
		const warn = world.spyOnWarnings();
		await check();
		expect(world.webhookIds.filter((id) => disabled.includes(id))).toEqual([]);
		expect(world.webhooks).toHaveLength(2);
		const aboutRemovals = expect.stringContaining('could not be removed') as unknown;
		expect(warn).not.toHaveBeenCalledWith(aboutRemovals, expect.anything());
	});
});

describe('A repair in a team that has no room for another webhook', () => {
	const EVENTS = ['emailsReplied', 'smsReplied'];

	/** Fills the place of the first webhook with one at a target URL of the node. */
	const replaceFirst = (type: string | undefined) => {
		const [first] = world.webhooks;
		world.service.removeHook(first!._id);
		const targetUrl = first!.targetUrl.replace(/event=.*/, `event=${type ?? '*'}`);
		return world.addWebhook({ targetUrl, ...(type === undefined ? {} : { type }) })._id;
	};

	it('uses the room of a disabled webhook', async () => {
		const { host, check } = await activeTrigger(EVENTS);
		world.service.setSwitches({ maxHooks: 2 });
		const [disabled] = world.webhookIds;
		world.service.disableHook(disabled!);
		await check();
		expect(world.webhooks.map((webhook) => webhook.disabled)).toEqual([false, false]);
		expect(world.webhookIds).not.toContain(disabled);
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.started).toHaveLength(1);
	});

	it('uses the room of a webhook of the node that serves no event any more', async () => {
		const { check } = await activeTrigger(EVENTS);
		replaceFirst('warmed');
		world.service.setSwitches({ maxHooks: 2 });
		await check();
		expect(world.webhookTypes).toEqual(['smsReplied', 'emailsReplied']);
	});

	it.each<[string, () => string | undefined]>([
		[
			'that delivers, while somebody else has taken the room',
			() => {
				world.service.removeHook(world.webhookIds[0]!);
				world.addWebhook({ targetUrl: 'https://somebody.test', type: 'warmed' });
				return world.webhookIds[0];
			},
		],
		[
			'of all events, because it still serves the one that is missing',
			() => replaceFirst(undefined),
		],
		[
			'of an event that is missing, while another is missing too',
			() => {
				const ofReplies = replaceFirst('emailsReplied');
				world.service.removeHook(world.webhookIds[0]!);
				return ofReplies;
			},
		],
	])('keeps a webhook %s', async (_, prepare) => {
		const { check } = await activeTrigger(EVENTS);
		const kept = prepare();
		world.service.setSwitches({ maxHooks: world.webhooks.length });
		await check();
		expect(world.webhookIds).toContain(kept);
	});

	it('creates each of many webhooks that it may, although the first is refused, and that one later', async () => {
		const events = [...EVENTS, 'networkReplied', 'warmed', 'paused', 'hooked'];
		const { check } = await activeTrigger(events);
		for (const id of world.webhookIds) world.service.removeHook(id);
		world.service.addFault({ kind: 'status', status: 400, match: { method: 'POST' } });
		await check();
		expect(world.webhooks).toHaveLength(events.length - 1);
		await check();
		expect(world.webhooks).toHaveLength(events.length);
	});
});

describe('A repair where the service allows a target URL only once', () => {
	it('replaces a webhook at its URL that somebody restored by hand', async () => {
		const { host, check } = await activeTrigger(['emailsReplied']);
		const [{ _id, targetUrl }] = world.webhooks as [HookView];
		world.service.removeHook(_id);
		const restored = world.addWebhook({ targetUrl, type: 'emailsReplied' });
		world.service.setSwitches({ hookUrls: 'oncePerTeam' });
		await check();
		expect(world.webhookTypes).toEqual(['emailsReplied']);
		expect(world.webhookIds).not.toContain(restored._id);
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.started).toHaveLength(1);
	});

	it('leaves nothing behind when the workflow is deactivated during its DELETE after a refusal', async () => {
		const { host, check } = await activeTrigger(['emailsReplied']);
		const [{ _id, targetUrl }] = world.webhooks as [HookView];
		world.service.removeHook(_id);
		world.addWebhook({ targetUrl, type: 'emailsReplied' });
		world.service.setSwitches({ hookUrls: 'oncePerTeam' });
		world.service.addFault({ kind: 'delay', delayMs: 200, match: { method: 'DELETE' } });
		const before = world.service.requests.length;
		const checked = check();
		await until(() => world.requests(before).filter(isOf('DELETE')).length > 0, 5_000);
		await host.deactivate();
		await checked;
		expect(world.requests(before).filter(isOf('POST'))).toHaveLength(1);
		expect(world.webhooks).toEqual([]);
	});

	it('reports the loss of a disabled webhook that was removed, although its successor is refused at first', async () => {
		const { host, check } = await activeTrigger(['emailsReplied']);
		await check();
		world.service.setSwitches({ hookUrls: 'oncePerTeam' });
		world.service.disableHook(world.webhookIds[0]!);
		world.service.addFault({ kind: 'status', status: 503, skip: 1, match: { method: 'POST' } });
		await check();
		expect(world.webhooks).toEqual([]);
		await check();
		await check();
		expect(world.webhookTypes).toEqual(['emailsReplied']);
		expect(host.failedExecutions.map(({ message }) => message)).toEqual([
			expect.stringMatching(/has been created again: Email: Reply Received$/) as string,
		]);
	});

	it("does not remove another node's webhook at the same URL", async () => {
		const first = await world.activeTrigger(['emailsReplied']);
		const second = await world.trigger(['emailsReplied'], { repairMinutes: 1 }, { id: 'second' });
		second.shareWebhookUrlOf(first);
		await second.activate();
		const { check } = await second.startTrigger();
		const [ofFirst, ofSecond] = world.webhookIds;
		world.service.setSwitches({ hookUrls: 'oncePerTeam' });
		world.service.removeHook(ofSecond!);
		const warn = world.spyOnWarnings();
		await check();
		expect(world.webhookIds).toEqual([ofFirst]);
		expect(warn.mock.calls.map(([text]) => text)).toEqual([
			expect.stringContaining('another webhook already has it'),
		]);
	});
});

describe('A webhook that the service refuses to remove', () => {
	it('is removed by a later check, which n8n runs each minute even with Repair Interval 0', async () => {
		const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 0 });
		const [disabled] = world.webhookIds;
		world.service.disableHook(disabled!);
		world.service.addFault({ kind: 'status', status: 403, times: 3, match: { method: 'DELETE' } });
		host.reload();
		await host.activate('init');
		const { check } = await host.startTrigger('init');
		for (const count of [2, 2, 1]) {
			await check();
			expect(world.webhooks).toHaveLength(count);
		}
		expect(world.webhookIds).not.toContain(disabled);
		const since = world.service.requests.length;
		await check();
		expect(world.requests(since)).toEqual([]);
	});
});

describe('An activation after a crash', () => {
	it('replaces its leftovers when the team has no room for more webhooks', async () => {
		world.service.setSwitches({ maxHooks: 2 });
		const host = await world.activeTrigger(['emailsReplied', 'smsReplied']);
		const left = world.webhookIds;
		host.moveToNewProcess({});
		await host.activate();
		expect(world.webhooks).toHaveLength(2);
		expect(world.webhookIds.some((id) => left.includes(id))).toBe(false);
	});
});

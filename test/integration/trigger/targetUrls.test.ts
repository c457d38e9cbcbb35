/**
 * Target URLs that the service stores in another form, or that two workflows share. The world is a local service and
 * triggers in one process of n8n.
 */
import type { ServerResponse } from 'node:http';

import { useTargets, type Handler } from '../support/targets';
import { useWorld } from '../support/world';

const world = useWorld();
const targets = useTargets();

describe('When the service normalizes target URLs, the node', () => {
	it.each([
		['*', {}, /^http:\/\/localhost:\d+\/.*\?event=%2A$/],
		['smsReplied', { campaignId: 'cam_1' }, /\?campaign=cam_1&event=smsReplied$/],
	])(
		'keeps its webhook at every check and start, and removes it at the deactivation (%s %j)',
		async (event, options, form) => {
			world.service.setSwitches({ targetUrlForm: 'normalized' });
			const host = await world.trigger([event], { repairMinutes: 1, ...options });
			host.webhookHost = 'LOCALHOST';
			// The webhook is found although the response to its create is lost.
			world.service.addFault({ kind: 'cut', when: 'after', match: { method: 'POST' } });
			await host.activate();
			const [registered, ...others] = world.webhooks;
			expect(others).toEqual([]);
			expect(registered!.targetUrl).toMatch(form);
			const { check } = await host.startTrigger();
			await check();
			host.reload();
			await host.activate('init');
			expect(world.webhooks).toEqual([registered]);
			const type = event === '*' ? 'emailsReplied' : event;
			await world.service.emit({ type, campaignId: 'cam_1' });
			expect(host.started).toHaveLength(1);
			await host.deactivate();
			expect(world.webhooks).toEqual([]);
		},
	);

	it('replaces a leftover when a target URL is allowed only once', async () => {
		world.service.setSwitches({ targetUrlForm: 'normalized', hookUrls: 'oncePerTeam' });
		const host = await world.activeTrigger(['*']);
		host.moveToNewProcess({});
		await host.activate();
		expect(world.webhooks).toHaveLength(1);
	});
});

/** A service whose IDs are 1, 2, 3, …: two of these have the same IDs. */
function countingService(): Handler {
	const hooks: Array<{ _id: string }> = [];
	return (response, { method, body }) => {
		if (method !== 'POST') {
			json(response, hooks);
			return;
		}
		const { targetUrl, type } = JSON.parse(body) as Record<string, unknown>;
		const hook = { targetUrl, type, _id: String(hooks.length + 1) };
		hooks.push(hook);
		json(response, hook);
	};
}

const json = (response: ServerResponse, value: unknown): void => {
	response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
};

it('Two workflows can be active at two services that give their webhooks the same IDs', async () => {
	for (const id of ['first', 'second']) {
		const { url } = await targets.start(countingService());
		const host = await world.trigger(['emailsReplied'], {}, { id, node: { id } });
		host.credential.baseUrl = `${url}/api`;
		await host.activate();
	}
});

describe('Two workflows with the same webhook URL', () => {
	it("do not touch each other's webhooks, even when the activation of the second fails", async () => {
		const first = await world.activeTrigger(['emailsReplied']);
		const registered = world.webhooks;
		const second = await world.trigger(['emailsReplied', 'smsReplied']);
		second.shareWebhookUrlOf(first);
		world.service.addFault({ kind: 'status', status: 400, skip: 1, match: { method: 'POST' } });
		await expect(second.activate()).rejects.toThrow('status 400');
		expect(world.webhooks).toEqual(registered);
		await second.activate();
		expect(world.webhooks).toEqual(expect.arrayContaining(registered));
		await second.deactivate();
		expect(world.webhooks).toEqual(registered);
	});
});

it('A service that responds to a create with the webhook that exists keeps none with a secret of its own', async () => {
	const host = await world.activeTrigger(['emailsReplied']);
	const [old] = world.webhooks;
	// As after a crash: only the target URL tells whose it is, and its secret is not known.
	host.moveToNewProcess({});
	world.respondOnce('POST', old!);
	await host.activate('init');
	// A start makes no room for a webhook: the check a minute later does.
	expect(world.webhookIds).toEqual([old!._id]);
	await (await host.startTrigger('init')).check();
	expect(world.webhooks).toHaveLength(1);
	expect(world.webhookIds).not.toEqual([old!._id]);
	await world.service.emit({ type: 'emailsReplied' });
	expect(host.started).toHaveLength(1);
});

it('The checks of two workflows with the same webhook URL leave the webhooks of both', async () => {
	const first = await world.activeTrigger(['emailsReplied']);
	const second = await world.trigger(['emailsReplied']);
	second.shareWebhookUrlOf(first);
	await second.activate();
	const before = world.webhookIds;
	expect(before).toHaveLength(2);
	for (const host of [first, second]) await (await host.startTrigger('activate')).check();
	expect(world.webhookIds).toEqual(before);
});

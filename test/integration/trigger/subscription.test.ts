import { deriveSecret } from '../../../nodes/OutreachService/model/secret';
import { textLike } from '../support/matchers';
import { useWorld } from '../support/world';

const world = useWorld();

/** Delivers an activity with the secret of one of the node's webhooks, to its target URL with another query. */
async function deliver(query: string, activity: object, ofEvent = '*'): Promise<number> {
	const { targetUrl } = world.webhooks.find((webhook) =>
		webhook.targetUrl.endsWith(`=${ofEvent}`),
	)!;
	const response = await fetch(targetUrl.replace(/\?.*/, query), {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ ...activity, secret: deriveSecret(world.service.apiKey, targetUrl) }),
	});
	return response.status;
}

/** Queries that name no event, or more than one. */
const NO_EVENT = ['', '?', '?event=', '?event=emailsSent&event=smsSent', '?other=1'];

describe.each(NO_EVENT)('A delivery of the webhook for all events with the query "%s"', (query) => {
	it('is filtered like one with its own query', async () => {
		const host = await world.activeTrigger(['emailsReplied'], { subscription: 'singleHook' });
		expect(await deliver(query, { type: 'emailsReplied', _id: 'act_1' })).toBe(200);
		expect(await deliver(query, { type: 'smsSent', _id: 'act_2' })).toBe(200);
		expect(host.started.map(({ json }) => json._id)).toEqual(['act_1']);
	});

	it('is a duplicate of one with its own query', async () => {
		const host = await world.activeTrigger(['*'], { output: 'grouped' });
		const activity = { type: 'emailsReplied', _id: 'act_1' };
		expect(await deliver(query, activity)).toBe(200);
		expect(await deliver('?event=*', activity)).toBe(200);
		expect(host.started.map(({ json }) => json.event)).toEqual([
			expect.objectContaining({ id: 'act_1', subscription: '*' }),
		]);
	});

	it('is not verified by the secret of a single event', async () => {
		const host = await world.activeTrigger(['emailsReplied']);
		const activity = { type: 'emailsReplied', _id: 'act_1' };
		expect(await deliver(query, activity, 'emailsReplied')).toBe(401);
		expect(host.started).toEqual([]);
	});
});

describe('With Verify Secret off, a delivery for an event that the node does not subscribe to', () => {
	it.each([...NO_EVENT, '?event=smsSent', '?event=invented'])(
		'is filtered by the type of its activity (query "%s")',
		async (query) => {
			const host = await world.activeTrigger(['emailsReplied', 'warmed'], { verifySecret: false });
			for (const type of ['smsSent', 'emailsReplied', undefined, 'warmed', 'hooked']) {
				expect(await deliver(query, { type, _id: 'act_1' }, 'warmed')).toBe(200);
			}
			expect(host.started.map(({ json }) => json.type)).toEqual(['emailsReplied', 'warmed']);
		},
	);

	it('is a duplicate whatever its query', async () => {
		const host = await world.activeTrigger(['*'], { verifySecret: false });
		for (const query of [...NO_EVENT, '?event=smsSent', '?event=invented', '?event=*']) {
			expect(await deliver(query, { type: 'emailsReplied', _id: 'act_1' })).toBe(200);
		}
		expect(host.started).toHaveLength(1);
	});
});

it('A copied workflow does not accept the secret of the original, although it has its static data', async () => {
	const original = await world.activeTrigger(['emailsReplied']);
	const copy = await world.activeTrigger(['emailsReplied']);
	const [ofOriginal, ofCopy] = world.webhooks.map(({ targetUrl }) => targetUrl);
	copy.reload(undefined, original.savedStaticData);
	const response = await fetch(ofCopy!, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ secret: deriveSecret(world.service.apiKey, ofOriginal!) }),
	});
	expect(response.status).toBe(401);
	expect(copy.started).toEqual([]);
});

it('A lead state at a URL that the node does not have starts nothing beside the webhook for all events', async () => {
	const options = { subscription: 'singleHook', verifySecret: false };
	const host = await world.activeTrigger(['emailsReplied', 'warmed'], options);
	expect(await deliver('?event=smsSent', { type: 'warmed', _id: 'act_1' })).toBe(200);
	expect(host.started).toEqual([]);
});

describe('An expression that selects something else than when the workflow was activated', () => {
	const WARNING = textLike(
		/^An event did not start "Trigger", because expressions in its parameters now select other/,
	);

	it('is logged once, with what to do: the service goes on delivering what was selected then', async () => {
		const host = await world.trigger(['emailsReplied'], { campaignId: '={{ $vars.campaign }}' });
		host.variables = { campaign: 'cam_old' };
		await host.activate();
		const warn = world.spyOnWarnings();
		const emit = () => world.service.emit({ type: 'emailsReplied', campaignId: 'cam_old' });
		await emit();
		expect([host.started.length, warn.mock.calls]).toEqual([1, []]);
		host.variables = { campaign: 'cam_new' };
		await emit();
		await emit();
		expect(host.started).toHaveLength(1);
		const { id } = host.workflow;
		expect(warn.mock.calls).toEqual([[WARNING, { workflowId: id }]]);
	});

	it('is logged by another process of n8n, too, such as a webhook process', async () => {
		const host = await world.trigger(['emailsReplied'], { campaignId: '={{ $vars.campaign }}' });
		host.variables = { campaign: 'cam_old' };
		await host.activate();
		host.moveToNewProcess();
		host.variables = { campaign: 'cam_new' };
		const warn = world.spyOnWarnings();
		await world.service.emit({ type: 'emailsReplied', campaignId: 'cam_old' });
		expect(warn.mock.calls.map(([text]) => text)).toEqual([WARNING]);
	});

	it('is logged also when some of the campaigns are still selected', async () => {
		const host = await world.trigger(['emailsReplied'], { campaignId: '={{ $vars.campaigns }}' });
		host.variables = { campaigns: 'cam_1, cam_2' };
		await host.activate();
		host.variables = { campaigns: 'cam_1, cam_3' };
		const warn = world.spyOnWarnings();
		await world.service.emit({ type: 'emailsReplied', campaignId: 'cam_1' });
		expect([host.started.length, warn.mock.calls]).toEqual([1, []]);
		await world.service.emit({ type: 'emailsReplied', campaignId: 'cam_2' });
		expect(warn.mock.calls.map(([text]) => text)).toEqual([WARNING]);
	});

	it('is logged also when the parameter had a fixed value before, and again after the next change', async () => {
		const host = await world.activeTrigger(['emailsReplied'], { campaignId: 'cam_1' });
		const emit = (campaignId: string) => world.service.emit({ type: 'emailsReplied', campaignId });
		await emit('cam_1');
		const warn = world.spyOnWarnings();
		for (const [campaign, next] of [
			['cam_1', 'cam_2'],
			['cam_2', 'cam_3'],
		]) {
			await host.deactivate();
			host.variables = { campaign };
			const options = { campaignId: '={{ $vars.campaign }}' };
			host.reload({ events: ['emailsReplied'], options });
			await host.activate();
			host.variables = { campaign: next };
			await emit(campaign!);
		}
		expect(warn.mock.calls.map(([text]) => text)).toEqual([WARNING, WARNING]);
	});

	it('is not logged for a webhook that is left over from other settings, by any process', async () => {
		const options = { campaignId: '={{ "cam_1" }}' };
		const host = await world.activeTrigger(['emailsReplied', 'warmed'], options);
		world.service.addFault({
			kind: 'status',
			status: 403,
			times: 100,
			match: { method: 'DELETE' },
		});
		host.reload({ events: ['emailsReplied'], options });
		await host.activate();
		const warn = world.spyOnWarnings();
		await world.service.emit({ type: 'warmed', campaignId: 'cam_1' });
		host.moveToNewProcess();
		await world.service.emit({ type: 'warmed', campaignId: 'cam_1' });
		expect([host.started.length, warn.mock.calls]).toEqual([0, []]);
	});

	it('is not logged for a test run with other parameters', async () => {
		const { node, workflow } = await world.activeTrigger(['emailsReplied'], {
			campaignId: 'cam_1',
		});
		const test = await world.activeTrigger(
			['emailsReplied'],
			{ campaignId: '={{ "cam_2" }}', thirdPartyReplies: 'exclude' },
			{ mode: 'manual', id: workflow.id, node: { id: node.id, webhookId: 'test' } },
		);
		const warn = world.spyOnWarnings();
		const thirdParty = { campaignId: 'cam_2', isThirdPartyReply: true };
		await world.service.emit({ type: 'emailsReplied', ...thirdParty });
		expect([test.started.length, warn.mock.calls]).toEqual([0, []]);
	});

	it('is not logged for an event that was never selected', async () => {
		const host = await world.trigger(['emailsReplied'], {
			subscription: 'singleHook',
			campaignId: '={{ $vars.campaign }}',
		});
		host.variables = { campaign: 'cam_1' };
		await host.activate();
		const warn = world.spyOnWarnings();
		await world.service.emit({ type: 'warmed', campaignId: 'cam_1' });
		expect([host.started.length, warn.mock.calls]).toEqual([0, []]);
	});
});

/**
 * For which subscription a delivery counts, whatever its query names. The world is a local service and triggers in one
 * process of n8n.
 */
import { deriveSecret } from '../../../tools/load/deriveSecret';
import { post } from '../support/post';
import { useWorld } from '../support/world';

const world = useWorld();

/** Delivers an activity with the secret of one of the node's webhooks, to its target URL with another query. */
async function deliver(query: string, activity: object, ofEvent = '*'): Promise<number> {
	const { targetUrl } = world.webhookFor(ofEvent);
	const secret = deriveSecret(world.service.apiKey, targetUrl);
	return (await post(targetUrl.replace(/\?.*/, query), { ...activity, secret })).status;
}

/** Queries that name no event, or more than one. */
const NO_EVENT = ['?', '', '?event=', '?event=emailsSent&event=smsSent', '?other=1'];

describe('A delivery of the webhook for all events whose query names no event', () => {
	it('is filtered like one with its own query', async () => {
		const host = await world.activeTrigger(['emailsReplied'], { subscription: 'singleHook' });
		for (const query of NO_EVENT) {
			expect(await deliver(query, { type: 'emailsReplied', _id: query })).toBe(200);
			expect(await deliver(query, { type: 'smsSent', _id: query })).toBe(200);
		}
		expect(host.started.map(({ json }) => [json.type, json._id])).toEqual(
			NO_EVENT.map((query) => ['emailsReplied', query]),
		);
	});
});

it('With Verify Secret off, a delivery for an event that the node does not subscribe to is filtered by the type of its activity, and deduplicated', async () => {
	const host = await world.activeTrigger(['emailsReplied', 'warmed'], { verifySecret: false });
	for (const query of [...NO_EVENT, '?event=smsSent', '?event=invented']) {
		for (const type of ['smsSent', 'emailsReplied', undefined, 'warmed', 'hooked']) {
			expect(await deliver(query, { type, _id: 'act_1' }, 'warmed')).toBe(200);
		}
	}
	expect(host.started.map(({ json }) => json.type)).toEqual(['emailsReplied', 'warmed']);
});

it('An expression that selects something else than when the workflow was activated drops nothing: deliveries are judged by what was registered', async () => {
	const host = await world.trigger(['emailsReplied'], { campaignId: '={{ $vars.campaign }}' });
	host.variables = { campaign: 'cam_old' };
	await host.activate();
	for (const campaign of ['cam_new', '', undefined]) {
		host.variables = { campaign };
		const [attempt] = await world.service.emit({ type: 'emailsReplied', campaignId: 'cam_old' });
		expect(attempt?.status).toBe(200);
	}
	expect(host.started).toHaveLength(3);
});

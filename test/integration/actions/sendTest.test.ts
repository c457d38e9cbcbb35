/**
 * Send Test Event: what a target URL receives, and what is said of how it responds. The world is a local service, the
 * action node in one process of n8n, and servers at target URLs.
 */
import { SsrfBlockedIpError } from '@n8n/backend-network';

import { actionExecution, byId, jsonOf } from '../support/action';
import { like, textLike } from '../support/matchers';
import { respondWith, useTargets } from '../support/targets';
import { useWorld } from '../support/world';

const world = useWorld();
const targets = useTargets();

const send = async (id: string, parameters = {}, options = {}) =>
	jsonOf(await world.run('sendTest', { webhookId: byId(id), ...parameters }, options));

const NOT_KNOWN =
	'Sent without a secret: the webhook is not that of a trigger, and the service does not show its secret. A receiver that verifies the secret refuses this event.';
describe('A webhook of another program', () => {
	it('is sent one sample of its event as JSON, and the item says how it responds', async () => {
		const { url, asked } = await targets.start(respondWith(202));
		const { _id } = world.addWebhook({
			targetUrl: `${url}/in?token=1`,
			type: 'emailsSent',
			campaignId: 'cam_1',
			secret: 's3cret',
		});
		const [item] = await send(_id);
		expect(item).toEqual({
			status: 202,
			milliseconds: expect.any(Number) as number,
			activity: like({
				_id: textLike(/^act_sample_[\da-f]{24}$/),
				type: 'emailsSent',
				campaignId: 'cam_1',
				leadEmail: textLike(/@example\.com$/),
			}),
			note: NOT_KNOWN,
		});
		expect(asked).toHaveLength(1);
		expect(asked[0]).toMatchObject({
			method: 'POST',
			url: '/in?token=1',
			headers: like({ 'content-type': 'application/json' }),
		});
		expect(JSON.parse(asked[0]!.body)).toEqual(item?.activity);
		expect(asked[0]?.headers).not.toHaveProperty('authorization');
		expect(JSON.stringify(asked)).not.toContain(world.service.apiKey);
	});

	it.each([
		['warmed', undefined, 'warmed'],
		[undefined, 'own', 'emailsReplied'],
		['*', '*', 'emailsReplied'],
		['warmed', 'brandNew', 'brandNew'],
	])('for %s is sent, with the event %j, a sample of %s', async (type, event, expected) => {
		const { url } = await targets.start(respondWith(200));
		const { _id } = world.addWebhook({ targetUrl: url, type });
		const [item] = await send(_id, event === undefined ? {} : { event });
		expect(item?.activity).toMatchObject({ type: expected });
	});

	it.each([302, 404])('may respond with %s, which is no error', async (status) => {
		const elsewhere = await targets.start(respondWith(200));
		const { url } = await targets.start(respondWith(status, { location: elsewhere.url }, 'no'));
		const { _id } = world.addWebhook({ targetUrl: url });
		expect(await send(_id)).toMatchObject([{ status }]);
		expect(elsewhere.asked).toEqual([]);
	});
});

describe('A webhook of a trigger', () => {
	it('starts the workflow, with the secret that only the target URL gets, also from a worker', async () => {
		const host = await world.activeTrigger(['emailsReplied', 'warmed']);
		const [first, second] = world.webhookIds;
		const parameters = { operation: 'sendTest', webhookId: byId(second!) };
		// It knows of no active triggers.
		const inWorker = actionExecution(world.otherProcess(), world.service, parameters);
		for (const item of [...(await send(first!)), ...jsonOf(await inWorker.run())]) {
			expect(item).toMatchObject({ status: 200 });
			expect(item).not.toHaveProperty('note');
			const { secret } = JSON.parse(host.bodies.shift()!) as { secret: string };
			expect(secret).toMatch(/^[\da-f]{64}$/);
			expect(JSON.stringify(item)).not.toContain(secret);
		}
		expect(host.started).toHaveLength(2);
	});

	it('starts the workflow also when the service writes its URL differently', async () => {
		const host = await world.activeTrigger(['*']);
		const [first] = world.webhooks;
		world.respondOnce('GET', [{ ...first, targetUrl: first!.targetUrl.replace('*', '%2A') }]);
		expect(await send(first!._id)).toMatchObject([{ status: 200 }]);
		expect(host.started).toHaveLength(1);
	});

	it('gets no secret with another API key, and the item says so', async () => {
		const host = await world.activeTrigger(['warmed']);
		const credential = { baseUrl: world.service.baseUrl, apiKey: 'another-key' };
		world.service.addApiKey(credential.apiKey);
		expect(await send(world.webhookIds[0]!, {}, { credential })).toMatchObject([
			{
				status: 401,
				note: textLike(/^Sent without a secret: the target URL says .* another API key/),
			},
		]);
		expect(host.started).toEqual([]);
	});
});

describe('A target URL to which nothing gets through', () => {
	const failWith = async (targetUrl: string, error?: Error) => {
		const { _id } = world.addWebhook({ targetUrl });
		const { context, run } = world.execution({
			resource: 'webhook',
			operation: 'sendTest',
			webhookId: byId(_id),
		});
		if (error) {
			context.helpers.httpRequest = async () => {
				throw error;
			};
		}
		const failure = await run().catch((thrown: unknown) => thrown);
		return { _id, failure };
	};

	it('is an error that says why and what to do, without what is in the URL', async () => {
		const { url, close } = await targets.start(respondWith(200));
		await close();
		const { _id, failure } = await failWith(`${url.replace('//', '//user:passw0rd@')}/?t=t0ken`);
		expect(failure).toMatchObject({
			name: 'NodeApiError',
			message: `The target URL of the webhook ${_id} could not be reached`,
			description: textLike(
				/^Nothing is listening at 127\.0\.0\.1:\d+ \(ECONNREFUSED\)\. Check that what receives the events is running/,
			),
			context: like({ itemIndex: 0 }),
		});
		expect(JSON.stringify(failure)).not.toMatch(/passw0rd|t0ken/);
	});

	it('is an error when it does not respond in half a minute', async () => {
		const { url } = await targets.start(() => undefined);
		const { failure } = await failWith(url);
		expect(failure).toMatchObject({
			description: textLike(/^127\.0\.0\.1:\d+ did not respond in time \(ETIMEDOUT\)\./),
		});
	});

	it('is an error when n8n forbids the request, or it is not http(s)', async () => {
		const blocked = await failWith('http://crm.test/in', new SsrfBlockedIpError('10.0.0.1'));
		expect(blocked.failure).toMatchObject({
			message: `The target URL of the webhook ${blocked._id} could not be reached`,
			description: textLike(/^The settings of this n8n forbid requests to that host/),
		});
		const odd = await failWith('mailto:nobody@example.com');
		expect(odd.failure).toMatchObject({
			message: `The target URL of the webhook ${odd._id} cannot be used`,
			description: textLike(
				/^The target URL does not begin with http:\/\/ or https:\/\/\. The target URL of a webhook cannot be changed/,
			),
		});
	});
});

it('rejects an event that was removed, and a webhook that does not exist, before anything is sent', async () => {
	const { url, asked } = await targets.start(respondWith(200));
	const { _id } = world.addWebhook({ targetUrl: url });
	const removed = await world.fail('sendTest', { webhookId: byId(_id), event: 'skipped' });
	expect(removed.message).toBe("The value of 'Event' cannot be used");
	const missing = await world.fail('sendTest', { webhookId: byId('hoo_gone') });
	expect(missing.message).toBe('The webhook hoo_gone was not found');
	expect(asked).toEqual([]);
});

/**
 * Send Test Event: what a target URL receives, and what is said of how it responds. The world is a local service, the
 * action node in one process of n8n, and servers at target URLs.
 */
import { actionExecution, byId, jsonOf } from '../support/action';
import { like, textLike } from '../support/matchers';
import { N8n } from '../support/n8n';
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
		const inWorker = actionExecution(new N8n(), world.service, parameters);
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

describe('A target URL to which nothing gets through is an error', () => {
	const failWith = async (targetUrl: string) => {
		const { _id } = world.addWebhook({ targetUrl });
		return { _id, error: await world.fail('sendTest', { webhookId: byId(_id) }) };
	};

	it('that says why and what to do, without what is in the URL', async () => {
		const { url, close } = await targets.start(respondWith(200));
		await close();
		const { _id, error } = await failWith(`${url.replace('//', '//user:passw0rd@')}/?t=t0ken`);
		expect(error).toMatchObject({
			name: 'NodeApiError',
			message: `The target URL of the webhook ${_id} could not be reached`,
			description: textLike(
				/^n8n cannot reach 127\.0\.0\.1:\d+ \(ECONNREFUSED\)\. Check that what receives the events is running/,
			),
			context: like({ itemIndex: 0 }),
		});
		expect(JSON.stringify(error)).not.toMatch(/passw0rd|t0ken/);
	});

	it('when it does not respond in half a minute', async () => {
		const { url } = await targets.start(() => undefined);
		const { error } = await failWith(url);
		expect(error.description).toMatch(/^127\.0\.0\.1:\d+ did not respond in time \(ETIMEDOUT\)\./);
	});

	it('when it is not http(s)', async () => {
		const { _id, error } = await failWith('mailto:nobody@example.com');
		expect(error).toMatchObject({
			message: `The target URL of the webhook ${_id} cannot be used`,
			description: textLike(
				/^The target URL does not begin with http:\/\/ or https:\/\/\. The target URL of a webhook cannot be changed/,
			),
		});
	});
});

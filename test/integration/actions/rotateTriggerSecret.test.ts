/** Rotate Secret: stopped half-way, and on the webhooks of a trigger. */
import { actionExecution, byId, jsonOf } from '../support/action';
import { actionNode } from '../support/n8n';
import { TriggerHost } from '../support/trigger';
import { like, textLike } from '../support/matchers';
import { useWorld } from '../support/world';

const world = useWorld();

const until = async (condition: () => boolean) => {
	while (!condition()) await new Promise(setImmediate);
};

describe('Rotate Secret in an execution that is stopped', () => {
	/** Stops while the first request of this method is under way. @returns the error, or the items */
	async function stopDuring(method: string, id: string) {
		const stop = new AbortController();
		world.service.addFault({ kind: 'delay', delayMs: 200, match: { method } });
		const running = world
			.run('rotateSecret', { webhookId: byId(id) }, { signal: stop.signal })
			.then(
				(items) => jsonOf(items),
				(error: unknown) => error,
			);
		await until(() => world.requests().some((line) => line.startsWith(method)));
		stop.abort();
		return await running;
	}

	it('creates nothing when it is stopped before that', async () => {
		const { _id } = world.addWebhook();
		expect(await stopDuring('GET', _id)).toBeInstanceOf(Error);
		expect(world.requests()).toEqual(['GET /hooks']);
		expect(world.webhookIds).toEqual([_id]);
	});

	it('takes the successor away again when it is stopped before the old webhook is removed', async () => {
		const { _id } = world.addWebhook({ secret: 'old' });
		expect(await stopDuring('POST', _id)).toMatchObject({
			description: textLike(
				new RegExp(
					`^The execution was stopped before the webhook ${_id} was removed, so it is still`,
				),
			),
		});
		expect(world.webhookIds).toEqual([_id]);
	});

	it('finds and takes away a successor whose create was cut off', async () => {
		const { _id } = world.addWebhook();
		world.service.addFault({ kind: 'cut', when: 'after', match: { method: 'POST' } });
		expect(await stopDuring('POST', _id)).toBeInstanceOf(Error);
		expect(world.webhookIds).toEqual([_id]);
	});

	it('names both webhooks when the successor cannot be taken away', async () => {
		const { _id } = world.addWebhook();
		world.service.addFault({ kind: 'status', status: 400, match: { method: 'DELETE' } });
		const error = await stopDuring('POST', _id);
		const successor = world.webhookIds[1] ?? '';
		expect(error).toMatchObject({
			description: textLike(
				new RegExp(`Neither the webhook ${_id} nor its successor ${successor}`),
			),
		});
	});

	it('runs to its end once the removal of the old webhook is sent', async () => {
		const { _id } = world.addWebhook();
		const [item] = (await stopDuring('DELETE', _id)) as [{ _id: string }];
		expect(item).toMatchObject({ replacedWebhookId: _id, secret: textLike(/^[0-9a-f]{64}$/) });
		expect(world.webhookIds).toEqual([item._id]);
	});

	it('leaves the old webhook alone when the target URL may be used once, and nothing is removed', async () => {
		world.service.setSwitches({ hookUrls: 'oncePerTeam' });
		const { _id } = world.addWebhook();
		expect(await stopDuring('POST', _id)).toBeInstanceOf(Error);
		expect(world.requests()).toEqual(['GET /hooks', 'POST /hooks']);
		expect(world.webhookIds).toEqual([_id]);
	});

	it('writes a note about new secrets that n8n no longer shows', async () => {
		const { _id } = world.addWebhook();
		const stop = new AbortController();
		world.service.addFault({ kind: 'delay', delayMs: 200, match: { method: 'DELETE' } });
		const parameters = { resource: 'webhook', operation: 'rotateSecret', webhookId: byId(_id) };
		const { context, workflow } = world.execution(parameters, { signal: stop.signal });
		const warn = jest.spyOn(context.logger, 'warn').mockImplementation(() => undefined);
		await workflow.expression.acquireIsolate();
		const running = actionNode.execute.call(context);
		await until(() => world.requests().includes('DELETE /hooks/:id'));
		stop.abort();
		await running;
		await workflow.expression.releaseIsolate();
		expect(warn).toHaveBeenCalledTimes(1);
		expect(warn).toHaveBeenCalledWith(
			textLike(
				new RegExp(
					`was stopped\\. Carried out all the same: item 0 \\(${world.webhookIds[0]}\\)\\. Their new secrets`,
				),
			),
		);
		warn.mockRestore();
	});
});

describe('Rotate Secret on the webhook of a trigger', () => {
	let host: TriggerHost | undefined;
	afterEach(async () => {
		await host?.call('delete');
		await host?.stop();
		host = undefined;
	});
	const trigger = async () => {
		host = await TriggerHost.start(world.service, { events: ['emailsReplied'] });
		await host.activate();
		const [webhook] = world.webhooks;
		if (!webhook) throw new Error('The trigger registered nothing');
		world.service.clearRequests();
		return { host, id: hook._id };
	};
	const rotate = async (id: string, more = {}) =>
		jsonOf(
			await world.run('rotateSecret', { webhookId: byId(id), allowActiveTrigger: true, ...more }),
		);

	it('is refused while the trigger is active', async () => {
		const { id } = await trigger();
		const error = await world.fail('rotateSecret', { webhookId: byId(id) });
		expect(error.message).toBe(`The webhook ${id} belongs to an active trigger of this n8n`);
		expect(error.description).toMatch(/turn on 'Allow Active Trigger'\.$/);
		expect(world.requests()).toEqual(['GET /hooks']);
	});

	it('is refused for another webhook at the trigger’s URL too', async () => {
		const { id } = await trigger();
		const { targetUrl } = world.webhooks[0]!;
		const twin = world.addWebhook({ targetUrl: targetUrl.replace('http:', 'HTTP:') });
		const error = await world.fail('rotateSecret', { webhookId: byId(twin._id) });
		expect(error.message).toMatch('belongs to an active trigger');
		expect(world.webhookIds).toEqual([id, twin._id]);
	});

	it.each([true, false])(
		'is accepted by the trigger at once, when it is allowed (secret chosen: %s)',
		async (isChosen) => {
			const { host: active, id } = await trigger();
			const [item] = await rotate(id, isChosen ? { secret: 'a-secret-of-my-own' } : {});
			expect(item).not.toHaveProperty('note');
			expect(world.webhookIds).toEqual([item?._id]);
			await world.service.emit({ type: 'emailsReplied' });
			expect(active.statuses).toEqual([200]);
		},
	);

	it('is accepted before the service has responded, with either secret', async () => {
		const { host: active, id } = await trigger();
		world.service.addFault({ kind: 'delay', delayMs: 300, match: { method: 'DELETE' } });
		const running = rotate(id);
		await until(() => world.webhooks.length === 2);
		// Both webhooks deliver now: the second delivery of the activity is a duplicate of the first.
		const attempts = await world.service.emit({ type: 'emailsReplied' });
		expect(attempts.map(({ status }) => status)).toEqual([200, 200]);
		await running;
		expect(active.started).toHaveLength(1);
	});

	it('is accepted at a service that allows a target URL once', async () => {
		world.service.setSwitches({ hookUrls: 'oncePerTeam' });
		const { host: active, id } = await trigger();
		const [item] = await rotate(id);
		expect(world.webhookIds).toEqual([item?._id]);
		await world.service.emit({ type: 'emailsReplied' });
		expect(active.statuses).toEqual([200]);
	});

	it('leaves the trigger as it was when it is undone', async () => {
		const { host: active, id } = await trigger();
		world.service.addFault({ kind: 'status', status: 400, match: { method: 'DELETE' } });
		await world.fail('rotateSecret', {
			webhookId: byId(id),
			allowActiveTrigger: true,
			secret: 'undone-secret',
		});
		expect(world.webhookIds).toEqual([id]);
		await world.service.emit({ type: 'emailsReplied' });
		expect(active.statuses).toEqual([200]);
		const { targetUrl } = world.webhooks[0]!;
		world.service.removeHook(id);
		world.addWebhook({ targetUrl, type: 'emailsReplied', secret: 'undone-secret' });
		await world.service.emit({ type: 'emailsReplied' });
		expect(active.statuses).toEqual([200, 401]);
	});

	it('is removed with the others when the workflow is deactivated', async () => {
		const { host: active, id } = await trigger();
		await rotate(id);
		await active.deactivate();
		expect(world.webhookIds).toEqual([]);
	});
});

describe('Rotate Secret in a process that runs no trigger, such as a worker', () => {
	const URLS = [
		'http://n8n.test/webhook/00000000-0000-4000-8000-000000000001/webhook?event=emailsReplied',
		'HTTP://N8N.test:80/webhook/my-id/webhook?event=%2A',
	];

	it.each(URLS)('refuses a webhook with a trigger’s URL of this n8n: %s', async (targetUrl) => {
		const { _id } = world.addWebhook({ targetUrl });
		const error = await world.fail('rotateSecret', { webhookId: byId(_id) });
		expect(error.message).toBe(`The webhook ${_id} belongs to an active trigger of this n8n`);
		expect(world.webhookIds).toEqual([_id]);
	});

	it.each(URLS)(
		'says until when deliveries are refused, when it is allowed: %s',
		async (targetUrl) => {
			const { _id } = world.addWebhook({ targetUrl });
			const items = await world.run('rotateSecret', {
				webhookId: byId(_id),
				allowActiveTrigger: true,
			});
			expect(jsonOf(items)).toEqual([
				like({
					note: textLike(/refuses its deliveries until its next check.*15 minutes by default/),
				}),
			]);
		},
	);

	it.each([
		'http://n8n.test.evil.test/webhook/id/webhook?event=emailsReplied',
		'http://other.test/webhook/id/webhook?event=emailsReplied',
		'http://n8n.test/webhook/id/webhook',
		'http://n8n.test/webhook/id/other?event=emailsReplied',
		'http://n8n.test/webhook/id/webhook?event=emailsReplied&x=1',
		'https://crm.test/in',
	])('takes no other URL for a trigger’s: %s', async (targetUrl) => {
		const { _id } = world.addWebhook({ targetUrl });
		const [item] = jsonOf(await world.run('rotateSecret', { webhookId: byId(_id) }));
		expect(item).not.toHaveProperty('note');
		expect(world.webhookIds).toEqual([item?._id]);
	});
});

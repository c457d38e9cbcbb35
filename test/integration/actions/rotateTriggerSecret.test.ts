/** Rotate Secret for the webhooks of triggers. */
import { z } from 'zod';

import { byId, jsonOf } from '../support/action';
import { like, textLike } from '../support/matchers';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

describe('Rotate Secret on the webhook of a trigger', () => {
	const activeTrigger = async () => {
		const host = await world.activeTrigger(['emailsReplied']);
		const [webhook] = world.webhooks;
		if (!webhook) throw new Error('The trigger registered nothing');
		world.service.clearRequests();
		return { host, id: webhook._id };
	};
	const rotate = async (id: string, more = {}) =>
		jsonOf(
			await world.run('rotateSecret', { webhookId: byId(id), allowActiveTrigger: true, ...more }),
		);

	it('is rejected while the trigger is active', async () => {
		const { id } = await activeTrigger();
		const error = await world.fail('rotateSecret', { webhookId: byId(id) });
		expect(error.message).toBe(`The webhook ${id} belongs to an active trigger of this n8n`);
		expect(error.description).toMatch(/turn on 'Allow Active Trigger'\.$/);
		expect(world.requests()).toEqual(['GET /hooks']);
	});

	it('is rejected for another webhook at the trigger’s target URL too', async () => {
		const { id } = await activeTrigger();
		const { targetUrl } = world.webhooks[0]!;
		const twin = world.addWebhook({ targetUrl: targetUrl.replace('http:', 'HTTP:') });
		const error = await world.fail('rotateSecret', { webhookId: byId(twin._id) });
		expect(error.message).toMatch('belongs to an active trigger');
		expect(world.webhookIds).toEqual([id, twin._id]);
	});

	it.each([true, false])(
		'is accepted by the trigger immediately with Allow Active Trigger (custom secret: %s)',
		async (isCustom) => {
			const { host, id } = await activeTrigger();
			const [item] = await rotate(id, isCustom ? { secret: 'a-secret-of-my-own' } : {});
			expect(item?.note).toMatch(/accepts the new secret until n8n restarts\. Webhook processes/);
			expect(world.webhookIds).toEqual([item?._id]);
			await world.service.emit({ type: 'emailsReplied' });
			expect(host.statuses).toEqual([200]);
		},
	);

	it.each([true, false])(
		'creates a webhook that the next check keeps (custom secret: %s)',
		async (isCustom) => {
			const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 1 });
			const { check } = await host.startTrigger();
			const [item] = await rotate(
				world.webhookIds[0]!,
				isCustom ? { secret: 'a-secret-of-my-own' } : {},
			);
			const since = world.service.requests.length;
			await check();
			expect(world.requests(since)).toEqual(['GET /hooks']);
			expect(world.webhookIds).toEqual([item?._id]);
		},
	);

	it('is accepted before the service has responded, together with the old secret', async () => {
		const { host, id } = await activeTrigger();
		world.service.addFault({ kind: 'delay', delayMs: 300, match: { method: 'DELETE' } });
		const running = rotate(id);
		await until(() => world.webhooks.length === 2);
		// Both webhooks deliver now: the second delivery of the activity is a duplicate of the first.
		const attempts = await world.service.emit({ type: 'emailsReplied' });
		expect(attempts.map(({ status }) => status)).toEqual([200, 200]);
		await running;
		expect(host.started).toHaveLength(1);
	});

	it('is accepted when the service allows a target URL only once', async () => {
		world.service.setSwitches({ hookUrls: 'oncePerTeam' });
		const { host, id } = await activeTrigger();
		const [item] = await rotate(id);
		expect(world.webhookIds).toEqual([item?._id]);
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.statuses).toEqual([200]);
	});

	it.each(['shared', 'oncePerTeam'] as const)(
		'ends the secret that a user chose for the one before (target URLs: %s)',
		async (hookUrls) => {
			world.service.setSwitches({ hookUrls });
			const { host, id } = await activeTrigger();
			const [first] = await rotate(id, { secret: 'the-first-of-my-own' });
			const [second] = await rotate(z.string().parse(first?._id), {
				secret: 'the-second-of-my-own',
			});
			const { targetUrl } = world.webhooks[0]!;
			world.service.removeHook(z.string().parse(second?._id));
			for (const secret of ['the-first-of-my-own', 'the-second-of-my-own']) {
				const { _id } = world.addWebhook({ targetUrl, type: 'emailsReplied', secret });
				await world.service.emit({ type: 'emailsReplied' });
				world.service.removeHook(_id);
			}
			expect(host.statuses).toEqual([401, 200]);
		},
	);

	it('is rejected by the trigger when the service has created no webhook with it', async () => {
		const { host, id } = await activeTrigger();
		const { targetUrl } = world.webhooks[0]!;
		world.service.addFault({ kind: 'status', status: 400, match: { method: 'POST' } });
		const failed = { webhookId: byId(id), allowActiveTrigger: true, secret: 'never-in-force' };
		await world.fail('rotateSecret', failed);
		world.service.removeHook(id);
		world.addWebhook({ targetUrl, type: 'emailsReplied', secret: 'never-in-force' });
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.statuses).toEqual([401]);
	});

	it('leaves the trigger unchanged when it is undone', async () => {
		const { host, id } = await activeTrigger();
		world.service.addFault({ kind: 'status', status: 400, match: { method: 'DELETE' } });
		await world.fail('rotateSecret', {
			webhookId: byId(id),
			allowActiveTrigger: true,
			secret: 'undone-secret',
		});
		expect(world.webhookIds).toEqual([id]);
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.statuses).toEqual([200]);
		const { targetUrl } = world.webhooks[0]!;
		world.service.removeHook(id);
		world.addWebhook({ targetUrl, type: 'emailsReplied', secret: 'undone-secret' });
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.statuses).toEqual([200, 401]);
	});

	it('leaves both secrets accepted when neither webhook can be removed', async () => {
		const { host, id } = await activeTrigger();
		world.service.addFault({ kind: 'status', status: 400, times: 9, match: { method: 'DELETE' } });
		await world.fail('rotateSecret', { webhookId: byId(id), allowActiveTrigger: true });
		expect(world.webhooks).toHaveLength(2);
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.statuses).toEqual([200, 200]);
	});

	it('leaves no second webhook after the next minute’s check, even with Repair Interval 0', async () => {
		const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 0 });
		const { check } = await host.startTrigger();
		const [old] = world.webhooks;
		world.service.addFault({ kind: 'cut', when: 'after', match: { method: 'POST' } });
		// The lists before the create are right; the one after it is late.
		world.service.addFault({
			kind: 'status',
			status: 200,
			body: JSON.stringify([{ _id: old!._id, targetUrl: old!.targetUrl, type: old!.type }]),
			skip: 2,
			match: { method: 'GET' },
		});
		const [item] = await rotate(old!._id);
		expect(item?.note).toMatch(/An earlier attempt/);
		expect(world.webhooks).toHaveLength(2);
		await check();
		expect(world.webhookIds).toEqual([item?._id]);
	});

	it('creates a webhook that the deactivation of the workflow removes', async () => {
		const { host, id } = await activeTrigger();
		await rotate(id);
		await host.deactivate();
		expect(world.webhookIds).toEqual([]);
	});
});

describe('Rotate Secret in a process that runs no trigger, such as a worker', () => {
	const URLS = [
		'http://n8n.test/webhook/00000000-0000-4000-8000-000000000001/webhook?event=emailsReplied',
		'http://n8n.test/webhook/00000000-0000-4000-8000-000000000001/webhook?event=emailsReplied&campaign=cam_1',
		'HTTP://N8N.test:80/webhook/my-id/webhook?event=%2A',
	];

	it.each(URLS)(
		'rejects a webhook whose target URL is that of a trigger of this n8n: %s',
		async (targetUrl) => {
			const { _id } = world.addWebhook({ targetUrl });
			const error = await world.fail('rotateSecret', { webhookId: byId(_id) });
			expect(error.message).toBe(`The webhook ${_id} belongs to an active trigger of this n8n`);
			expect(world.webhookIds).toEqual([_id]);
		},
	);

	it.each(URLS)(
		'says until when deliveries are rejected with Allow Active Trigger: %s',
		async (targetUrl) => {
			const { _id } = world.addWebhook({ targetUrl });
			const items = await world.run('rotateSecret', {
				webhookId: byId(_id),
				allowActiveTrigger: true,
			});
			expect(jsonOf(items)).toEqual([
				like({
					note: textLike(/rejects the deliveries until its next check.*15 minutes by default/),
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
	])('rotates a webhook with any other target URL: %s', async (targetUrl) => {
		const { _id } = world.addWebhook({ targetUrl });
		const [item] = jsonOf(await world.run('rotateSecret', { webhookId: byId(_id) }));
		expect(item).not.toHaveProperty('note');
		expect(world.webhookIds).toEqual([item?._id]);
	});
});

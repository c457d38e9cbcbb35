/** Rotate Secret for the webhooks of triggers. */
import { byId, jsonOf } from '../support/action';
import { useWorld } from '../support/world';

const world = useWorld();

describe('Rotate Secret on the webhook of a trigger', () => {
	const activeTrigger = async () => {
		await world.activeTrigger(['emailsReplied']);
		const [webhook] = world.webhooks;
		if (!webhook) throw new Error('The trigger registered nothing');
		world.service.clearRequests();
		return { id: webhook._id };
	};

	it('is rejected while the trigger is active', async () => {
		const { id } = await activeTrigger();
		const error = await world.fail('rotateSecret', { webhookId: byId(id) });
		expect(error.message).toBe(`The webhook ${id} belongs to an active trigger of this n8n`);
		expect(error.description).toMatch(/They change with the API key\.$/);
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

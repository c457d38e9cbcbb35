/** Rotate Secret in an execution that a user stops. */
import { byId, jsonOf } from '../support/action';
import { textLike } from '../support/matchers';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

describe('Rotate Secret in an execution that is stopped', () => {
	/** Stops the execution during the first request with this method. @returns the error, or the items */
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

	it('creates nothing when it is stopped before the create', async () => {
		const { _id } = world.addWebhook();
		const warn = world.spyOnWarnings();
		expect(await stopDuring('GET', _id)).toBeInstanceOf(Error);
		expect(world.requests()).toEqual(['GET /hooks']);
		expect(world.webhookIds).toEqual([_id]);
		expect(warn).not.toHaveBeenCalled();
	});

	it('removes the successor when it is stopped before the removal of the old webhook', async () => {
		const { _id } = world.addWebhook({ secret: 'old' });
		expect(await stopDuring('POST', _id)).toMatchObject({
			description: textLike(
				new RegExp(
					`^The execution was stopped before the webhook ${_id} was removed, so it still works`,
				),
			),
		});
		expect(world.webhookIds).toEqual([_id]);
	});

	it('finds and removes a successor whose response was lost', async () => {
		const { _id } = world.addWebhook();
		world.service.addFault({ kind: 'cut', when: 'after', match: { method: 'POST' } });
		expect(await stopDuring('POST', _id)).toBeInstanceOf(Error);
		expect(world.webhookIds).toEqual([_id]);
	});

	it('names both webhooks when the successor cannot be removed', async () => {
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

	it('is completed once the removal of the old webhook is sent', async () => {
		const { _id } = world.addWebhook();
		const [item] = (await stopDuring('DELETE', _id)) as [{ _id: string }];
		expect(item).toMatchObject({ replacedWebhookId: _id, secret: textLike(/^[0-9a-f]{64}$/) });
		expect(world.webhookIds).toEqual([item._id]);
	});

	it('keeps the old webhook when the service allows a target URL only once', async () => {
		world.service.setSwitches({ hookUrls: 'oncePerTeam' });
		const { _id } = world.addWebhook();
		expect(await stopDuring('POST', _id)).toBeInstanceOf(Error);
		expect(world.requests()).toEqual(['GET /hooks', 'POST /hooks']);
		expect(world.webhookIds).toEqual([_id]);
	});

	it('warns in the log about new secrets that n8n no longer shows', async () => {
		const { _id } = world.addWebhook();
		const stop = new AbortController();
		world.service.addFault({ kind: 'delay', delayMs: 200, match: { method: 'DELETE' } });
		const warn = world.spyOnWarnings();
		const running = world.run('rotateSecret', { webhookId: byId(_id) }, { signal: stop.signal });
		await until(() => world.requests().includes('DELETE /hooks/:id'));
		stop.abort();
		await running;
		expect(warn).toHaveBeenCalledTimes(1);
		expect(warn).toHaveBeenCalledWith(
			textLike(
				new RegExp(
					`was stopped\\. Completed anyway: item 0 \\(${world.webhookIds[0]}\\)\\. Their new secrets`,
				),
			),
		);
	});
});

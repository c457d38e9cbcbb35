/**
 * A service or a gateway may respond to a deletion in other words than those of the API: then the list tells whether the webhook
 * is gone. The world is a local service, the action node, and a trigger in one process of n8n.
 */
import type { Fault } from '../../../tools/service';
import { byId, jsonOf } from '../support/action';
import { useWorld } from '../support/world';

const world = useWorld();

/** The service responds so to a deletion, which it carries out if `when` is `after`. */
const respondsTo = (status: number, body: string, when: 'before' | 'after'): Fault => ({
	kind: 'status',
	status,
	body,
	when,
	match: { method: 'DELETE' },
});

/** Confirmations that are not what the API spec says. */
const CONFIRMATIONS = ['{"success":true}', '{"deleted":true}', '{"data":{"id":1}}', 'OK', 'true'];

/** Responses to the deletion of a webhook that does not exist, in other words than 'Webhook not found'. */
const NOT_FOUND: Array<[status: number, body: string]> = [
	[404, ''],
	[404, '{"statusCode":404,"message":"Not Found"}'],
	[404, '{"error":"Hook not found"}'],
	[410, 'Gone'],
];

describe('A deletion that the service has carried out', () => {
	it.each(CONFIRMATIONS)('is no error if the response is %s', async (body) => {
		const { _id } = world.addWebhook();
		world.service.addFault(respondsTo(200, body, 'after'));
		const items = await world.run('delete', { webhookId: byId(_id) });
		expect(jsonOf(items)).toEqual([expect.objectContaining({ _id, deleted: true })]);
		expect(world.webhooks).toEqual([]);
	});

	it('does not stop Delete Many, whatever the responses are', async () => {
		for (const body of CONFIRMATIONS) {
			world.addWebhook({ targetUrl: `https://many.test/${body.length}` });
			world.service.addFault(respondsTo(200, body, 'after'));
		}
		const filters = { targetUrl: 'many.test' };
		expect(await world.run('deleteMany', { filters, dryRun: false })).toHaveLength(5);
		expect(world.webhooks).toEqual([]);
	});
});

describe('A deletion that the service has not carried out', () => {
	it.each([...CONFIRMATIONS.map((body) => [200, body] as const), ...NOT_FOUND])(
		'is an error although the response is %i %s',
		async (status, body) => {
			const { _id } = world.addWebhook();
			world.service.addFault(respondsTo(status, body, 'before'));
			await world.fail('delete', { webhookId: byId(_id) });
			expect(world.webhookIds).toEqual([_id]);
		},
	);

	it('is an error if nothing lists the webhooks', async () => {
		world.service.addFault(respondsTo(200, '{"success":true}', 'after'));
		world.service.addFault({ kind: 'status', status: 403, match: { method: 'GET' } });
		const { _id } = world.addWebhook();
		const error = await world.fail('delete', { webhookId: byId(_id) });
		expect(error.description).toContain(`Whether the webhook ${_id} is deleted is not known`);
	});
});

describe.each(NOT_FOUND)(
	'A webhook that is gone, so that its deletion gets %i %s,',
	(status, body) => {
		it('is reported as not found by Delete', async () => {
			world.service.addFault(respondsTo(status, body, 'before'));
			const error = await world.fail('delete', { webhookId: byId('hoo_gone') });
			expect(error.message).toBe('The webhook hoo_gone was not found');
		});

		it('is not deleted again by each check of a trigger, and not said to stay when the workflow is unpublished', async () => {
			// No list has shown the webhooks to the trigger before they are removed, so only their deletion tells that they are gone.
			const host = await world.activeTrigger(['emailsReplied', 'emailsSent']);
			const { check, close } = await host.startTrigger();
			const gone = world.webhooks.find(({ type }) => type === 'emailsSent');
			world.service.addFault({ ...respondsTo(status, body, 'before'), times: 10 });
			world.service.removeHook(gone!._id);
			await host.publish({ events: ['emailsReplied'] });
			await check();
			const since = world.service.requests.length;
			await check();
			expect(world.requests(since)).not.toContain('DELETE /hooks/:id');

			world.service.removeHook(world.webhookIds[0]!);
			const warn = world.spyOnWarnings();
			await close();
			await host.deactivate();
			expect(warn).not.toHaveBeenCalled();
		});
	},
);

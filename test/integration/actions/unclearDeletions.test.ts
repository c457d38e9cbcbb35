/**
 * A service or a gateway may respond to a deletion in other words than those of the API: then the list tells whether the webhook
 * is gone. The world is a local service, the action node, and a trigger in one process of n8n.
 */
import type { Fault } from '../../../tools/service';
import { byId, jsonOf } from '../support/action';
import { passTime } from '../support/passTime';
import { textLike } from '../support/matchers';
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

/** Confirmations that are not what the API says. */
const CONFIRMATIONS = [
	'{"success":true,"error":null}',
	'{"ok":true,"errors":[]}',
	'{"success":true}',
	'{"deleted":true}',
	'{"data":{"id":1}}',
	'OK',
	'true',
];

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
		expect(await world.run('deleteMany', { filters, dryRun: false })).toHaveLength(
			CONFIRMATIONS.length,
		);
		expect(world.webhooks).toEqual([]);
	});
});

describe('A deletion that the service has not carried out', () => {
	it.each([...CONFIRMATIONS.map((body) => [200, body] as const), ...NOT_FOUND])(
		'is an error although the response is %i %s',
		async (status, body) => {
			const { _id } = world.addWebhook();
			world.service.addFault(respondsTo(status, body, 'before'));
			const error = await world.fail('delete', { webhookId: byId(_id) });
			expect(error.message).not.toContain('was not found');
			expect(world.webhookIds).toEqual([_id]);
		},
	);

	it('is an error if the response says so, although the list shows no such webhook', async () => {
		for (const body of ['{"success":false,"message":"No such webhook"}', '{"error":"No"}']) {
			world.service.addFault(respondsTo(200, body, 'before'));
			const error = await world.fail('delete', { webhookId: byId('hoo_gone') });
			expect(error.message).toBe('The webhook hoo_gone was not found');
		}
	});

	it('is an error if nothing lists the webhooks', async () => {
		world.service.addFault(respondsTo(200, '{"success":true}', 'after'));
		world.service.addFault({ kind: 'status', status: 403, match: { method: 'GET' } });
		const { _id } = world.addWebhook();
		const error = await world.fail('delete', { webhookId: byId(_id) });
		expect(error.description).toContain(`Whether the webhook ${_id} is deleted is not known`);
	});
});

describe('A webhook that the list does not show', () => {
	/** A gateway responds in place of the service, which has the webhook. */
	it.each([...NOT_FOUND, [200, '{"success":true}'] as const])(
		'may exist although its deletion gets %i %s, so the log says that it could not be removed',
		async (status, body) => {
			world.service.setSwitches({ listDelayMs: 60_000 });
			const host = await world.activeTrigger(['emailsReplied']);
			const [id = ''] = world.webhookIds;
			const warn = world.spyOnWarnings();
			world.service.addFault({ ...respondsTo(status, body, 'before'), times: 100 });
			await host.deactivate();
			await host.settled();
			expect(world.webhookIds).toEqual([id]);
			expect(warn.mock.calls.map(([text]) => text)).toEqual([
				textLike(/^The webhooks of "Trigger" could not be removed/),
			]);
		},
	);

	it('is not reported as lost by each check at a service whose list is incomplete', async () => {
		for (let others = 0; others < 5; others += 1) world.addWebhook();
		world.service.setSwitches({ listPageSize: 5 });
		const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 1 });
		const { check } = await host.startTrigger();
		world.service.addFault({
			...respondsTo(404, '{"message":"Not Found"}', 'before'),
			times: 100,
		});
		for (let times = 0; times < 5; times += 1) {
			await passTime(60_000);
			await check();
		}
		const reports = host.failedExecutions.map(({ message }) => message);
		expect(reports.filter((text) => text.includes('created again'))).toEqual([]);
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

		it('is not said to stay when a workflow is unpublished, if the list has shown it', async () => {
			const host = await world.activeTrigger(['emailsReplied', 'emailsSent']);
			world.service.addFault({ ...respondsTo(status, body, 'after'), times: 2 });
			const warn = world.spyOnWarnings();
			await host.deactivate();
			await host.settled();
			expect([world.webhooks, warn.mock.calls]).toEqual([[], []]);
		});
	},
);

/**
 * A service or a gateway may respond to a deletion in other words than those of the API: then the list tells whether the
 * webhook is gone (D3). The world is a local service, the action node, and a trigger in one process of n8n.
 */
import type { Fault } from '../../../tools/service';
import { byId, jsonOf } from '../support/action';
import { like, textLike } from '../support/matchers';
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
const failDelete = async (id: string) => await world.fail('delete', { webhookId: byId(id) });

/** Confirmations that are not what the API says. */
const CONFIRMATIONS = ['{"success":true,"error":null}', '{"ok":true,"errors":[]}', 'OK', 'true'];

/** Responses to the deletion of a webhook that does not exist, in other words than 'Webhook not found'. */
const NOT_FOUND: Array<[status: number, body: string]> = [
	[404, '{"statusCode":404,"message":"Not Found"}'],
	[410, 'Gone'],
];

it.each(CONFIRMATIONS)(
	'A deletion that was carried out is no error if the response is %s',
	async (body) => {
		const { _id } = world.addWebhook();
		world.service.addFault(respondsTo(200, body, 'after'));
		const items = await world.run('delete', { webhookId: byId(_id) });
		expect(jsonOf(items)).toEqual([like({ _id, deleted: true })]);
		expect(world.webhooks).toEqual([]);
	},
);

it.each([
	...[...CONFIRMATIONS, '{"deleted":false}', '[]'].map((body) => [200, body] as const),
	...NOT_FOUND,
])(
	'A deletion that was not carried out is an error although the response is %i %s',
	async (status, body) => {
		const { _id } = world.addWebhook();
		world.service.addFault(respondsTo(status, body, 'before'));
		const { message, description } = await failDelete(_id);
		expect(message).toContain("does not look like the service's API");
		if (status === 200) {
			expect(description).toMatch(`Whether the webhook ${_id} is deleted is not known`);
		}
		expect(world.webhookIds).toEqual([_id]);
	},
);

it.each<[number, string]>([
	[200, '{"success":false,"message":"No such webhook"}'],
	[200, '{"error":"No"}'],
	...NOT_FOUND,
])(
	'A webhook that the list does not show was not found by Delete after %i %s',
	async (status, body) => {
		world.service.addFault(respondsTo(status, body, 'before'));
		expect((await failDelete('hoo_gone')).message).toBe('The webhook hoo_gone was not found');
	},
);

it('The outcome is not known if nothing lists the webhooks', async () => {
	world.service.addFault(respondsTo(200, '{"success":true}', 'after'));
	world.service.addFault({ kind: 'status', status: 403, match: { method: 'GET' } });
	const { _id } = world.addWebhook();
	expect((await failDelete(_id)).description).toContain('is deleted is not known');
});

it('A trigger says in the log that its webhook could not be removed, which a gateway denies and no list shows', async () => {
	world.service.setSwitches({ listDelayMs: 60_000 });
	const host = await world.activeTrigger(['emailsReplied']);
	const warn = world.spyOnWarnings();
	world.service.addFault({ ...respondsTo(404, '', 'before'), times: 100 });
	await host.deactivate();
	expect(world.webhooks).toHaveLength(1);
	expect(warn.mock.calls.map(([text]) => text)).toEqual([
		textLike(/^The webhooks of "Trigger" could not be removed/),
	]);
});

it('A trigger does not say so of webhooks that the list has shown, and shows no more', async () => {
	const host = await world.activeTrigger(['emailsReplied', 'emailsSent']);
	world.service.addFault({ ...respondsTo(404, '', 'after'), times: 2 });
	const warn = world.spyOnWarnings();
	await host.deactivate();
	expect([world.webhooks, warn.mock.calls]).toEqual([[], []]);
});

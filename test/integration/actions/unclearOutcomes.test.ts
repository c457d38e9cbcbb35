/**
 * A create or a deletion without a clear response: what is said of it, and whether it is sent again (D3, D108). The world is
 * a local service, the action node, and a trigger in one process of n8n.
 */
import type { Fault } from '../../../tools/service';
import { byId, jsonOf } from '../support/action';
import { textLike } from '../support/matchers';
import { useWorld } from '../support/world';

const world = useWorld();

describe('After a create', () => {
	const CREATE = { targetUrl: 'https://crm.test/in', event: 'emailsReplied' };
	const POST = { method: 'POST' };
	const UNKNOWN = 'Whether the new webhook was created is not known.';
	const CHECK = "Check with the operation 'Get Many' before you try again.";
	const ONCE = ['POST /hooks', 'GET /hooks'];
	const TWICE = [...ONCE, 'POST /hooks'];
	const refused: Fault = { kind: 'status', status: 400 };

	it('that was cut off, and that no list shows, it is sent once more', async () => {
		world.service.addFault({ kind: 'cut', when: 'before', match: POST });
		const [item] = jsonOf(await world.run('create', CREATE));
		expect(world.webhookIds).toEqual([item?._id]);
		expect(world.requests()).toEqual(TWICE);
	});

	it.each<[string, Fault]>([
		['a cut connection', { kind: 'cut', when: 'after' }],
		['half a response', { kind: 'half' }],
		['a response that never ends', { kind: 'drip', everyMs: 1_000 }],
		['a 500', { kind: 'status', status: 500, when: 'after' }],
		['a success without a webhook', { kind: 'status', status: 204, when: 'after' }],
	])('with %s, the error names the webhook, and no second one is created', async (_, fault) => {
		world.service.addFault({ ...fault, match: POST });
		const { description } = await world.fail('create', CREATE);
		const [id = ''] = world.webhookIds;
		expect(description).toMatch(
			`${UNKNOWN} The list has webhooks with these settings: ${id}. One of them may be the new one. ${CHECK}`,
		);
		expect(world.webhookIds).toEqual([id]);
		expect(world.requests()).toEqual(ONCE);
	});

	it.each<[string, Fault]>([
		['a time-out', { kind: 'delay', delayMs: 600_000 }],
		['a 504', { kind: 'status', status: 504 }],
		['a 503 with Retry-After', { kind: 'status', status: 503, headers: { 'retry-after': '1' } }],
	])('with %s, it may still be under way, and is not sent again', async (_, fault) => {
		world.service.addFault({ ...fault, match: POST });
		const { description } = await world.fail('create', CREATE);
		expect(description).toMatch(
			`${UNKNOWN} The list shows no new one with these settings yet. ${CHECK}`,
		);
		expect(world.requests()).toEqual(ONCE);
	});

	it('the outcome is not known when there is no list to look at', async () => {
		world.service.addFault({ kind: 'cut', match: POST });
		world.service.addFault({ ...refused, match: { method: 'GET' } });
		expect((await world.fail('create', CREATE)).description).toMatch(`${UNKNOWN} ${CHECK}`);
	});

	it.each<[string, Fault, RegExp]>([
		['cut off', { kind: 'cut' }, /^The connection to 127\.0\.0\.1:\d+ was cut off$/],
		['refused', refused, /^The service refused the request with status 400/],
	])('a second one that is %s says that the first one may have worked', async (...given) => {
		const [, fault, message] = given;
		world.service.addFault({ kind: 'cut', when: 'before', match: POST });
		world.service.addFault({ ...fault, match: POST });
		const error = await world.fail('create', CREATE);
		expect(error.message).toMatch(message);
		expect(error.description).toMatch(UNKNOWN);
		expect(world.requests()).toEqual([...TWICE, 'GET /hooks']);
	});

	it('that the service refuses, it is not sent again, and nothing is looked for', async () => {
		world.service.addFault({ ...refused, times: 9, match: POST });
		await expect(world.run('create', CREATE)).rejects.toThrow('status 400');
		expect(world.requests()).toEqual(['POST /hooks']);
	});

	it.each([
		{ targetUrl: 'https://other.test/in' },
		{ type: 'emailsSent' },
		{ type: null },
		{ campaignId: 'cam_2' },
		{ isFirst: true },
	])('a listed webhook with other settings is not taken for its webhook: %j', async (other) => {
		const { targetUrl, event: type } = CREATE;
		world.service.addFault({ kind: 'cut', match: POST });
		world.respondOnce('GET', [{ _id: 'hoo_1', targetUrl, type, campaignId: 'cam_1', ...other }]);
		await world.run('create', { ...CREATE, additionalFields: { campaignId: 'cam_1' } });
		expect(world.requests()).toEqual(TWICE);
	});
});

describe('After a deletion', () => {
	/** The service responds so to a deletion, which it carries out if `when` is `after`. */
	const respondsTo = (status: number, body: string, when: 'before' | 'after'): Fault => ({
		kind: 'status',
		status,
		body,
		when,
		match: { method: 'DELETE' },
	});
	const shownFor = async (id: string) => {
		const [item] = await world.run('delete', { webhookId: byId(id) }, { continueOnFail: true });
		return item?.json;
	};
	const FOREIGN = "does not look like the service's API";
	const NOT_KNOWN = `${FOREIGN}.* Whether the webhook hoo_\\w+ is deleted is not known`;
	const NOT_FOUND = '^The webhook hoo_\\w+ was not found';
	const DELETED = { _id: textLike(/^hoo_/), deleted: true };

	/**
	 * In other words than those of the API: then the list tells whether the webhook is gone.
	 * @param kept what is said if the webhook still exists, and `none` if there never was one
	 */
	it.each<{ status: number; body: string; kept: string; none?: string }>([
		{ status: 200, body: '{"success":true,"error":null}', kept: NOT_KNOWN },
		{ status: 200, body: '{"ok":true,"errors":[]}', kept: NOT_KNOWN },
		{ status: 200, body: 'OK', kept: NOT_KNOWN },
		{ status: 200, body: 'true', kept: NOT_KNOWN },
		{ status: 200, body: '{"deleted":false}', kept: NOT_KNOWN },
		{ status: 200, body: '[]', kept: NOT_KNOWN },
		{ status: 200, body: '{"error":"No"}', kept: NOT_KNOWN, none: NOT_FOUND },
		{ status: 200, body: '{"success":false,"message":"No"}', kept: NOT_KNOWN, none: NOT_FOUND },
		{ status: 404, body: '{"message":"Not Found"}', kept: FOREIGN, none: NOT_FOUND },
		{ status: 410, body: 'Gone', kept: FOREIGN, none: NOT_FOUND },
	])('with $status $body, the list tells whether the webhook is gone', async (response) => {
		const { status, body, kept, none } = response;
		const { _id } = world.addWebhook();
		world.service.addFault(respondsTo(status, body, 'before'));
		expect(await shownFor(_id)).toEqual({ error: textLike(new RegExp(kept)) });
		expect(world.webhookIds).toEqual([_id]);
		world.service.addFault(respondsTo(status, body, 'after'));
		expect(await shownFor(_id)).toMatchObject(
			none === undefined ? DELETED : { error: textLike(new RegExp(none)) },
		);
		expect(world.webhooks).toEqual([]);
	});

	it('the outcome is not known if nothing lists the webhooks', async () => {
		world.service.addFault(respondsTo(200, '{"success":true}', 'after'));
		world.service.addFault({ kind: 'status', status: 403, match: { method: 'GET' } });
		const { _id } = world.addWebhook();
		const { description } = await world.fail('delete', { webhookId: byId(_id) });
		expect(description).toContain('is deleted is not known');
	});

	it('by a trigger, the log says that its webhook could not be removed, which a gateway denies and no list shows', async () => {
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

	it('by a trigger, the log says nothing of webhooks that the list has shown, and shows no more', async () => {
		const host = await world.activeTrigger(['emailsReplied', 'emailsSent']);
		world.service.addFault({ ...respondsTo(404, '', 'after'), times: 2 });
		const warn = world.spyOnWarnings();
		await host.deactivate();
		expect([world.webhooks, warn.mock.calls]).toEqual([[], []]);
	});
});

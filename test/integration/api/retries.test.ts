/** D17 and §7: what is repeated after a failure, and what must not be. */
import type { Fault } from '../../../tools/service';
import { jsonOf } from '../support/action';
import { sendRequest } from '../support/request';
import { useWorld } from '../support/world';

const world = useWorld();

const CREATE = { targetUrl: 'https://crm.test/in', event: 'emailsReplied' };
const FAILURES: Array<[string, Fault]> = [
	['a 500', { kind: 'status', status: 500 }],
	['a page with a 502', { kind: 'html', status: 502 }],
	['a cut connection', { kind: 'cut' }],
	['half an answer', { kind: 'half' }],
];

describe('A failure on the way', () => {
	it.each(FAILURES)('(%s) is repeated for a list', async (_, fault) => {
		world.addWebhook();
		world.service.addFault({ ...fault, times: 2 });
		expect(await world.run('getAll')).toHaveLength(1);
		expect(world.requests()).toEqual(Array(3).fill('GET /hooks'));
	});

	it.each(FAILURES)('(%s) is repeated for a deletion', async (_, fault) => {
		const { _id } = world.addWebhook();
		world.service.addFault(fault);
		expect(jsonOf(await world.run('delete', { webhookId: _id }))).toEqual([
			expect.objectContaining({ _id, deleted: true }),
		]);
		expect(world.webhooks).toEqual([]);
		expect(world.requests()).toEqual(Array(2).fill('DELETE /hooks/:id'));
	});

	it.each<[string, Fault]>([
		['cut', { kind: 'cut', when: 'after' }],
		['turned into a 500', { kind: 'status', status: 500, when: 'after' }],
		[
			'asked to come back',
			{ kind: 'status', status: 503, when: 'after', headers: { 'retry-after': '1' } },
		],
	])('after a deletion that worked but was %s, "not found" means done', async (_, fault) => {
		const { _id } = world.addWebhook();
		world.service.addFault(fault);
		expect(jsonOf(await world.run('delete', { webhookId: _id }))).toEqual([{ _id, deleted: true }]);
	});

	it('does not turn "not found" after a mere refusal for the limit into done', async () => {
		world.service.addFault({ kind: 'status', status: 429, headers: { 'retry-after': '0' } });
		const error = await world.fail('delete', { webhookId: 'hoo_gone' });
		expect(error.message).toBe('The webhook hoo_gone was not found');
	});

	it('ends after four tries with words that fit the last one', async () => {
		world.service.addFault({ kind: 'status', status: 500, body: 'Out of order', times: 10 });
		const error = await world.fail('getAll');
		expect(error.message).toBe('The service could not carry out the request (status 500)');
		expect(error.description).toMatch('status 500: "Out of order"');
		expect(world.requests()).toHaveLength(4);
	}, 20_000);

	it('is an answer that takes too long, too', async () => {
		world.service.addFault({ kind: 'delay', delayMs: 3000, times: 10 });
		const patience = { requestMs: 150, totalMs: 10_000 };
		const outcome = await sendRequest(
			world.execution(),
			{ method: 'GET', path: '/hooks' },
			patience,
		);
		expect(outcome).toEqual({ kind: 'unreachable', code: 'ETIMEDOUT' });
		expect(world.requests()).toHaveLength(4);
	}, 20_000);
});

describe('A create without an answer', () => {
	it.each<[string, Fault]>([
		['before the work', { kind: 'cut', when: 'before' }],
		['after the work', { kind: 'cut', when: 'after' }],
		['in the middle of the answer', { kind: 'half' }],
	])('that was cut off %s ends with exactly one webhook', async (_, fault) => {
		world.service.addFault(fault);
		const items = await world.run('create', {
			...CREATE,
			additionalFields: { campaignId: 'cam_1' },
		});
		const [webhook, ...others] = world.webhooks;
		expect(others).toEqual([]);
		expect(jsonOf(items)).toEqual([
			expect.objectContaining({ _id: hook?._id, type: 'emailsReplied', campaignId: 'cam_1' }),
		]);
	});

	it('is not mistaken for an older webhook that is just the same', async () => {
		const createdAt = new Date(Date.now() - 10_000).toISOString();
		const old = { ...CREATE, _id: 'hoo_old', type: 'emailsReplied', createdAt };
		world.service.addFault({ kind: 'cut', match: { method: 'POST' } });
		world.service.addFault({
			kind: 'status',
			status: 200,
			body: JSON.stringify([old]),
			match: { method: 'GET' },
		});
		await world.run('create', CREATE);
		expect(world.requests()).toEqual(['POST /hooks', 'GET /hooks', 'POST /hooks']);
	});

	it.each([
		['address', { targetUrl: 'https://other.test/in' }],
		['event', { type: 'emailsSent' }],
		['event, for there is none', { type: null }],
		['campaign', { campaignId: 'cam_2' }],
	])('is not mistaken for a new webhook with another %s', async (_, difference) => {
		const createdAt = new Date().toISOString();
		const other = { _id: 'hoo_other', ...CREATE, type: 'emailsReplied', campaignId: 'cam_1' };
		world.service.addFault({ kind: 'cut', match: { method: 'POST' } });
		world.respondOnce('GET', [{ ...other, createdAt, ...difference }]);
		const additionalFields = { campaignId: 'cam_1' };
		const [made] = jsonOf(await world.run('create', { ...CREATE, additionalFields }));
		expect(world.webhooks).toEqual([expect.objectContaining({ _id: made?._id })]);
		expect(world.requests()).toEqual(['POST /hooks', 'GET /hooks', 'POST /hooks']);
	});

	it.each([
		['ahead', 3_600_000],
		['behind', -3_600_000],
	])('is found with the clock of the service, when that is an hour %s', async (_, skewMs) => {
		const createdAt = new Date(Date.now() + skewMs).toISOString();
		const made = { ...CREATE, _id: `hoo_${skewMs}`, type: 'emailsReplied', createdAt };
		world.service.addFault({ kind: 'clock', skewMs, times: 10 });
		world.service.addFault({ kind: 'cut', match: { method: 'POST' } });
		world.service.addFault({
			kind: 'status',
			status: 200,
			body: JSON.stringify([made]),
			match: { method: 'GET' },
		});
		expect(jsonOf(await world.run('create', CREATE))).toEqual([made]);
	});

	it('is not repeated after a 5xx, but looked for', async () => {
		const match = { method: 'POST' };
		world.service.addFault({ kind: 'status', status: 500, match });
		const error = await world.fail('create', CREATE);
		expect(error.description).toMatch(/No webhook was created\.$/);
		world.service.addFault({ kind: 'status', status: 500, when: 'after', match });
		expect(jsonOf(await world.run('create', CREATE))).toHaveLength(1);
		expect(world.webhooks).toHaveLength(1);
		expect(world.requests().filter((line) => line.startsWith('POST'))).toHaveLength(2);
	});

	it('gives up after three tries, and says that there is none', async () => {
		world.service.addFault({ kind: 'cut', times: 10, match: { method: 'POST' } });
		const error = await world.fail('create', CREATE);
		expect(error.message).toMatch(/^The connection to 127\.0\.0\.1:\d+ was cut off$/);
		expect(error.description).toMatch(/No webhook was created\.$/);
		expect(world.requests().filter((line) => line.startsWith('POST'))).toHaveLength(3);
	});
});

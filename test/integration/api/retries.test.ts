/**
 * D72 and §7: which requests are retried after a failure, and which are not. The world is a local service and the
 * action node in one process of n8n.
 */
import type { Fault } from '../../../tools/service';
import { jsonOf } from '../support/action';
import { useWorld } from '../support/world';

const world = useWorld();

const CREATE = { targetUrl: 'https://crm.test/in', event: 'emailsReplied' };
const FAILURES: Array<[string, Fault]> = [
	['a 500', { kind: 'status', status: 500 }],
	['a web page with a 502', { kind: 'html', status: 502 }],
	['a 408 of a gateway', { kind: 'status', status: 408 }],
	['a web page with a 408', { kind: 'html', status: 408 }],
	['a cut connection', { kind: 'cut' }],
	['half a response', { kind: 'half' }],
];

describe('A failed request', () => {
	it.each(FAILURES)('is retried for a list and for a deletion (%s)', async (_, fault) => {
		const { _id } = world.addWebhook();
		world.service.addFault({ ...fault, times: 2 });
		expect(await world.run('getAll')).toHaveLength(1);
		world.service.addFault(fault);
		expect(jsonOf(await world.run('delete', { webhookId: _id }))).toEqual([
			expect.objectContaining({ _id, deleted: true }),
		]);
		expect(world.webhooks).toEqual([]);
		expect(world.requests()).toEqual([
			...Array<string>(3).fill('GET /hooks'),
			...Array<string>(2).fill('DELETE /hooks/:id'),
		]);
	});

	it.each<[string, Fault]>([
		['its connection was cut', { kind: 'cut', when: 'after' }],
		['the response was a 500', { kind: 'status', status: 500, when: 'after' }],
		[
			'the response was a 503 with Retry-After',
			{ kind: 'status', status: 503, when: 'after', headers: { 'retry-after': '1' } },
		],
	])(
		'to delete a webhook succeeds when the retry says "not found", because %s after the deletion',
		async (_, fault) => {
			const { _id } = world.addWebhook();
			world.service.addFault(fault);
			expect(jsonOf(await world.run('delete', { webhookId: _id }))).toEqual([
				{ _id, deleted: true },
			]);
		},
	);

	it('to delete a webhook fails when the retry says "not found" after a mere 429', async () => {
		world.service.addFault({ kind: 'status', status: 429, headers: { 'retry-after': '0' } });
		const error = await world.fail('delete', { webhookId: 'hoo_gone' });
		expect(error.message).toBe('The webhook hoo_gone was not found');
	});

	it('gives up after four attempts, with an error that describes the last one', async () => {
		world.service.addFault({ kind: 'status', status: 502, body: 'Bad gateway', times: 3 });
		world.service.addFault({ kind: 'status', status: 500, body: 'Out of order', times: 10 });
		const error = await world.fail('getAll');
		expect(error.message).toBe('The service could not carry out the request (status 500)');
		expect(error.description).toMatch('status 500: "Out of order"');
		expect(world.requests()).toHaveLength(4);
	}, 20_000);
});

describe('A create without a response', () => {
	it.each([500, 504, 408])(
		'checks the list once after a %d, and does not know the outcome',
		async (status) => {
			const match = { method: 'POST' };
			for (const when of ['before', 'after'] as const) {
				world.service.addFault({ kind: 'status', status, when, match });
				const error = await world.fail('create', CREATE);
				expect(error.description).toMatch(/^Whether the new webhook was created is not known\./);
			}
			expect(world.webhooks).toHaveLength(1);
			expect(world.requests()).toEqual(['POST /hooks', 'GET /hooks', 'POST /hooks', 'GET /hooks']);
		},
	);

	it('is sent once more after a cut connection, and then says that the outcome is not known', async () => {
		world.service.addFault({ kind: 'cut', times: 10, match: { method: 'POST' } });
		const error = await world.fail('create', CREATE);
		expect(error.message).toMatch(/^The connection to 127\.0\.0\.1:\d+ was cut off$/);
		expect(error.description).toMatch(/^Whether the new webhook was created is not known\./);
		expect(world.requests()).toEqual(['POST /hooks', 'GET /hooks', 'POST /hooks', 'GET /hooks']);
	});
});

/** Responses that are sent so slowly that they never end. The timeout of n8n's HTTP helper only measures silence. */
import { sendRequest } from '../support/request';
import { useWorld } from '../support/world';

const world = useWorld();

const PATIENCE = { requestMs: 300, totalMs: 10_000 };
const LIST = { method: 'GET', path: '/hooks' } as const;
const TIMED_OUT = { kind: 'unreachable', code: 'ETIMEDOUT' };

describe('A response that never ends', () => {
	it('times out, and the request is retried', async () => {
		world.addWebhook();
		world.service.addFault({ kind: 'drip', everyMs: 50 });
		expect(await sendRequest(world.execution(), LIST, PATIENCE)).toMatchObject({ status: 200 });
		expect(world.requests()).toEqual(['GET /hooks', 'GET /hooks']);
	});

	it('makes the request fail with a timeout after four attempts', async () => {
		world.addWebhook();
		world.service.addFault({ kind: 'drip', everyMs: 50, times: 4 });
		expect(await sendRequest(world.execution(), LIST, PATIENCE)).toEqual(TIMED_OUT);
		expect(world.requests()).toHaveLength(4);
	}, 20_000);

	it('leaves the outcome of a create uncertain', async () => {
		world.service.addFault({ kind: 'drip', everyMs: 50 });
		const create = {
			method: 'POST',
			path: '/hooks',
			body: { targetUrl: 'https://crm.test/in' },
		} as const;
		expect(await sendRequest(world.execution(), create, PATIENCE)).toEqual({
			kind: 'uncertain',
			cause: TIMED_OUT,
		});
		expect(world.webhooks).toHaveLength(1);
	});

	it('ends the credential test after half a minute', async () => {
		world.addWebhook();
		world.service.addFault({ kind: 'drip', everyMs: 1000 });
		expect(await world.testCredential()).toEqual({
			status: 'Error',
			message: expect.stringMatching(/^127\.0\.0\.1:\d+ did not respond in time\. /) as string,
		});
	});
});

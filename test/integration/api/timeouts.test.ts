/**
 * Responses that are sent so slowly that they never end. The timeout of n8n's HTTP helper only measures silence. The
 * world is a local service and the action node in one process of n8n.
 */
import { createClient } from '../../../nodes/OutreachService/api/client';
import { ITEM } from '../../../nodes/OutreachService/api/policy';
import { Runtime } from '../../../nodes/OutreachService/runtime/runtime';
import { useWorld } from '../support/world';

const world = useWorld();

/** A client that waits for a response for ten seconds: a busy machine needs some of them for the next one. */
const hastyClient = () =>
	createClient(world.execution().context, new Runtime(), {
		policy: { ...ITEM, timeoutMs: 10_000 },
	});

describe('A response that never ends', () => {
	it('times out, and the request is retried', async () => {
		world.addWebhook();
		world.service.addFault({ kind: 'drip', everyMs: 1_000 });
		expect(await hastyClient().listWebhooks()).toHaveLength(1);
		expect(world.requests()).toEqual(['GET /hooks', 'GET /hooks']);
	});

	it('ends the credential test after a few seconds', async () => {
		world.addWebhook();
		world.service.addFault({ kind: 'drip', everyMs: 1000 });
		const from = performance.now();
		const result = await world.testCredential();
		expect(performance.now() - from).toBeLessThan(15_000);
		expect(result).toEqual({
			status: 'Error',
			message: expect.stringMatching(/^127\.0\.0\.1:\d+ did not respond in time\. /) as string,
		});
	});
});

describe('A create that times out', () => {
	const parameters = { targetUrl: 'https://crm.test/in', event: 'paused' };
	const POST = { method: 'POST' };

	it('is not sent again: its outcome is not known', async () => {
		world.service.addFault({ kind: 'delay', delayMs: 600_000, match: POST });
		const { message, description } = await world.fail('create', parameters);
		expect(message).toMatch(/did not respond in time$/);
		expect(description).toMatch(/^Whether the new webhook was created is not known\./);
		expect(world.requests()).toEqual(['POST /hooks', 'GET /hooks']);
	});

	it('after the webhook was created, names it', async () => {
		world.service.addFault({ kind: 'drip', everyMs: 1_000, match: POST });
		const { description } = await world.fail('create', parameters);
		expect(description).toContain(`with these settings: ${world.webhookIds[0]}.`);
	});
});

it('A create that is cut off, and refused the second time, may have worked the first time', async () => {
	const match = { method: 'POST' };
	world.service.addFault({ kind: 'cut', when: 'before', match });
	world.service.addFault({ kind: 'status', status: 400, match });
	const { message, description } = await world.fail('create', {
		targetUrl: 'https://crm.test/in',
		event: 'paused',
	});
	expect(message).toMatch(/^The service refused the request with status 400/);
	expect(description).toMatch(/^Whether the new webhook was created is not known\./);
});

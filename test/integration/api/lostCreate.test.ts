/**
 * D108: no listed webhook is taken for the result of a create whose response was lost. The world is a local service and
 * both nodes in one process of n8n.
 */
import fc from 'fast-check';

import { tries } from '../../propertyRuns';
import { jsonOf, type ShownError } from '../support/action';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

const CREATE = { targetUrl: 'https://crm.test/in', event: 'emailsReplied' };
const LIKE_IT = { targetUrl: CREATE.targetUrl, type: CREATE.event };
const POST = { method: 'POST' };
const UNKNOWN = 'Whether the new webhook was created is not known.';
const CHECK = "Check with the operation 'Get Many' before you try again.";

describe('A create whose connection is cut', () => {
	it('before the service created the webhook is sent once more', async () => {
		world.service.addFault({ kind: 'cut', when: 'before', match: POST });
		const [item] = jsonOf(await world.run('create', CREATE));
		expect(world.webhookIds).toEqual([item?._id]);
		expect(world.requests()).toEqual(['POST /hooks', 'GET /hooks', 'POST /hooks']);
	});

	it.each(['cut', 'half'] as const)(
		'after that (%s) is an error that names the webhook, and no second one is created',
		async (kind) => {
			world.service.addFault(kind === 'cut' ? { kind, when: 'after', match: POST } : { kind });
			const { description }: ShownError = await world.fail('create', CREATE);
			const [id = ''] = world.webhookIds;
			expect(description).toMatch(
				`${UNKNOWN} The list has webhooks with these settings: ${id}. One of them may be the new one. ${CHECK}`,
			);
			expect(world.webhookIds).toEqual([id]);
			expect(world.requests()).toEqual(['POST /hooks', 'GET /hooks']);
		},
	);

	it('says so even when there is no list to look at', async () => {
		world.service.addFault({ kind: 'cut', match: POST });
		world.service.addFault({ kind: 'status', status: 400, match: { method: 'GET' } });
		const { description }: ShownError = await world.fail('create', CREATE);
		expect(description).toMatch(`${UNKNOWN} ${CHECK}`);
	});

	it('and is then refused because the target URL is taken, may have worked the first time', async () => {
		world.service.addFault({ kind: 'cut', when: 'before', match: POST });
		world.service.addFault({ kind: 'status', status: 409, match: POST });
		world.service.addFault({ kind: 'delay', delayMs: 300, skip: 1, match: { method: 'GET' } });
		const failed = world.fail('create', CREATE);
		await until(() => world.requests().filter((one) => one === 'GET /hooks').length === 2);
		const { _id } = world.addWebhook(LIKE_IT);
		expect(await failed).toMatchObject({
			message: 'The service already has a webhook with this target URL',
			description: expect.stringContaining(`with these settings: ${_id}.`) as string,
		});
	});

	it('names at most twenty webhooks', async () => {
		for (let count = 0; count < 22; count++) world.addWebhook(LIKE_IT);
		world.service.addFault({ kind: 'cut', match: POST });
		const { description }: ShownError = await world.fail('create', CREATE);
		const named = world.webhookIds.slice(0, 20).join(', ');
		expect(description).toContain(`with these settings: ${named}, 2 more.`);
	});
});

it('Two creates of different processes never return the same webhook, whichever is cut off', async () => {
	world.service.setSwitches({ rateLimit: 'off' });
	const when = fc.constantFrom('before' as const, 'after' as const);
	await fc.assert(
		fc.asyncProperty(when, fc.nat(1), async (moment, skip) => {
			world.service.clearFaults();
			world.service.addFault({ kind: 'cut', when: moment, skip, match: POST });
			const before = world.webhookIds.length;
			const runs = [1, 2].map(async () => {
				const process = world.otherProcess();
				return jsonOf(await world.run('create', CREATE, { n8n: process, continueOnFail: true }));
			});
			const items = (await Promise.all(runs)).flat();
			const returned = items.flatMap(({ _id }) => (typeof _id === 'string' ? [_id] : []));
			expect(new Set(returned).size).toBe(returned.length);
			expect(world.webhookIds.slice(before)).toEqual(expect.arrayContaining(returned));
			expect(world.webhookIds.length - before).toBeLessThanOrEqual(2);
		}),
		{ numRuns: tries(5) },
	);
});

it('A create that the service refuses was not lost: nothing is looked for, and nothing sent again', async () => {
	world.service.addFault({ kind: 'status', status: 400, times: 9, match: POST });
	await expect(world.run('create', CREATE)).rejects.toThrow('status 400');
	expect(world.requests()).toEqual(['POST /hooks']);
});

it('A response that is no success holds no webhook, whatever its body', async () => {
	const body = JSON.stringify({ _id: 'hoo_1', ...CREATE, createdAt: new Date().toISOString() });
	world.service.addFault({ kind: 'status', status: 400, body, match: POST });
	await expect(world.run('create', CREATE)).rejects.toThrow('status 400');
});

it.each([
	['target URL', { targetUrl: 'https://other.test/in' }],
	['event', { type: 'emailsSent' }],
	['event: none', { type: null }],
	['campaign', { campaignId: 'cam_2' }],
	['isFirst', { isFirst: true }],
])('A webhook with a different %s is not mistaken for the lost one', async (_, difference) => {
	const createdAt = new Date().toISOString();
	const lost = { ...CREATE, type: 'emailsReplied', campaignId: 'cam_1', createdAt };
	world.service.addFault({ kind: 'cut', match: POST });
	world.respondOnce('GET', [{ _id: 'hoo_other', ...lost, ...difference }]);
	const additionalFields = { campaignId: 'cam_1' };
	const [created] = jsonOf(await world.run('create', { ...CREATE, additionalFields }));
	expect(world.webhookIds).toEqual([created?._id]);
	expect(world.requests()).toEqual(['POST /hooks', 'GET /hooks', 'POST /hooks']);
});

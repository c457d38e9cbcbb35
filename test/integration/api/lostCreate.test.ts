/** D72: a webhook whose create response is lost is found, and no other webhook is mistaken for it. */
import { jsonOf, type ShownError } from '../support/action';
import { textLike } from '../support/matchers';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

const CREATE = { targetUrl: 'https://crm.test/in', event: 'emailsReplied' };
const POST = { method: 'POST' };

describe('Two items with the same target URL and event', () => {
	const TWO = { items: [{}, {}] };

	it.each(['before', 'after'] as const)(
		'return one webhook each when the connection is cut %s the second create',
		async (when) => {
			world.service.addFault({ kind: 'cut', when, skip: 1, match: POST });
			const items = jsonOf(await world.run('create', CREATE, TWO));
			expect(items.map(({ _id }) => _id).sort()).toEqual(world.webhookIds.sort());
			expect(new Set(world.webhookIds).size).toBe(2);
		},
	);

	it('do not return the same webhook when the service fails to create the second', async () => {
		world.service.addFault({ kind: 'status', status: 500, skip: 1, match: POST });
		const items = jsonOf(await world.run('create', CREATE, { ...TWO, continueOnFail: true }));
		expect(world.webhookIds).toHaveLength(1);
		expect(items).toContainEqual(expect.objectContaining({ _id: world.webhookIds[0] }));
		expect(items).toContainEqual({
			error: textLike(/Whether the webhook was created is not known\./),
		});
	});

	it('return one webhook each when the response to one arrives slowly, and the connection of the other is cut', async () => {
		world.service.addFault({ kind: 'cut', when: 'before', match: POST });
		world.service.addFault({ kind: 'drip', everyMs: 20, match: POST });
		const items = await Promise.all([world.run('create', CREATE), world.run('create', CREATE)]);
		const returned = items.flatMap(jsonOf).map(({ _id }) => _id);
		expect(returned.sort()).toEqual(world.webhookIds.sort());
		expect(world.webhookIds).toHaveLength(2);
	});
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

describe('A create that is sent again, and then refused because the target URL is taken', () => {
	const taken = () => {
		world.service.addFault({ kind: 'cut', when: 'before', match: POST });
		world.service.addFault({ kind: 'status', status: 409, match: POST });
		world.service.addFault({ kind: 'delay', delayMs: 300, skip: 1, match: { method: 'GET' } });
		return world.run('create', CREATE);
	};

	it('has created the webhook that appears late', async () => {
		const created = taken();
		await until(() => world.requests().filter((one) => one === 'GET /hooks').length === 2);
		const { _id } = world.addWebhook({ targetUrl: CREATE.targetUrl, type: CREATE.event });
		expect(jsonOf(await created)).toEqual([expect.objectContaining({ _id })]);
	});

	it('fails with that reason when none appears', async () => {
		await expect(taken()).rejects.toThrow('The service already has a webhook with this target URL');
		expect(world.requests().filter((one) => one === 'POST /hooks')).toHaveLength(2);
	});
});

describe('A webhook that is not known to be new', () => {
	const POSSIBLE_CREATE = /^Whether the webhook was created is not known\. Check with/;

	it('is not adopted, and no second one is created', async () => {
		world.service.setSwitches({ createdAt: 'absent' });
		world.service.addFault({ kind: 'cut', when: 'after', times: 3, match: POST });
		const error: ShownError = await world.fail('create', CREATE);
		expect(error.description).toMatch(POSSIBLE_CREATE);
		expect(world.webhookIds).toHaveLength(1);
		expect(world.requests()).toEqual(['POST /hooks', 'GET /hooks']);
	});

	it.each([
		['an invalid time', 'lately'],
		['an earlier time', new Date(Date.now() - 10_000).toISOString()],
		['a time in the future', new Date(Date.now() + 3_600_000).toISOString()],
	])('(%s) is not adopted, and no other one is created', async (_, createdAt) => {
		const listed = [{ _id: 'hoo_listed', ...CREATE, type: 'emailsReplied', createdAt }];
		world.service.addFault({ kind: 'cut', match: POST });
		world.respondOnce('GET', listed);
		expect((await world.fail('create', CREATE)).description).toMatch(POSSIBLE_CREATE);
		expect(world.requests()).toEqual(['POST /hooks', 'GET /hooks']);
	});
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

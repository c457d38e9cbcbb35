/**
 * D108: no listed webhook is taken for the result of a create whose outcome is not known. The world is a local service and
 * the action node in one process of n8n.
 */
import type { Fault } from '../../../tools/service';
import { jsonOf, type ShownError } from '../support/action';
import { useWorld } from '../support/world';

const world = useWorld();

const CREATE = { targetUrl: 'https://crm.test/in', event: 'emailsReplied' };
const LIKE_IT = { targetUrl: CREATE.targetUrl, type: CREATE.event };
const POST = { method: 'POST' };
const UNKNOWN = 'Whether the new webhook was created is not known.';
const CHECK = "Check with the operation 'Get Many' before you try again.";
const TWICE = ['POST /hooks', 'GET /hooks', 'POST /hooks'];

it('A create that was cut off, and that no list shows, is sent once more', async () => {
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
])('After %s, the error names the webhook, and no second one is created', async (_, fault) => {
	world.service.addFault({ ...fault, match: POST });
	const { description }: ShownError = await world.fail('create', CREATE);
	const [id = ''] = world.webhookIds;
	expect(description).toMatch(
		`${UNKNOWN} The list has webhooks with these settings: ${id}. One of them may be the new one. ${CHECK}`,
	);
	expect(world.webhookIds).toEqual([id]);
	expect(world.requests()).toEqual(['POST /hooks', 'GET /hooks']);
});

it.each<[string, Fault]>([
	['a time-out', { kind: 'delay', delayMs: 600_000 }],
	['a 504', { kind: 'status', status: 504 }],
	['a 503 with Retry-After', { kind: 'status', status: 503, headers: { 'retry-after': '1' } }],
])('After %s, the create may still be under way, and is not sent again', async (_, fault) => {
	world.service.addFault({ ...fault, match: POST });
	const { description } = await world.fail('create', CREATE);
	expect(description).toMatch(
		`${UNKNOWN} The list shows no new one with these settings yet. ${CHECK}`,
	);
	expect(world.requests()).toEqual(['POST /hooks', 'GET /hooks']);
});

it('The outcome is not known when there is no list to look at', async () => {
	world.service.addFault({ kind: 'cut', match: POST });
	world.service.addFault({ kind: 'status', status: 400, match: { method: 'GET' } });
	const { description } = await world.fail('create', CREATE);
	expect(description).toMatch(`${UNKNOWN} ${CHECK}`);
});

it.each<[string, Fault, RegExp]>([
	['cut off', { kind: 'cut' }, /^The connection to 127\.0\.0\.1:\d+ was cut off$/],
	['refused', { kind: 'status', status: 400 }, /^The service refused the request with status 400/],
])(
	'A second create that is %s says so, and that the first one may have worked',
	async (_, fault, message) => {
		world.service.addFault({ kind: 'cut', when: 'before', match: POST });
		world.service.addFault({ ...fault, match: POST });
		const error = await world.fail('create', CREATE);
		expect(error.message).toMatch(message);
		expect(error.description).toMatch(UNKNOWN);
		expect(world.requests()).toEqual([...TWICE, 'GET /hooks']);
	},
);

it('A create that the service refuses is not sent again, and nothing is looked for', async () => {
	world.service.addFault({ kind: 'status', status: 400, times: 9, match: POST });
	await expect(world.run('create', CREATE)).rejects.toThrow('status 400');
	expect(world.requests()).toEqual(['POST /hooks']);
});

it.each([
	['target URL', { targetUrl: 'https://other.test/in' }],
	['event', { type: 'emailsSent' }],
	['event: none', { type: null }],
	['campaign', { campaignId: 'cam_2' }],
	['isFirst', { isFirst: true }],
])('A webhook with a different %s is not mistaken for the lost one', async (_, difference) => {
	world.service.addFault({ kind: 'cut', match: POST });
	world.respondOnce('GET', [{ _id: 'hoo_other', ...LIKE_IT, campaignId: 'cam_1', ...difference }]);
	await world.run('create', { ...CREATE, additionalFields: { campaignId: 'cam_1' } });
	expect(world.requests()).toEqual(TWICE);
});

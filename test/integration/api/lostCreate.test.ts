/** D17: a create whose response is lost is found again, and nothing else is taken for it. */
import { jsonOf, type ShownError } from '../support/action';
import { textLike } from '../support/matchers';
import { useWorld } from '../support/world';

const world = useWorld();

const CREATE = { targetUrl: 'https://crm.test/in', event: 'emailsReplied' };
const POST = { method: 'POST' };
const GET = { method: 'GET' };

describe('Two items with the same target URL and event', () => {
	const TWO = { items: [{}, {}] };

	it.each(['before', 'after'] as const)(
		'report a webhook each, when the second create is cut off %s the work',
		async (when) => {
			world.service.addFault({ kind: 'cut', when, skip: 1, match: POST });
			const items = jsonOf(await world.run('create', CREATE, TWO));
			expect(items.map(({ _id }) => _id).sort()).toEqual(world.webhookIds.sort());
			expect(new Set(world.webhookIds).size).toBe(2);
		},
	);

	it('do not take the other’s webhook for their own when the service refuses the second', async () => {
		world.service.addFault({ kind: 'status', status: 500, skip: 1, match: POST });
		const items = jsonOf(await world.run('create', CREATE, { ...TWO, continueOnFail: true }));
		expect(world.webhookIds).toHaveLength(1);
		expect(items).toContainEqual(expect.objectContaining({ _id: world.webhookIds[0] }));
		expect(items).toContainEqual({ error: textLike(/No webhook was created\.$/) });
	});

	it('in two executions at the same time do not either', async () => {
		world.service.addFault({ kind: 'cut', when: 'before', times: 2, match: POST });
		const [one, other] = await Promise.all([
			world.run('create', CREATE),
			world.run('create', CREATE),
		]);
		const reported = [...jsonOf(one), ...jsonOf(other)].map(({ _id }) => _id);
		expect(reported.sort()).toEqual(world.webhookIds.sort());
		expect(world.webhookIds).toHaveLength(2);
	});
});

it('A service that gives times without a zone has one webhook after lost responses, and it is reported', async () => {
	// The tests run in another zone than UTC, which is what these times are in (§2.1).
	expect(new Date(0).getTimezoneOffset()).not.toBe(0);
	world.service.setSwitches({ createdAtForm: 'noZone' });
	world.service.addFault({ kind: 'cut', when: 'after', times: 3, match: POST });
	const items = jsonOf(await world.run('create', CREATE));
	expect(items.map(({ _id }) => _id)).toEqual(world.webhookIds);
	expect(world.webhookIds).toHaveLength(1);
});

describe('A webhook whose age cannot be told', () => {
	const COULD_BE = /A webhook may have been created: the age of hoo_\w+ is not known\. Check with/;

	it('is not adopted, and no second one is made', async () => {
		world.service.setSwitches({ createdAtForm: 'absent' });
		world.service.addFault({ kind: 'cut', when: 'after', times: 3, match: POST });
		const error: ShownError = await world.fail('create', CREATE);
		expect(error.description).toMatch(COULD_BE);
		expect(error.description).toContain(world.webhookIds[0]);
		expect(world.webhookIds).toHaveLength(1);
		expect(world.requests()).toEqual(['POST /hooks', 'GET /hooks']);
	});

	it.each([
		['a time that is none', 'lately'],
		['a time in the future', new Date(Date.now() + 3_600_000).toISOString()],
	])('(%s) is not adopted, and nothing more is created', async (_, createdAt) => {
		const listed = [{ _id: 'hoo_listed', ...CREATE, type: 'emailsReplied', createdAt }];
		world.service.addFault({ kind: 'cut', match: POST });
		world.service.addFault({
			kind: 'status',
			status: 200,
			body: JSON.stringify(listed),
			match: GET,
		});
		expect((await world.fail('create', CREATE)).description).toMatch(COULD_BE);
		expect(world.requests()).toEqual(['POST /hooks', 'GET /hooks']);
	});
});

it.each([
	['isFirst', { isFirst: true }],
	['toolLinkId', { toolLinkId: 7 }],
])('A new webhook with another %s is not the one that was asked for', async (_, difference) => {
	const createdAt = new Date().toISOString();
	const other = { _id: 'hoo_odd', ...CREATE, type: 'emailsReplied', createdAt, ...difference };
	world.service.addFault({ kind: 'cut', match: POST });
	world.service.addFault({
		kind: 'status',
		status: 200,
		body: JSON.stringify([other]),
		match: GET,
	});
	const [made] = jsonOf(await world.run('create', CREATE));
	expect(world.webhookIds).toEqual([made?._id]);
});

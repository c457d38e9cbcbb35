/**
 * Delete Many: what a dry run shows, what is deleted without it, and what is known of the others after a failure. The
 * world is a local service and the action node in one process of n8n.
 */
import { jsonOf } from '../support/action';
import { textLike } from '../support/matchers';
import { FILTERING_OPERATIONS, FILTERS } from '../support/operations';
import { respondWith, useTargets } from '../support/targets';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();
const targets = useTargets();

const paths = () => world.webhooks.map(({ targetUrl }) => targetUrl.split('/').pop());

beforeEach(() => {
	world.addWebhook({ targetUrl: 'https://a.test/1', type: 'emailsSent' });
	world.addWebhook({ targetUrl: 'https://b.test/2', type: 'emailsSent', campaignId: 'cam_1' });
	world.addWebhook({ targetUrl: 'https://b.test/3' });
});

it('shows what it would delete, and deletes nothing, unless the dry run is switched off', async () => {
	const items = await world.run('deleteMany', { filters: { targetUrl: 'b.test' } });
	expect(jsonOf(items)).toEqual([
		expect.objectContaining({ targetUrl: 'https://b.test/2', deleted: false, dryRun: true }),
		expect.objectContaining({ targetUrl: 'https://b.test/3', deleted: false, dryRun: true }),
	]);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 0 }]);
	expect(world.requests()).toEqual(['GET /hooks']);
});

it.each([
	[
		'how many it would delete, and how',
		{ targetUrl: 'b.test' },
		true,
		/^Dry run: .* these 2 webhooks, turn off 'Dry Run'/,
	],
	['of a single one', { targetUrl: 'a.test' }, true, /^Dry run: .* this webhook, turn off/],
	['nothing after a deletion', { targetUrl: 'a.test' }, false, undefined],
	['nothing where nothing is found', { targetUrl: 'nowhere' }, true, undefined],
])('tells above the output %s', async (_, filters, dryRun, expected) => {
	const execution = world.execution({
		resource: 'webhook',
		operation: 'deleteMany',
		filters,
		dryRun,
	});
	await execution.run();
	const hints = execution.context.hints.map(({ message }) => message);
	expect(hints).toEqual(expected === undefined ? [] : [expect.stringMatching(expected)]);
});

it('says in a dry run which workflow and node use a webhook, and how many are in use', async () => {
	await world.activeTrigger(['emailsReplied']);
	world.addWebhook({ type: 'emailsReplied' });
	const execution = world.execution({
		resource: 'webhook',
		operation: 'deleteMany',
		filters: { event: 'emailsReplied' },
	});
	const items = jsonOf(await execution.run());
	expect(items.map(({ usedBy }) => usedBy)).toEqual(['Test · Trigger', undefined]);
	expect(execution.context.hints.map(({ message }) => message)).toEqual([
		"Dry run: nothing has been deleted. To delete these 2 webhooks, turn off 'Dry Run' and execute the node again. In use on this n8n: 1, see 'usedBy'.",
	]);
});

it.each([
	['hasMore', { hasMore: true }, {}],
	['a total', { meta: { total: 9 } }, {}],
	['a header', {}, { link: '<https://api.test/hooks?page=2>; rel="next"' }],
])(
	'says above the output that there are more webhooks, which the service says with %s',
	async (_, more, headers) => {
		const { url } = await targets.start(
			respondWith(
				200,
				headers,
				JSON.stringify({ hooks: [{ _id: 'hoo_1', targetUrl: 'https://a.test' }], ...more }),
			),
		);
		const credential = { baseUrl: `${url}/api`, apiKey: 'key' };
		const filters = { targetUrl: 'a.test' };
		for (const operation of ['deleteMany', 'getAll']) {
			const execution = world.execution(
				{ resource: 'webhook', operation, filters },
				{ credential },
			);
			await execution.run();
			expect(execution.context.hints[0]?.message).toBe(
				'The service says that it has more webhooks than its list shows. The node knows only those that are listed.',
			);
		}
		const error = await world.fail('get', { webhookId: 'hoo_2' }, { credential });
		expect(error.description).toMatch('The service says that it has more webhooks');
	},
);

it.each(['.', '..'])('sends nothing for a listed webhook with the ID %s', async (id) => {
	world.respondOnce('GET', [{ _id: id, targetUrl: 'https://a.test/1' }]);
	const error = await world.fail('deleteMany', { filters: { targetUrl: 'a.test' }, dryRun: false });
	expect(error.message).toMatch(/does not look like the service's API$/);
	expect(world.requests()).toEqual(['GET /hooks']);
});

it('gives one hint for all items of an execution', async () => {
	const execution = world.execution(
		{ resource: 'webhook', operation: 'deleteMany', filters: { targetUrl: '={{ $json.host }}' } },
		{ items: [{ host: 'a.test' }, { host: 'b.test' }] },
	);
	await execution.run();
	expect(execution.context.hints).toEqual([
		{ message: expect.stringContaining('these 3 webhooks') as string, location: 'outputPane' },
	]);
});

it.each([
	[{ event: 'emailsSent' }, ['3']],
	[{ event: '*' }, ['1', '2']],
	[{ campaignId: 'cam_1' }, ['1', '3']],
	[{ targetUrl: 'a.test', event: 'emailsSent' }, ['2', '3']],
	[{ targetUrl: 'nowhere' }, ['1', '2', '3']],
])('deletes with the filters %j, and leaves %j', async (filters, left) => {
	const items = await world.run('deleteMany', { filters, dryRun: false });
	expect(paths()).toEqual(left);
	expect(jsonOf(items)).toHaveLength(3 - left.length);
	for (const item of jsonOf(items)) expect(item).toMatchObject({ deleted: true });
});

it.each([
	['no filters', {}],
	['empty filters', { event: '', campaignId: '', targetUrl: '' }],
])('rejects %s, even in a dry run', async (_, filters) => {
	for (const dryRun of [true, false]) {
		const error = await world.fail('deleteMany', { filters, dryRun });
		expect(error.message).toBe('No filter is set');
		expect(error.description).toMatch(/^Set at least one in 'Filters'/);
	}
	expect(world.requests()).toEqual([]);
});

it.each(['=https://{{ $json.host }}', '={{ $json.host }}/', '=.{{ $json.domain }}'])(
	'rejects a part of any URL, as when the expression in %s returns nothing',
	async (targetUrl) => {
		const error = await world.fail('deleteMany', { filters: { targetUrl }, dryRun: false });
		expect(error.message).toBe("The value of 'Target URL Contains' cannot be used");
		expect(world.requests()).toEqual([]);
	},
);

it.each(FILTERS)('rejects a blank $label beside another filter', async ({ label, name }) => {
	const filters = { event: 'emailsSent', targetUrl: 'a.test', [name]: ' ' };
	const error = await world.fail('deleteMany', { filters, dryRun: false });
	expect(error.message).toBe(`The value of '${label}' cannot be used`);
	expect(world.requests()).toEqual([]);
});

it('deletes only when the dry run is explicitly switched off', async () => {
	const filters = { event: 'emailsSent' };
	const nothing = await world.fail('deleteMany', { filters, dryRun: '={{ $json.missing }}' });
	expect(nothing.message).toBe("The value of 'Dry Run' cannot be used");
	await world.run('deleteMany', { filters, dryRun: '' });
	await world.fail('deleteMany', { filters, dryRun: 'maybe' });
	expect(paths()).toHaveLength(3);
	await world.run('deleteMany', { filters, dryRun: 'false' });
	expect(paths()).toEqual(['3']);
});

it('names the webhooks that were deleted when the service refuses one', async () => {
	const before = world.webhookIds;
	world.service.addFault({ kind: 'status', status: 400, body: 'No', match: { method: 'DELETE' } });
	const error = await world.fail('deleteMany', { filters: { event: 'emailsSent' }, dryRun: false });
	const left = new Set(world.webhookIds);
	const deleted = before.find((id) => !left.has(id)) ?? '';
	expect(error.description).toMatch(new RegExp(`Already carried out: item 0 \\(${deleted}\\)\\.$`));
	expect(paths()).toHaveLength(2);
});

it('says in the log what it has deleted when the execution is stopped midway: n8n shows nothing else', async () => {
	for (let index = 0; index < 20; index++) {
		world.addWebhook({ targetUrl: `https://many.test/${index}` });
	}
	const stop = new AbortController();
	const warn = world.spyOnWarnings();
	world.service.addFault({
		kind: 'delay',
		delayMs: 100,
		times: 100,
		match: { method: 'DELETE' },
		skip: 5,
	});
	const running = world.fail(
		'deleteMany',
		{ filters: { targetUrl: 'many.test' }, dryRun: false },
		{ signal: stop.signal },
	);
	await until(() => world.requests().filter((line) => line === 'DELETE /hooks/:id').length > 5);
	stop.abort();
	await running;
	expect(warn.mock.calls.map(([text]) => text)).toEqual([
		textLike(
			/^The output of ".*" may be lost\. Already carried out: item 0 \((hoo_\w+(, )?){5}\)\./,
		),
	]);
});

it('says of which webhooks it is not known whether they are deleted, when several removals fail', async () => {
	for (let index = 0; index < 3; index++) {
		world.addWebhook({ targetUrl: `https://many.test/${index}` });
	}
	const ids = world.webhookIds.slice(3);
	world.service.addFault({ kind: 'cut', when: 'before', times: 100, match: { method: 'DELETE' } });
	const filters = { targetUrl: 'many.test' };
	const error = await world.fail('deleteMany', { filters, dryRun: false });
	expect(error.description).not.toContain('Already carried out');
	// Once each, also for the removal that failed first, of which the error itself tells.
	for (const id of ids) {
		expect(error.description?.split(`Whether the webhook ${id} is deleted`)).toHaveLength(2);
	}
});

it.each(['http', 'https:', 'tps:/', 'S', '://', 'HTTPS://', '/', ' . '])(
	'A filter that is a part of any URL tells no webhooks apart, and is refused: %s',
	async (targetUrl) => {
		const before = world.webhookIds;
		for (const operation of FILTERING_OPERATIONS) {
			const error = await world.fail(operation, { filters: { targetUrl }, dryRun: false });
			expect(error.message).toBe("The value of 'Target URL Contains' cannot be used");
		}
		expect(world.webhookIds).toEqual(before);
	},
);

it('An event is a type as in Create, or what a webhook has', async () => {
	world.addWebhook({ type: 'an odd one', targetUrl: 'https://odd.test' });
	const filtered = async (event: string) => await world.run('getAll', { filters: { event } });
	expect(await filtered('an odd one')).toHaveLength(1);
	await expect(filtered('Email: Reply Received')).rejects.toMatchObject({
		description:
			"The service has no event type 'Email: Reply Received'. Did you mean 'emailsReplied'?",
	});
	await expect(filtered('another odd one')).rejects.toThrow("The value of 'Event' cannot be used");
});

/**
 * Delete Many: what a dry run shows, what is deleted without it, and what is known of the others after a failure. The
 * world is a local service and the action node in one process of n8n.
 */
import { jsonOf } from '../support/action';
import { textLike } from '../support/matchers';
import { respondWith, useTargets } from '../support/targets';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();
const targets = useTargets();

const paths = () => world.webhooks.map(({ targetUrl }) => targetUrl.split('/').pop());
const addMany = (count: number) =>
	Array.from({ length: count }, (_, index) =>
		world.addWebhook({ targetUrl: `https://many.test/${index}` }),
	);
const MANY = { filters: { targetUrl: 'many.test' }, dryRun: false };

beforeEach(() => {
	world.addWebhook({ targetUrl: 'https://a.test/1', type: 'emailsSent' });
	world.addWebhook({ targetUrl: 'https://b.test/2', type: 'emailsSent', campaignId: 'cam_1' });
	world.addWebhook({ targetUrl: 'https://b.test/3' });
});

/** Runs it, and returns its items with the hints above the output. */
async function runWithHints(parameters: object, options = {}) {
	const common = { resource: 'webhook', operation: 'deleteMany' };
	const execution = world.execution({ ...common, ...parameters }, options);
	const items = await execution.run();
	return { items, hints: execution.context.hints.map(({ message }) => message) };
}

it('shows what it would delete, and deletes nothing, unless the dry run is switched off', async () => {
	const filters = { targetUrl: '={{ $json.host }}' };
	const items = [{ host: 'a.test' }, { host: 'b.test' }];
	const found = await runWithHints({ filters }, { items });
	expect(found.items).toMatchObject([
		{ json: { targetUrl: 'https://a.test/1', deleted: false, dryRun: true } },
		{ json: { targetUrl: 'https://b.test/2' }, pairedItem: { item: 1 } },
		{ json: { targetUrl: 'https://b.test/3' }, pairedItem: { item: 1 } },
	]);
	// One for all items.
	expect(found.hints).toEqual([textLike(/^Dry run: .* these webhooks, turn off 'Dry Run'/)]);
	expect(world.requests()).toEqual(['GET /hooks']);
	const deleted = await runWithHints({ filters, dryRun: false }, { items: [{ host: 'b.test' }] });
	expect(jsonOf(deleted.items)).toMatchObject([{ deleted: true }, { deleted: true }]);
	expect(deleted.hints).toEqual([]);
	expect(paths()).toEqual(['1']);
});

it('says in a dry run which workflow and node use a webhook, above the output, too', async () => {
	await world.activeTrigger(['emailsReplied']);
	world.addWebhook({ type: 'emailsReplied' });
	const { items, hints } = await runWithHints({ filters: { event: 'emailsReplied' } });
	expect(jsonOf(items).map(({ usedBy }) => usedBy)).toEqual(['Test · Trigger', undefined]);
	expect(hints).toEqual([
		"Dry run: nothing has been deleted. To delete these webhooks, turn off 'Dry Run' and execute the node again.",
		"Some of these webhooks are in use on this n8n: see 'usedBy'.",
	]);
});

it('says that there are more webhooks than the list shows, if the service says so', async () => {
	const list = { hooks: [{ _id: 'hoo_1', targetUrl: 'https://a.test' }] };
	const headers = { link: '<https://api.test/hooks?page=2>; rel="next"' };
	const { url } = await targets.start(respondWith(200, headers, JSON.stringify(list)));
	const credential = { baseUrl: `${url}/api`, apiKey: 'key' };
	const { hints } = await runWithHints({ filters: { targetUrl: 'a.test' } }, { credential });
	expect(hints[0]).toMatch(/^The service says that it has more webhooks than its list shows\./);
	const error = await world.fail('get', { webhookId: 'hoo_2' }, { credential });
	expect(error.description).toMatch('The service says that it has more webhooks');
});

it.each([
	['no filters', {}],
	['empty filters', { event: '', campaignId: '', targetUrl: '' }],
])('rejects %s, even in a dry run', async (_, filters) => {
	for (const dryRun of [true, false]) {
		const error = await world.fail('deleteMany', { filters, dryRun });
		expect(error.message).toBe('No filter is set');
	}
	expect(world.requests()).toEqual([]);
});

it('says in the log what it has deleted when the execution is stopped midway: n8n shows nothing else', async () => {
	addMany(20);
	const stop = new AbortController();
	const warn = world.spyOnWarnings();
	const match = { method: 'DELETE' };
	world.service.addFault({ kind: 'delay', delayMs: 100, times: 100, match, skip: 5 });
	const running = world.fail('deleteMany', MANY, { signal: stop.signal });
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
	const ids = addMany(3).map(({ _id }) => _id);
	world.service.addFault({ kind: 'cut', when: 'before', times: 100, match: { method: 'DELETE' } });
	const error = await world.fail('deleteMany', MANY);
	expect(error.description).not.toContain('Already carried out');
	// Once each, also for the removal that failed first, of which the error itself tells.
	for (const id of ids) {
		expect(error.description?.split(`Whether the webhook ${id} is deleted`)).toHaveLength(2);
	}
});

import type { INodeParameters } from 'n8n-workflow';

import { actionExecution, jsonOf, type RunOptions } from '../support/action';
import { useWorld } from '../support/world';

const world = useWorld();

const deleteMany = { operation: 'deleteMany', filters: { targetUrl: 'old' } };

/** The texts that n8n shows above the output of an execution. */
async function hintsOf(parameters: INodeParameters, options?: RunOptions): Promise<string[]> {
	const execution = actionExecution(world.n8n, world.service, parameters, options);
	await execution.run();
	return execution.context.hints.map(({ message }) => message);
}

function addOld(count: number): void {
	for (let i = 0; i < count; i++) world.addWebhook({ targetUrl: `https://old.test/${i}` });
}

describe('Above the output of Delete Many', () => {
	it.each([
		[1, 'Dry run: 1 webhook would be deleted; nothing was deleted'],
		[3, 'Dry run: 3 webhooks would be deleted; nothing was deleted'],
	])('a dry run with %d matching webhooks says so', async (count, message) => {
		addOld(count);
		expect(await hintsOf(deleteMany)).toEqual([message]);
		expect(world.service.hooks()).toHaveLength(count);
	});

	it('nothing is said of webhooks that are deleted, and the next time that no webhook matches', async () => {
		addOld(2);
		const parameters = { ...deleteMany, dryRun: false };
		expect(await hintsOf(parameters)).toEqual([]);
		expect(await hintsOf(parameters)).toEqual([
			'No webhook matches the filters, so there was nothing to delete',
		]);
	});

	it('one hint sums up all items, without those that failed', async () => {
		addOld(2);
		const parameters = { ...deleteMany, filters: { targetUrl: '={{ $json.url }}' } };
		const items = [{ url: 'old.test/0' }, { url: '' }, { url: 'old.test/1' }];
		expect(await hintsOf(parameters, { items, continueOnFail: true })).toEqual([
			'Dry run: 2 webhooks would be deleted; nothing was deleted',
		]);
	});
});

it('A hint says how long an execution had to wait for the service, and why', async () => {
	addOld(1);
	world.service.addFault({ kind: 'status', status: 503, times: 2 });
	expect(await hintsOf({ operation: 'getAll' })).toEqual([
		expect.stringMatching(/^Waited \d+\.\d s: the service responded with 503 twice$/),
	]);
});

it('Other operations say nothing, and an n8n without hints runs as before', async () => {
	addOld(1);
	expect(await hintsOf({ operation: 'getAll' })).toEqual([]);
	const execution = actionExecution(world.n8n, world.service, deleteMany);
	Object.defineProperty(execution.context, 'addExecutionHints', { value: undefined });
	expect(jsonOf(await execution.run())).toMatchObject([{ deleted: false, dryRun: true }]);
});

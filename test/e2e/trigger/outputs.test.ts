/**
 * An output for each event, on the canvas and in executions. The world is a real n8n with the package and a local
 * service.
 */
import { randomUUID } from 'node:crypto';
import { itemsOf, waitFor, type N8nExecution } from '../../../tools/host';
import {
	activateNewWorkflow,
	node,
	TRIGGER_NAME,
	triggerWorkflow,
} from '../../../tools/host/workflows';
import { deactivate } from '../../../tools/host/publishing';
import { useOutreachHost, useServiceCredential } from '../outreachHost';

const host = useOutreachHost();
const credential = useServiceCredential(host);

const EVENTS = ['emailsReplied', 'smsReplied', 'warmed'];
const branchOf = (event: string): string => `Branch of ${event}`;

/** A workflow with a branch for each event. */
function branchedWorkflow(options: Record<string, unknown>, onError?: string, events = EVENTS) {
	const { nodes, ...draft } = triggerWorkflow(credential(), {
		events,
		options: { ...options, outputs: 'perEvent' },
	});
	const [trigger] = nodes;
	const branches = events.map((event) => node(branchOf(event), 'n8n-nodes-base.noOp', 1));
	return {
		...draft,
		nodes: [{ ...trigger!, ...(onError === undefined ? {} : { onError }) }, ...branches],
		connections: {
			[TRIGGER_NAME]: {
				main: branches.map(({ name }) => [{ node: name, type: 'main', index: 0 }]),
			},
		},
	};
}

/** The IDs of the activities in each branch, over all executions. */
function idsByBranch(executions: N8nExecution[], events = EVENTS): Record<string, unknown[]> {
	return Object.fromEntries(
		events.map((event) => [
			event,
			executions
				.flatMap((execution) => itemsOf(execution, branchOf(event)))
				.map(({ _id }) => _id)
				.sort(),
		]),
	);
}

const BATCH = { values: { maxEvents: 5, maxSeconds: 8 } };
const BY_LEAD = { values: { maxEvents: 3, maxSeconds: 2, groupBy: 'lead' } };

test.each([
	{ name: 'with a webhook for each event' },
	{ name: 'with one webhook for everything', options: { subscription: 'singleHook' } },
	{ name: 'with the memory in the database', options: { duplicateMemory: 'database' } },
	{ name: 'with an error output', onError: 'continueErrorOutput' },
	{ name: 'in a batch', options: { batch: BATCH }, executionCount: 1 },
	{ name: 'in a batch by lead', options: { batch: BY_LEAD }, executionCount: 2 },
])(
	'An event runs the branch of its subscription, $name',
	async ({ options = {}, onError, executionCount = 5 }) => {
		const isSingle = 'subscription' in options;
		const { id } = await activateNewWorkflow(
			host(),
			branchedWorkflow(options, onError),
			isSingle ? 2 : EVENTS.length,
		);
		const run = randomUUID();
		const send = async (_id: string, type: string, leadId: string) =>
			await host().service.emit({ _id: `${run}-${_id}`, type, leadId });
		// Each reply is also the lead state 'warmed'; an opened email is nothing.
		await Promise.all([
			send('1', 'emailsReplied', 'lea_1'),
			send('2', 'smsReplied', 'lea_2'),
			send('3', 'emailsOpened', 'lea_1'),
			send('4', 'networkReplied', 'lea_1'),
		]);
		const { executions } = host().server.client;
		await waitFor(
			'the executions',
			() => executions.list({ workflowId: id }),
			(seen) => seen.length >= executionCount && seen.every(({ status }) => status === 'success'),
		);
		const finished = await executions.waitForFinished(id, executionCount);
		const ids = (...some: number[]) => some.map((one) => `${run}-${one}`);
		expect(finished).toHaveLength(executionCount);
		expect(idsByBranch(finished)).toEqual({
			emailsReplied: ids(1),
			smsReplied: ids(2),
			warmed: ids(1, 2, 4),
		});
		await deactivate(host(), id);
	},
);

const WITH_REST = ['emailsReplied', 'warmed', '*'];

test.each([
	{ name: 'each on its own', options: {}, executionCount: 5 },
	{ name: 'in a batch', options: { batch: BATCH }, executionCount: 1 },
])(
	'With all events beside named ones, whatever else happens runs the branch of everything else, $name',
	async ({ options, executionCount }) => {
		const draft = branchedWorkflow(options, undefined, WITH_REST);
		// The webhook for all events, and that of the lead state.
		const { id } = await activateNewWorkflow(host(), draft, 2);
		const run = randomUUID();
		const send = async (_id: string, type: string) =>
			await host().service.emit({ _id: `${run}-${_id}`, type });
		// Each reply is also the lead state 'warmed'.
		await Promise.all([
			send('1', 'emailsReplied'),
			send('2', 'smsReplied'),
			send('3', 'emailsOpened'),
		]);
		const finished = await host().server.client.executions.waitForFinished(id, executionCount);
		const ids = (...some: number[]) => some.map((one) => `${run}-${one}`);
		expect(finished).toHaveLength(executionCount);
		expect(idsByBranch(finished, WITH_REST)).toEqual({
			emailsReplied: ids(1),
			warmed: ids(1, 2),
			'*': ids(2, 3),
		});
		await deactivate(host(), id);
	},
);

test('A test run with a sample runs every branch at once, and a condition leaves some out', async () => {
	const { client } = host().server;
	const branchesThatRan = async (options: Record<string, unknown>) => {
		const draft = branchedWorkflow({ testWith: 'sampleEvent', ...options }, undefined, WITH_REST);
		const { id } = await client.createWorkflow(draft);
		expect(await client.runWorkflow(id, TRIGGER_NAME)).toMatchObject({ waitingForWebhook: true });
		const [execution] = await client.executions.waitForFinished(id, 1);
		await client.deleteWorkflow(id);
		return Object.fromEntries(
			WITH_REST.map((event) => [
				event,
				itemsOf(execution!, branchOf(event)).map(({ type }) => type),
			]),
		);
	};
	expect(await branchesThatRan({})).toEqual({
		emailsReplied: ['emailsReplied'],
		warmed: ['warmed'],
		'*': ['emailsBounced'],
	});
	const operator = { type: 'string', operation: 'notEquals' };
	const conditions = [{ id: '1', leftValue: 'type', operator, rightValue: 'emailsReplied' }];
	const onlyWhen = { combinator: 'and', conditions };
	expect(await branchesThatRan({ onlyWhen })).toEqual({
		emailsReplied: [],
		warmed: ['warmed'],
		'*': ['emailsBounced'],
	});
});

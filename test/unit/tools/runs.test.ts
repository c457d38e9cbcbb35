/** What the long runs read from n8n's database. */
import { readExecutions, runsAt, type Query } from '../../../tools/load/runs';

const items = (...ids: string[]) => ids.map((_id) => ({ json: { _id } }));

/** An execution of a trigger with three outputs, which put out one event at the first and two at the last. */
const MAIN = { main: [items('a'), [], items('b', 'c')] };

/** Executions as n8n stores them: one that has ended, and one whose trigger has not. */
const DATA = [
	{ resultData: { runData: { Trigger: [{ data: MAIN }] } } },
	{ executionData: { nodeExecutionStack: [{ node: { name: 'Trigger' }, data: MAIN }] } },
];

const query: Query = async (row) => {
	// Imported dynamically because its types are for ES modules only.
	const { stringify } = await import('flatted');
	return DATA.map((data, index) =>
		row.parse({
			id: index + 1,
			workflowId: 'w',
			mode: 'webhook',
			status: 'success',
			createdAt: '2026-11-24 10:00:00.000',
			stoppedAt: null,
			data: stringify(data),
		}),
	);
};

it('An execution has the events of all outputs of its trigger, whether they have run or wait', async () => {
	const executions = [];
	for await (const execution of readExecutions(query, ['w'])) executions.push(execution);
	expect(runsAt('Trigger', executions[0]!).map(({ event }) => event)).toEqual(['a', 'b', 'c']);
	expect(executions[1]?.waiting.get('Trigger')).toEqual([{ _id: 'a' }, { _id: 'b' }, { _id: 'c' }]);
});

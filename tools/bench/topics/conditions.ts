import { cpuTimeMs } from '../measure/cpuTime';
import { pairedRounds } from '../measure/rounds';
import { pairedRatios } from '../measure/statistics';
import type { BenchHost } from '../n8n/benchHost';
import { activateOurTrigger, type ComparedWorkflow } from '../n8n/comparedWorkflows';
import { readOutcome } from '../n8n/executionsInDatabase';
import { row, type BenchRow } from '../report/row';
import type { Scale } from '../scale';
import { withHost, withSender, type Engine, type Sender } from './receivingN8n';

const CONCURRENCY = 30;

/** As n8n's editor stores it. The first condition is met and the second is not, so both are evaluated. */
const ONLY_WHEN = {
	conditions: [
		{
			id: 'type',
			leftValue: 'type',
			operator: { type: 'string', operation: 'equals' },
			rightValue: 'emailsReplied',
		},
		{
			id: 'campaign',
			leftValue: 'campaignName',
			operator: { type: 'string', operation: 'contains' },
			rightValue: 'a campaign that does not exist',
		},
	],
	combinator: 'and',
	options: { caseSensitive: false, leftValue: '', typeValidation: 'loose', version: 2 },
};

/** One round: calls that started nothing per second, and executions. */
interface Sample {
	perSecond: number;
	executions: number;
	/** n8n's CPU time per call, in milliseconds; undefined if not available. */
	cpuMs: number | undefined;
}

let rounds = 0;

/** @param status of the calls that count */
async function measure(
	host: BenchHost,
	sender: Sender,
	{ workflowId, url }: ComparedWorkflow,
	{ secret, status, forMs }: { secret: string; status: number; forMs: number },
): Promise<Sample> {
	const prefix = `act_condition${++rounds}_`;
	const job = { url, secret, forMs, concurrency: CONCURRENCY, prefix, redeliveries: 0 };
	const { pid } = host.server.process();
	const cpuBefore = cpuTimeMs(pid);
	const { outcomes, startedAt, endedAt } = await sender.run(job);
	const cpuAfter = cpuTimeMs(pid);
	await host.server.client.executions.untilIdle(workflowId);
	const { succeeded, failed } = await readOutcome(host, workflowId, prefix);
	const calls = outcomes[status] ?? 0;
	return {
		perSecond: (calls * 1000) / (endedAt - startedAt),
		executions: succeeded + failed,
		cpuMs:
			cpuBefore === undefined || cpuAfter === undefined || calls === 0
				? undefined
				: (cpuAfter - cpuBefore) / calls,
	};
}

/** Events that miss the conditions of _Only When_, compared with forged calls to a trigger without conditions. */
async function rowsOf(engine: Engine, { n8nRounds, forgedMs }: Scale): Promise<BenchRow[]> {
	return await withHost(engine, async (host) => {
		const conditional = await activateOurTrigger(host, { onlyWhen: ONLY_WHEN });
		const plain = await activateOurTrigger(host);
		return await withSender(host, async (sender) => {
			const { secret } = conditional;
			const variantsFor = (forMs: number) =>
				[
					['miss', () => measure(host, sender, conditional, { secret, status: 200, forMs })],
					['forged', () => measure(host, sender, plain, { secret: 'forged', status: 401, forMs })],
				] as const;
			await pairedRounds(variantsFor(1_000), 2);
			const samples = await pairedRounds(variantsFor(forgedMs), n8nRounds);
			const speeds = (name: 'miss' | 'forged') => samples(name).map(({ perSecond }) => perSecond);
			const topic = `Only When, two conditions, ${engine} expression engine`;
			const target = { atLeast: 1 };
			const cpuRow = (name: string, variant: 'miss' | 'forged'): BenchRow[] => {
				const costs = samples(variant).flatMap(({ cpuMs }) => cpuMs ?? []);
				const text = { topic, name: `${name}: n8n's CPU time per call`, unit: 'ms' };
				return costs.length === 0 ? [] : [row(text, costs)];
			};
			return [
				row({ topic, name: 'misses', unit: 'per second' }, speeds('miss')),
				row({ topic, name: 'forged calls', unit: 'per second' }, speeds('forged')),
				row(
					{ topic, name: 'misses ÷ forged calls', unit: '×', target },
					pairedRatios(speeds('miss'), speeds('forged')),
				),
				...cpuRow('misses', 'miss'),
				...cpuRow('forged calls', 'forged'),
				row(
					{
						topic,
						name: 'misses that started an execution',
						unit: 'events',
						target: { atMost: 0 },
					},
					// In all rounds: a median would hide those of a few.
					[samples('miss').reduce((total, { executions }) => total + executions, 0)],
				),
			];
		});
	});
}

/** In an n8n with default settings, and in one that acquires an expression engine only to evaluate an expression. */
export async function conditionRows(scale: Scale): Promise<BenchRow[]> {
	return [...(await rowsOf('default', scale)), ...(await rowsOf('lazy', scale))];
}

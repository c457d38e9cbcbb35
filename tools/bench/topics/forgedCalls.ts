import { pairedRounds } from '../measure/rounds';
import { pairedRatios } from '../measure/statistics';
import type { BenchHost } from '../n8n/benchHost';
import type { ComparedWorkflow, WorkflowName } from '../n8n/comparedWorkflows';
import { readOutcome } from '../n8n/executionsInDatabase';
import { row, type BenchRow } from '../report/row';
import type { Scale } from '../scale';
import type { Engine, Sender } from './receivingN8n';

const CONCURRENCY = 30;
const TARGETS: Record<Engine, number> = { default: 1.2, lazy: 3 };

/** One round: forged calls rejected per second, and forged calls that were accepted. */
interface Sample {
	perSecond: number;
	accepted: number;
}

let rounds = 0;

async function send(sender: Sender, { url }: ComparedWorkflow, forMs: number) {
	const prefix = `act_forged${++rounds}_`;
	const job = { url, secret: 'forged', forMs, concurrency: CONCURRENCY, prefix, redeliveries: 0 };
	return { prefix, ...(await sender.run(job)) };
}

/** Our trigger responds with 401 and starts nothing, so there is nothing to wait for. */
async function ours(host: BenchHost, sender: Sender, trigger: ComparedWorkflow, forMs: number) {
	const { prefix, outcomes, startedAt, endedAt } = await send(sender, trigger, forMs);
	const { succeeded, failed } = await readOutcome(host, trigger.workflowId, prefix);
	const perSecond = ((outcomes['401'] ?? 0) * 1000) / (endedAt - startedAt);
	// Also one that has a success response and no execution.
	return { perSecond, accepted: Math.max(succeeded + failed, outcomes['200'] ?? 0) };
}

/** The chain accepts the call and rejects it in an execution, which must finish first. */
async function theirs(host: BenchHost, sender: Sender, chain: ComparedWorkflow, forMs: number) {
	const { prefix, startedAt } = await send(sender, chain, forMs);
	await host.server.client.executions.untilIdle(chain.workflowId);
	const { succeeded, ran, lastStoppedAt } = await readOutcome(host, chain.workflowId, prefix);
	const ms = (lastStoppedAt ?? startedAt) - startedAt;
	return { perSecond: ms > 0 ? ((succeeded - ran) * 1000) / ms : 0, accepted: ran };
}

/** Rejected forged calls per second: our trigger compared with the chain. */
export async function forgedRows(
	host: BenchHost,
	sender: Sender,
	workflows: Record<WorkflowName, ComparedWorkflow>,
	engine: Engine,
	{ n8nRounds, forgedMs, quick }: Scale,
): Promise<BenchRow[]> {
	const { 'our trigger': trigger, chain } = workflows;
	const variantsFor = (forMs: number) =>
		[
			['our trigger', (): Promise<Sample> => ours(host, sender, trigger, forMs)],
			['chain', (): Promise<Sample> => theirs(host, sender, chain, forMs)],
		] as const;
	await pairedRounds(variantsFor(quick ? 500 : 1_000), 1);
	const samples = await pairedRounds(variantsFor(forgedMs), n8nRounds);
	const speeds = (name: 'our trigger' | 'chain') => samples(name).map(({ perSecond }) => perSecond);
	const topic = `Refusals of forged calls, ${engine} expression engine`;
	const ratios = pairedRatios(speeds('our trigger'), speeds('chain'));
	// In all rounds: a median would hide those of a few.
	const accepted = samples('our trigger').reduce((total, sample) => total + sample.accepted, 0);
	return [
		row({ topic, name: 'our trigger', unit: 'per second' }, speeds('our trigger')),
		row({ topic, name: 'chain', unit: 'per second' }, speeds('chain')),
		row(
			{ topic, name: 'our trigger ÷ chain', unit: '×', target: { atLeast: TARGETS[engine] } },
			ratios,
		),
		row({ topic, name: 'accepted by our trigger', unit: 'calls', target: { atMost: 0 } }, [
			accepted,
		]),
	];
}

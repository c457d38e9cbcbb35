import { pairedRounds } from '../measure/rounds';
import { pairedRatios } from '../measure/statistics';
import type { BenchHost } from '../n8n/benchHost';
import type { Contestant, ContestantName } from '../n8n/contestants';
import { drained, fateOf } from '../n8n/executionsInDatabase';
import { row, type BenchRow } from '../report/row';
import type { Scale } from '../scale';
import type { Engine, Sender } from './deliveries';

const CONCURRENCY = 30;
const WANTED: Record<Engine, number> = { default: 1.2, lazy: 3 };

/** One round: forged calls dealt with in a second, and those that got through to the workflow's last node. */
interface Sample {
	perSecond: number;
	believed: number;
}

let rounds = 0;

async function send(sender: Sender, { url }: Contestant, forMs: number) {
	const prefix = `act_forged${++rounds}_`;
	const job = { url, secret: 'forged', forMs, concurrency: CONCURRENCY, prefix, redeliveries: 0 };
	return { prefix, ...(await sender.run(job)) };
}

/** Ours answers 401, and that is all: nothing is left to wait for. */
async function ours(host: BenchHost, sender: Sender, trigger: Contestant, forMs: number) {
	const { prefix, outcomes, beganAt, endedAt } = await send(sender, trigger, forMs);
	const { succeeded, failed } = await fateOf(host, trigger.workflowId, prefix);
	const perSecond = ((outcomes['401'] ?? 0) * 1000) / (endedAt - beganAt);
	return { perSecond, believed: succeeded + failed };
}

/** The chain accepts the call and refuses it in an execution, which has to end first. */
async function theirs(host: BenchHost, sender: Sender, chain: Contestant, forMs: number) {
	const { prefix, beganAt } = await send(sender, chain, forMs);
	await drained(host, chain.workflowId);
	const { succeeded, ran, lastStoppedAt } = await fateOf(host, chain.workflowId, prefix);
	const ms = (lastStoppedAt ?? beganAt) - beganAt;
	return { perSecond: ms > 0 ? ((succeeded - ran) * 1000) / ms : 0, believed: ran };
}

/** Refusals of forged calls a second: our trigger against the chain. */
export async function forgedRows(
	host: BenchHost,
	sender: Sender,
	contestants: Record<ContestantName, Contestant>,
	engine: Engine,
	{ n8nRounds, forgedMs, quick }: Scale,
): Promise<BenchRow[]> {
	const { 'our trigger': trigger, chain } = contestants;
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
	const believed = samples('our trigger').map((sample) => sample.believed);
	return [
		row({ topic, name: 'our trigger', unit: 'a second' }, speeds('our trigger')),
		row({ topic, name: 'chain', unit: 'a second' }, speeds('chain')),
		row(
			{ topic, name: 'our trigger ÷ chain', unit: '×', wanted: { atLeast: WANTED[engine] } },
			ratios,
		),
		row({ topic, name: 'believed by our trigger', unit: 'calls', wanted: { atMost: 0 } }, believed),
	];
}

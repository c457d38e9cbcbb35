import { DEFAULT_SWITCHES } from '../../service';
import { pairedRounds } from '../measure/rounds';
import type { BenchHost } from '../n8n/benchHost';
import { row, type BenchRow, type Target } from '../report/row';
import type { Scale } from '../scale';
import { idealSeconds, runDeletions, type DeletionSample, type DeletionVariant } from './deletions';

/** The targets for our node. There is none for the time if a run is too short. */
interface Targets {
	timesIdeal: number | undefined;
}

/** The rows of one variant, with targets only for our node. */
export function rowsOf(
	topic: string,
	variant: string,
	samples: readonly DeletionSample[],
	ideal: number,
	targets?: Targets,
): BenchRow[] {
	const none = targets && { atMost: 0 };
	const figure = (
		name: string,
		unit: string,
		value: (sample: DeletionSample) => number,
		target?: Target,
	) => row({ topic, name: `${variant}: ${name}`, unit, target }, samples.map(value));
	const atMost = targets?.timesIdeal;
	return [
		figure('time', 's', ({ seconds }) => seconds),
		figure(
			`time ÷ ideal ${ideal} s`,
			'×',
			({ seconds }) => seconds / ideal,
			atMost === undefined ? undefined : { atMost },
		),
		figure('rejected', 'requests', ({ refused }) => refused, none),
		figure(
			'most requests in any window',
			'requests',
			({ maxStartsInWindow }) => maxStartsInWindow,
			targets && { atMost: DEFAULT_SWITCHES.rateLimitRequests },
		),
		figure('not deleted', 'webhooks', ({ left }) => left, none),
		figure('failed', 'executions', ({ failedExecutions }) => failedExecutions, none),
	];
}

/** Deletions in a real n8n: our node compared with n8n's HTTP Request node, in one and in three concurrent executions. */
export async function deletionRows(host: BenchHost, scale: Scale): Promise<BenchRow[]> {
	const one = { executions: 1, deletions: scale.deletions };
	// Warm-up: n8n loads a node's code on first use.
	await runDeletions(host, 'our node', { executions: 1, deletions: 5 });
	await runDeletions(host, 'HTTP Request, plain', { executions: 1, deletions: 5 });
	const single = (['our node', 'HTTP Request, batching', 'HTTP Request, plain'] as const).map(
		(variant) => [variant, () => runDeletions(host, variant, one)] as const,
	);
	const samples = await pairedRounds<DeletionVariant, DeletionSample>(single, scale.deletionRounds);
	const topic = `${one.deletions} deletions in one execution`;
	const ideal = idealSeconds(one.deletions);
	const rows = single.flatMap(([variant]) =>
		rowsOf(
			topic,
			variant,
			samples(variant),
			ideal,
			variant === 'our node' ? { timesIdeal: scale.quick ? undefined : 1.04 } : undefined,
		),
	);
	return [...rows, ...(await threeAtOnce(host, scale))];
}

async function threeAtOnce(
	host: BenchHost,
	{ deletionsOfThree: deletions, quick }: Scale,
): Promise<BenchRow[]> {
	const three = { executions: 3, deletions };
	const topic = `3 × ${deletions} deletions, three executions at once`;
	const ideal = idealSeconds(3 * deletions);
	const ours = await runDeletions(host, 'our node', three);
	const theirs = await runDeletions(host, 'HTTP Request, batching', three);
	return [
		...rowsOf(topic, 'our node', [ours], ideal, { timesIdeal: quick ? undefined : 1.05 }),
		...rowsOf(topic, 'HTTP Request, batching', [theirs], ideal),
	];
}

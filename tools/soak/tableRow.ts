import type { Interval } from './verdict';

const round = (value: number, digits = 0) => Number(value.toFixed(digits));

/** A row of the printed table. */
export function rowOf({ sent, ran, memory, staticDataBytes: bytes }: Interval) {
	const { state, heapMb, rssMb } = memory;
	return {
		events: sent.authentic,
		ran,
		duplicates: sent.duplicates,
		'forged, rejected': sent.forged['401'] ?? 0,
		remembered: state.rememberedActivities,
		'in progress': state.claimedActivities,
		'heap MB': round(heapMb, 1),
		'process MB': round(rssMb),
		'static data bytes': bytes,
	};
}

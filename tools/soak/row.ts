import type { Minute } from './verdict';

const round = (value: number, digits = 0) => Number(value.toFixed(digits));

/** A line of the table for people. */
export function rowOf({ sent, ran, memory, staticDataBytes: bytes }: Minute) {
	const { state, heapMb, rssMb } = memory;
	return {
		events: sent.genuine,
		ran,
		duplicates: sent.duplicates,
		'forged, refused': sent.forged['401'] ?? 0,
		remembered: state.remembered,
		'under way': state.underWay,
		'heap MB': round(heapMb, 1),
		'process MB': round(rssMb),
		'static data bytes': bytes,
	};
}

/** The summary of several rounds. */
export interface Summary {
	/** The median. */
	value: number;
	/** Lowest and highest. */
	spread: [number, number];
	rounds: number;
}

/** @throws if there are no values */
export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const upper = sorted[Math.floor(sorted.length / 2)];
	const lower = sorted[Math.floor((sorted.length - 1) / 2)];
	if (upper === undefined || lower === undefined) throw new Error('There are no values');
	return (lower + upper) / 2;
}

/**
 * The value that a share of the values does not exceed: `quantile(values, 0.99)` is p99.
 *
 * @throws if there are no values
 */
export function quantile(values: readonly number[], share: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
	if (value === undefined) throw new Error('There are no values');
	return value;
}

export function summarize(values: readonly number[]): Summary {
	return {
		value: median(values),
		spread: [Math.min(...values), Math.max(...values)],
		rounds: values.length,
	};
}

/** One ratio per round: whatever affects a round affects both of its values. */
export function pairedRatios(numerators: readonly number[], denominators: readonly number[]) {
	return numerators.flatMap((numerator, round) => {
		const denominator = denominators[round];
		return denominator === undefined || denominator === 0 ? [] : [numerator / denominator];
	});
}

/**
 * The slope of the line of best fit (least squares).
 *
 * @throws if there are fewer than two distinct values of `x`
 */
export function slope(points: ReadonlyArray<readonly [x: number, y: number]>): number {
	const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
	const meanX = mean(points.map(([x]) => x));
	const meanY = mean(points.map(([, y]) => y));
	const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
	if (!(spread > 0)) throw new Error('A slope needs at least two points');
	return points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
}

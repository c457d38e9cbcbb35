import { formatNumber, verdictOf, targetText, type BenchRow } from './row';

const HEADING = ['', 'median', 'unit', 'lowest – highest', 'rounds', 'target', ''];

function cells(row: BenchRow): string[] {
	const [lowest, highest] = row.spread;
	return [
		`  ${row.name}`,
		formatNumber(row.value),
		row.unit,
		row.rounds > 1 ? `${formatNumber(lowest)} – ${formatNumber(highest)}` : '',
		String(row.rounds),
		targetText(row.target),
		verdictOf(row),
	];
}

/** The rows as a text table, grouped by topic. */
export function tableOf(rows: readonly BenchRow[]): string {
	const topics = [...new Set(rows.map(({ topic }) => topic))];
	const lines = [
		HEADING,
		...topics.flatMap((topic) => [
			[topic],
			...rows.filter((row) => row.topic === topic).map(cells),
		]),
	];
	const tabular = lines.filter((line) => line.length > 1);
	const widths = HEADING.map((_, column) =>
		Math.max(...tabular.map((line) => line[column]?.length ?? 0)),
	);
	return lines
		.map((line) =>
			line.length === 1
				? `\n${line[0] ?? ''}`
				: line
						.map((cell, column) => pad(cell, widths[column] ?? 0, column === 1))
						.join('  ')
						.trimEnd(),
		)
		.join('\n');
}

function pad(cell: string, width: number, alignRight: boolean): string {
	return alignRight ? cell.padStart(width) : cell.padEnd(width);
}

import { number, verdictOf, wantedText, type BenchRow } from './row';

const HEADING = ['', 'median', 'unit', 'lowest – highest', 'rounds', 'wanted', ''];

function cells(row: BenchRow): string[] {
	const [lowest, highest] = row.spread;
	return [
		`  ${row.name}`,
		number(row.value),
		row.unit,
		row.rounds > 1 ? `${number(lowest)} – ${number(highest)}` : '',
		String(row.rounds),
		wantedText(row.wanted),
		verdictOf(row),
	];
}

/** The table for people, grouped by topic. */
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

function pad(cell: string, width: number, toTheRight: boolean): string {
	return toTheRight ? cell.padStart(width) : cell.padEnd(width);
}

import { formatNumber, verdictOf, targetText, type BenchRow } from './row';

const WIDTH = 1000;
const LABELS = 430;
const BARS = 330;
const LINE = 22;
const COLOURS = { '': '#6b7280', PASS: '#15803d', MISS: '#b91c1c' } as const;

/** Rows with the same topic and unit, drawn to the same scale. */
interface Group {
	topic: string;
	unit: string;
	rows: BenchRow[];
}

function groupsOf(rows: readonly BenchRow[]): Group[] {
	const groups: Group[] = [];
	for (const row of rows) {
		const { topic, unit } = row;
		const known = groups.find((group) => group.topic === topic && group.unit === unit);
		if (known) known.rows.push(row);
		else groups.push({ topic, unit, rows: [row] });
	}
	return groups.filter(
		({ rows: of }) => of.length > 1 || of.some((row) => verdictOf(row) === 'MISS'),
	);
}

const escaped = (text: string): string =>
	text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const text = (x: number, y: number, content: string, attributes = ''): string =>
	`<text x="${x}" y="${y}" ${attributes}>${escaped(content)}</text>`;

function bar(row: BenchRow, y: number, largest: number): string {
	const scale = (value: number) => (largest === 0 ? 0 : (value / largest) * BARS);
	const [lowest, highest] = row.spread.map(scale);
	const verdict = verdictOf(row);
	const colour = COLOURS[verdict];
	const target = row.target ? [`(${targetText(row.target)})`, verdict] : [];
	const figure = [formatNumber(row.value), ...target];
	const middle = y - 5;
	return [
		text(LABELS - 8, y, row.name, 'text-anchor="end"'),
		`<rect x="${LABELS}" y="${y - 13}" width="${Math.max(1, scale(row.value)).toFixed(1)}" height="15" fill="${colour}" fill-opacity="0.75"/>`,
		// The spread: a thin line from the lowest to the highest round.
		`<path d="M${(LABELS + (lowest ?? 0)).toFixed(1)} ${middle}H${(LABELS + (highest ?? 0)).toFixed(1)}" stroke="#111827"/>`,
		text(LABELS + BARS + 12, y, figure.join('  '), `fill="${colour}"`),
	].join('\n');
}

/**
 * A bar chart as SVG. Rows with the same topic and unit share a scale; thin lines show the spread. A row without others
 * to compare it with is omitted, unless it misses its target.
 */
export function chartOf(rows: readonly BenchRow[], caption: string): string {
	const parts: string[] = [];
	let y = 34;
	parts.push(text(16, y, caption, 'font-weight="bold"'));
	for (const group of groupsOf(rows)) {
		y += LINE * 1.6;
		parts.push(text(16, y, `${group.topic} (${group.unit})`, 'font-weight="bold"'));
		const largest = Math.max(...group.rows.map(({ spread }) => spread[1]));
		for (const row of group.rows) {
			y += LINE;
			parts.push(bar(row, y, largest));
		}
	}
	const height = Math.round(y + LINE);
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="13" fill="#111827">
<rect width="100%" height="100%" fill="#ffffff"/>
${parts.join('\n')}
</svg>
`;
}

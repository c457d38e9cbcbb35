import { init, type BarSeriesOption } from 'echarts';
import { headlineOf, type Figure, type Panel } from './headline';

const WIDTH = 960;
const TITLE = 34;
const BAR = 26;
const GAP = 22;
const LABELS = 260;
/** Room for the text at the end of the longest bar. */
const TEXT = 110;

/** Stands for the color of texts, which depends on the reader's color scheme. */
const INK = '#010101';
const OURS = '#ea4b71';
const OTHERS = '#8b949e';

/** A card that follows the reader's color scheme, so that it can be read on any page. */
const STYLE = `<style>
.card{fill:#ffffff}.ink{fill:#1f2328}
@media (prefers-color-scheme:dark){.card{fill:#0d1117}.ink{fill:#e6edf3}}
</style>
<rect class="card" width="100%" height="100%" rx="8"/>`;

/** The heights of the panels' tops, and of the whole. */
function layout(panels: readonly Panel[]): { tops: number[]; height: number } {
	let height = 48;
	const tops = panels.map(({ bars }) => {
		const top = height;
		height += TITLE + bars.length * BAR + GAP;
		return top;
	});
	return { tops, height };
}

const textStyle = { color: INK, fontFamily: 'system-ui, sans-serif', fontSize: 13 };

/**
 * The picture of a run, as SVG: what it compares at a glance. It fits a screen; the table has all figures.
 *
 * @param caption what was run, where and when
 */
export function chartOf(rows: readonly Figure[], caption: string): string {
	const panels = headlineOf(rows);
	const { tops, height } = layout(panels);
	const at = (index: number) => tops[index] ?? 0;
	const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
	chart.setOption({
		animation: false,
		textStyle,
		title: [
			{ text: caption, left: 16, top: 14, textStyle: { ...textStyle, fontWeight: 'normal' } },
			...panels.map(({ title }, index) => ({
				text: title,
				left: 16,
				top: at(index) + 6,
				textStyle: { ...textStyle, fontSize: 14, fontWeight: 'bold' as const },
			})),
		],
		grid: panels.map(({ bars }, index) => ({
			left: LABELS,
			right: TEXT,
			top: at(index) + TITLE,
			height: bars.length * BAR,
		})),
		xAxis: panels.map((_, gridIndex) => ({ type: 'value' as const, gridIndex, show: false })),
		yAxis: panels.map(({ bars }, gridIndex) => ({
			type: 'category' as const,
			gridIndex,
			inverse: true,
			data: bars.map(({ label }) => label),
			axisLine: { show: false },
			axisTick: { show: false },
			axisLabel: textStyle,
		})),
		series: panels.map(
			({ bars }, index): BarSeriesOption => ({
				type: 'bar',
				xAxisIndex: index,
				yAxisIndex: index,
				barWidth: 16,
				label: { ...textStyle, show: true, position: 'right' },
				data: bars.map(({ value, text, isOurs }) => ({
					value,
					itemStyle: { color: isOurs ? OURS : OTHERS },
					label: { formatter: text },
				})),
			}),
		),
	});
	const svg = chart.renderToSVGString();
	chart.dispose();
	return `${svg.replace(/>/, `>\n${STYLE}`).replaceAll(`fill="${INK}"`, 'class="ink"')}\n`;
}

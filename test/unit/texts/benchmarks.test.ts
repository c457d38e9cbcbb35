import { chartOf } from '../../../tools/bench/report/chart';
import { captionOf } from '../../../tools/bench/report/headline';
import { reportSchema } from '../../../tools/bench/report/scalingFigures';
import { tableOf } from '../../../tools/bench/report/table';
import { read } from './everyDocument';

it('The picture and the table of the benchmark are those of its last full run', () => {
	const report = reportSchema.parse(JSON.parse(read('docs/benchmarks/results.json')));
	// `npm run bench` writes them; `npx tsx tools/bench/report/renew.ts` does so without measuring.
	const caption = captionOf(report);
	expect(read('docs/benchmarks/results.svg')).toBe(chartOf(report.rows, caption));
	expect(read('docs/benchmarks/results.txt')).toBe(`${caption}\n\n${tableOf(report.rows)}\n`);
});

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

it('The caption of the benchmark names the topics that were measured again, with their date', () => {
	const updates = [{ taken: '2026-11-23T10:00:00Z', topics: ['Lists', 'Batches'] }];
	const about = { n8n: '2.40.7', processor: '2 × CPU', taken: '2026-11-22T10:00:00Z', updates };
	expect(captionOf(about)).toBe(
		'Full run, n8n 2.40.7, 2 × CPU, 2026-11-22, Lists and Batches on 2026-11-23',
	);
});

/** Rewrites the figures in docs/scaling.md and the picture and the table of all figures from docs/benchmarks/results.json, without measuring. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { captionOf } from './headline';
import { reportSchema } from './scalingFigures';
import { writeFigures } from './writeFigures';
import { writePictureAndTable } from './writeReport';

const folder = resolve(__dirname, '../../../docs/benchmarks');

async function renew(): Promise<void> {
	const report = reportSchema.parse(
		JSON.parse(await readFile(join(folder, 'results.json'), 'utf8')),
	);
	await writePictureAndTable('results', report.rows, captionOf(report));
	await writeFigures(report);
}

void renew();

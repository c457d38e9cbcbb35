/** Rewrites the figures in docs/scaling.md from docs/benchmarks/results.json, without measuring. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { reportSchema } from './scalingFigures';
import { writeFigures } from './writeFigures';

const RESULTS = resolve(__dirname, '../../../docs/benchmarks/results.json');

void readFile(RESULTS, 'utf8').then((text) =>
	writeFigures(reportSchema.parse(JSON.parse(text) as unknown)),
);

import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { chartOf } from './chart';
import type { BenchRow } from './row';
import { writeFigures } from './writeFigures';

const folder = resolve(__dirname, '../../../docs/benchmarks');

/** The environment of a run. */
export interface RunInfo {
	taken: string;
	quick: boolean;
	node: string;
	processor: string;
	n8n: string;
}

/** Writes the figures as JSON and as a chart, and those of a full run to docs/scaling.md. A quick run has its own files. */
export async function writeReport(about: RunInfo, rows: BenchRow[]): Promise<void> {
	const name = about.quick ? 'quick' : 'results';
	const caption = `${about.quick ? 'Quick run' : 'Full run'}, n8n ${about.n8n}, ${about.processor}, ${about.taken.slice(0, 10)}`;
	await mkdir(folder, { recursive: true });
	await writeFile(
		join(folder, `${name}.json`),
		`${JSON.stringify({ ...about, rows }, undefined, '\t')}\n`,
	);
	await writeFile(join(folder, `${name}.svg`), chartOf(rows, caption));
	if (!about.quick) await writeFigures({ ...about, rows });
}

import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pictureOf } from './picture';
import type { BenchRow } from './row';
import { writeFigures } from './writeFigures';

const folder = resolve(__dirname, '../../../docs/benchmarks');

/** Where and how the figures were taken. */
export interface Circumstances {
	taken: string;
	quick: boolean;
	node: string;
	processor: string;
	n8n: string;
}

/** Writes the figures as JSON, as a picture, and into the page about scaling. Those of a quick run do not replace those of a full one. */
export async function writeReport(about: Circumstances, rows: BenchRow[]): Promise<void> {
	const name = about.quick ? 'quick' : 'results';
	const caption = `${about.quick ? 'Quick run' : 'Full run'}, n8n ${about.n8n}, ${about.processor}, ${about.taken.slice(0, 10)}`;
	await mkdir(folder, { recursive: true });
	await writeFile(
		join(folder, `${name}.json`),
		`${JSON.stringify({ ...about, rows }, undefined, '\t')}\n`,
	);
	await writeFile(join(folder, `${name}.svg`), pictureOf(rows, caption));
	if (!about.quick) await writeFigures({ ...about, rows });
}

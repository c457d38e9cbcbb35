import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { chartOf } from './chart';
import { captionOf } from './headline';
import type { BenchRow } from './row';
import { reportSchema, type Report } from './scalingFigures';
import { tableOf } from './table';
import { writeFigures } from './writeFigures';

const folder = resolve(__dirname, '../../../docs/benchmarks');

/** The environment of a run. */
export interface RunInfo {
	taken: string;
	quick: boolean;
	node: string;
	processor: string;
	n8n: string;
	/** Topics that were measured again after a full run. */
	updates: Report['updates'];
}

/** Writes the picture of a run, and the table of all figures as text. */
export async function writePictureAndTable(
	name: string,
	rows: readonly BenchRow[],
	caption: string,
): Promise<void> {
	await writeFile(join(folder, `${name}.svg`), chartOf(rows, caption));
	await writeFile(join(folder, `${name}.txt`), `${caption}\n\n${tableOf(rows)}\n`);
}

/** Writes the figures as JSON, as a picture and as a table, and those of a full run to docs/scaling.md. A quick run has its own files. */
export async function writeReport(about: RunInfo, rows: BenchRow[]): Promise<void> {
	const name = about.quick ? 'quick' : 'results';
	await mkdir(folder, { recursive: true });
	await writeFile(
		join(folder, `${name}.json`),
		`${JSON.stringify({ ...about, rows }, undefined, '\t')}\n`,
	);
	await writePictureAndTable(name, rows, captionOf(about));
	if (!about.quick) await writeFigures({ ...about, rows });
}

/**
 * Replaces topics in the report of the last full run, or adds them to it: for a part that has failed there.
 *
 * @throws if that report was made on another machine or with another n8n
 */
export async function updateReport(about: RunInfo, rows: readonly BenchRow[]): Promise<void> {
	const report = reportSchema.parse(
		JSON.parse(await readFile(join(folder, 'results.json'), 'utf8')),
	);
	if (report.processor !== about.processor || report.n8n !== about.n8n) {
		throw new Error('The last full run was made on another machine or with another n8n');
	}
	const topics = new Set(rows.map(({ topic }) => topic));
	const others = report.rows.filter(({ topic }) => !topics.has(topic));
	const updates = [
		...report.updates
			.map((one) => ({ ...one, topics: one.topics.filter((topic) => !topics.has(topic)) }))
			.filter((one) => one.topics.length > 0),
		{ taken: about.taken, topics: [...topics] },
	];
	await writeReport({ ...report, updates }, [...others, ...rows]);
}

import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { format } from 'prettier';
import { withFigures, type Report } from './scalingFigures';

const DOCUMENT = resolve(__dirname, '../../../docs/scaling.md');

/** Writes the figures of a full run to docs/scaling.md. */
export async function writeFigures(report: Report): Promise<void> {
	const text = withFigures(await readFile(DOCUMENT, 'utf8'), report);
	await writeFile(DOCUMENT, await format(text, { parser: 'markdown' }));
}

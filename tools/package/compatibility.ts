/**
 * With which n8n the package has been proved: docs/compatibility.json, written by the commands that prove it. With
 * `COMPATIBILITY=docs` in the environment, `npm run test:e2e` and `npm run test:queue` write their row, and with
 * `COMPATIBILITY=check` they fail if the table does not have it.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';

const FILE = join(resolve(__dirname, '../..'), 'docs/compatibility.json');

const rowSchema = z.object({
	/** Versions, such as 2.40.7. */
	n8n: z.string(),
	node: z.string(),
	mode: z.enum(['one process', 'queue mode']),
	engine: z.enum(['default', '2.0']),
	/** The command that proved it. */
	command: z.string(),
	/** What it found, such as '143 tests passed, 2 skipped'. */
	result: z.string(),
	date: z.string().date(),
});
export type CompatibilityRow = z.infer<typeof rowSchema>;

export const compatibilityRows = (): CompatibilityRow[] =>
	z.array(rowSchema).parse(JSON.parse(readFileSync(FILE, 'utf8')));

/** What a row is about; the rest is what was found. */
const subjectOf = ({
	n8n,
	node,
	mode,
	engine,
	command,
}: Omit<CompatibilityRow, 'date' | 'result'>) =>
	`n8n ${n8n}, Node.js ${node.split('.')[0] ?? ''}, ${mode}, engine ${engine}: ${command}`;

/** The rows with a new one in the place of the one about the same, or of an earlier version of the same line of n8n. */
export function withRow(
	rows: readonly CompatibilityRow[],
	row: CompatibilityRow,
): CompatibilityRow[] {
	const lineOf = ({ n8n, mode, engine, command }: CompatibilityRow) =>
		[n8n.split('.').slice(0, 2).join('.'), mode, engine, command].join();
	const others = rows.filter((one) => lineOf(one) !== lineOf(row));
	return [...others, row].sort((a, b) =>
		subjectOf(a).localeCompare(subjectOf(b), 'en', { numeric: true }),
	);
}

/** The version of a Node.js binary, such as 24.21.0. */
export const nodeVersion = (binary: string): string =>
	execFileSync(binary, ['--version'], { encoding: 'utf8' }).trim().replace(/^v/, '');

/**
 * Writes or checks a row, if `COMPATIBILITY` says so.
 *
 * @throws if the table should have the row, and does not
 */
export function proved(row: Omit<CompatibilityRow, 'date'>): void {
	const wish = process.env.COMPATIBILITY;
	const rows = compatibilityRows();
	if (wish === 'docs') {
		const date = new Date().toISOString().slice(0, 10);
		const next = withRow(rows, { ...row, date });
		writeFileSync(FILE, `${JSON.stringify(next, null, 2)}\n`);
	} else if (wish === 'check' && !rows.some((one) => subjectOf(one) === subjectOf(row))) {
		throw new Error(
			`docs/compatibility.json does not have '${subjectOf(row)}'. Repeat the command with COMPATIBILITY=docs.`,
		);
	}
}

/** Prints a line to standard output. */
export function print(line = ''): void {
	process.stdout.write(`${line}\n`);
}

/** An aligned Markdown table. */
export function markdownTable(heading: readonly string[], rows: readonly string[][]): string {
	const widths = heading.map((title, column) =>
		Math.max(3, title.length, ...rows.map((row) => row[column]?.length ?? 0)),
	);
	const line = (cells: readonly string[]) =>
		`| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
	return [heading, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('\n');
}

export function printTable(heading: readonly string[], rows: readonly string[][]): void {
	print(markdownTable(heading, rows));
}

/** Runs one step of a program: prints its name before, and its result and duration after. */
export async function step<Result>(
	name: string,
	run: () => Promise<Result>,
	describe: (result: Result) => string = () => '',
): Promise<Result> {
	const began = Date.now();
	print(`▸ ${name}`);
	try {
		const result = await run();
		const seconds = ((Date.now() - began) / 1000).toFixed(1);
		print(`  ✓ ${describe(result) || 'done'} (${seconds} s)`);
		return result;
	} catch (error) {
		print(`  ✗ failed`);
		throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, {
			cause: error,
		});
	}
}

/** Prints a line to standard output. */
export function print(line = ''): void {
	process.stdout.write(`${line}\n`);
}

/** Prints an aligned table. */
export function printTable(heading: string[], rows: string[][]): void {
	const widths = heading.map((title, column) =>
		Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
	);
	const line = (cells: string[]) =>
		`  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('   ')}`.trimEnd();
	print(line(heading));
	print(line(widths.map((width) => '─'.repeat(width))));
	for (const row of rows) print(line(row));
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

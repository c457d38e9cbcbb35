/**
 * `npm run docs:tables`: writes the tables that the documents repeat from the code. With `-- --check` it only says which
 * ones differ, and fails if any does.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';

import { Command } from 'commander';

import { DOCUMENTS, withTables } from './tables';

const { check } = new Command('npm run docs:tables --')
	.description('Writes the tables that the documents repeat from the code.')
	.option('--check', 'write nothing, and fail if a table differs', false)
	.parse()
	.opts<{ check: boolean }>();

async function main(): Promise<void> {
	for (const document of DOCUMENTS) {
		const path = resolve(__dirname, '../..', document);
		const text = await readFile(path, 'utf8');
		const renewed = await withTables(path, text);
		if (renewed === text) continue;
		if (check) process.exitCode = 1;
		else await writeFile(path, renewed);
		process.stdout.write(`${check ? 'differs' : 'renewed'}: ${document}\n`);
	}
}

main().catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exitCode = 1;
});

/**
 * `npm run docs:tables`: writes the tables in the documents that are generated from the code. With `-- --check` it only
 * lists the documents with an outdated table, and fails if there are any.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';

import { Command } from 'commander';

import { checkMarkers, DOCUMENTS, withTables } from './tables';

const { check } = new Command('npm run docs:tables --')
	.description('Writes the tables in the documents that are generated from the code.')
	.option('--check', 'write nothing, and fail if a table is outdated', false)
	.parse()
	.opts<{ check: boolean }>();

async function main(): Promise<void> {
	const texts: string[] = [];
	for (const document of DOCUMENTS) {
		const path = resolve(__dirname, '../..', document);
		const text = await readFile(path, 'utf8');
		texts.push(text);
		const updated = await withTables(path, text);
		if (updated === text) continue;
		if (check) process.exitCode = 1;
		else await writeFile(path, updated);
		process.stdout.write(`${check ? 'outdated' : 'updated'}: ${document}\n`);
	}
	checkMarkers(texts);
}

main().catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exitCode = 1;
});

/**
 * `npm run docs` writes what is generated from the code: the lists in the documents, the files from which n8n shows the
 * fields of an output before a node has run, and what n8n knows of the nodes, without the texts. With `-- --check` it only
 * lists what is outdated, and fails if anything is.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';

import { Command } from 'commander';
import { format, resolveConfig } from 'prettier';

import { descriptionTexts } from './descriptions';
import { schemaTexts } from './schemas';
import { documentTexts } from './tables';

const program = new Command('npm run docs --')
	.description('Writes what is generated from the code.')
	.option('--check', 'write nothing, and fail if a file is outdated', false)
	.action(async ({ check }: { check: boolean }) => {
		for (const texts of [documentTexts, schemaTexts, descriptionTexts]) {
			for (const [filepath, text] of await texts()) await update(filepath, text, check);
		}
	});

/** Writes a file with this text, formatted, or removes it. With `check`, only says that it should. */
async function update(filepath: string, text: string | undefined, check: boolean): Promise<void> {
	const before = await readFile(filepath, 'utf8').catch(() => undefined);
	const options = { ...(await resolveConfig(filepath)), filepath };
	// Prettier knows no plain texts.
	const isPlain = text === undefined || filepath.endsWith('.txt');
	const after = isPlain ? text : await format(text, options);
	if (after === before) return;
	const name = relative(resolve(__dirname, '../..'), filepath);
	process.stdout.write(`${check ? 'outdated' : 'updated'}: ${name}\n`);
	if (check) {
		process.exitCode = 1;
	} else if (after === undefined) {
		await rm(filepath);
	} else {
		await mkdir(dirname(filepath), { recursive: true });
		await writeFile(filepath, after);
	}
}

program.parseAsync().catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exitCode = 1;
});

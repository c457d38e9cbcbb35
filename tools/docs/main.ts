/**
 * `npm run docs` writes what is generated from the code: the lists in the documents, and what n8n knows of the nodes,
 * without the texts. With `-- --check` it only lists what is outdated, and fails if anything is.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';

import { Command } from 'commander';
import { format, resolveConfig } from 'prettier';

import { DESCRIPTIONS, DESCRIPTIONS_FILE } from './descriptions';
import { documentTexts } from './tables';

const { check } = new Command('npm run docs --')
	.description('Writes what is generated from the code.')
	.option('--check', 'write nothing, and fail if a file is outdated', false)
	.parse()
	.opts<{ check: boolean }>();

async function main(): Promise<void> {
	const texts = new Map([[DESCRIPTIONS_FILE, DESCRIPTIONS]]);
	for (const [filepath, text] of await documentTexts()) {
		texts.set(filepath, await format(text, { ...(await resolveConfig(filepath)), filepath }));
	}
	for (const [filepath, text] of texts) {
		if ((await readFile(filepath, 'utf8')) === text) continue;
		const name = relative(resolve(__dirname, '../..'), filepath);
		process.stdout.write(`${check ? 'outdated' : 'updated'}: ${name}\n`);
		if (check) process.exitCode = 1;
		else await writeFile(filepath, text);
	}
}

void main();

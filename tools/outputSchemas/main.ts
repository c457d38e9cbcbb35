/**
 * `npm run docs:schemas`: writes the files from which n8n shows the fields of an output before a node has run. With
 * `-- --check` it only lists those that are outdated, and fails if there are any.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

import { Command } from 'commander';
import { format, resolveConfig } from 'prettier';

import { SCHEMA_FOLDER, schemaFiles } from './files';

const { check } = new Command('npm run docs:schemas --')
	.description('Writes the files from which n8n shows the fields of an output in advance.')
	.option('--check', 'write nothing, and fail if a file is outdated', false)
	.parse()
	.opts<{ check: boolean }>();

/** The files that are there, by path. */
async function present(): Promise<Map<string, string>> {
	const entries = await readdir(SCHEMA_FOLDER, { recursive: true, withFileTypes: true }).catch(
		() => [],
	);
	const files = entries
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name));
	const texts = files.map(async (file) => await readFile(file, 'utf8'));
	const paths = files.map((file) => relative(SCHEMA_FOLDER, file));
	return new Map((await Promise.all(texts)).map((text, index) => [paths[index] ?? '', text]));
}

/** The files that there should be, formatted. */
async function desired(): Promise<Map<string, string>> {
	const texts = [...schemaFiles()].map(async ([path, schema]) => {
		const filepath = join(SCHEMA_FOLDER, path);
		const options = { ...(await resolveConfig(filepath)), filepath };
		return [path, await format(JSON.stringify(schema), options)] as const;
	});
	return new Map(await Promise.all(texts));
}

async function main(): Promise<void> {
	const before = await present();
	const after = await desired();
	for (const path of new Set([...before.keys(), ...after.keys()])) {
		const text = after.get(path);
		if (text === before.get(path)) continue;
		const file = join(SCHEMA_FOLDER, path);
		if (check) process.exitCode = 1;
		else if (text === undefined) await rm(file);
		else {
			await mkdir(dirname(file), { recursive: true });
			await writeFile(file, text);
		}
		process.stdout.write(`${check ? 'outdated' : 'updated'}: ${path}\n`);
	}
}

main().catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exitCode = 1;
});

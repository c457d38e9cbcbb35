import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const repository = resolve(__dirname, '../../..');

/** The text of a file, by its path from the root. */
export const read = (path: string): string => readFileSync(join(repository, path), 'utf8');

/** The documents in the root and in docs/, with paths from the root. */
export const documents: readonly string[] = [
	...readdirSync(repository),
	...readdirSync(join(repository, 'docs'), { recursive: true, encoding: 'utf8' }).map((file) =>
		join('docs', file),
	),
].filter((file) => file.endsWith('.md'));

/** The paths of the TypeScript files in some folders. */
export const sourcesIn = (...folders: string[]): string[] =>
	folders.flatMap((folder) =>
		readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
			.filter((file) => file.endsWith('.ts'))
			.map((file) => join(folder, file)),
	);

/** The anchors that code hosts generate for a page's headings. */
export const anchorsOf = (document: string): string[] =>
	[...document.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
		heading
			.toLowerCase()
			.replace(/[^\p{L}\p{N} _-]/gu, '')
			.replaceAll(' ', '-'),
	);

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

/** What each file imports, by its path. */
const imports = new Map();

/** The files of this repository that a file imports, type imports included. */
function importsOf(file) {
	const known = imports.get(file);
	if (known !== undefined) return known;
	const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'));
	const found = importedFiles
		.filter(({ fileName }) => fileName.startsWith('.'))
		.flatMap(({ fileName }) => {
			const path = join(dirname(file), fileName);
			return [`${path}.ts`, join(path, 'index.ts')].filter((one) => existsSync(one)).slice(0, 1);
		});
	imports.set(file, found);
	return found;
}

/** The shortest way from a file back to itself. @returns undefined if there is none */
function circleThrough(file) {
	const seen = new Set();
	let ways = [[file]];
	while (ways.length > 0) {
		const next = [];
		for (const way of ways) {
			for (const imported of importsOf(way.at(-1))) {
				if (imported === file) return way;
				if (seen.has(imported)) continue;
				seen.add(imported);
				next.push([...way, imported]);
			}
		}
		ways = next;
	}
	return undefined;
}

/** Reports import circles. `import-x/no-cycle` does not see those that consist of type imports. */
export const noCircle = {
	meta: { type: 'problem', schema: [] },
	create: (context) => ({
		Program(node) {
			const circle = circleThrough(context.filename);
			if (circle === undefined) return;
			const from = dirname(context.filename);
			const files = [...circle, context.filename].map((file) => relative(from, file));
			context.report({ node, message: `Import circle: ${files.join(' → ')}` });
		},
	}),
};

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { z } from 'zod';

import { read, repository } from './everyDocument';

const sources = ['nodes', 'credentials'].flatMap((folder) =>
	readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.ts'))
		.map((file) => read(join(folder, file))),
);

it("The package imports only its own files, n8n's packages and Node's `crypto`", () => {
	const imported = sources.flatMap((source) =>
		[...source.matchAll(/\b(?:from|import|require)\s*\(?\s*'([^'.\s][^'\s]*)'/g)].map(
			([, name = '']) => name,
		),
	);
	expect([...new Set(imported)].sort()).toEqual(['crypto', 'n8n-workflow', 'zod']);
});

it('The package has no dependencies but the n8n that runs it, and no script runs when it is installed', () => {
	const manifest = z.record(z.unknown()).parse(JSON.parse(read('package.json')));
	const kinds = Object.keys(manifest).filter((key) => /dependencies$/i.test(key));
	expect(kinds.sort()).toEqual(['devDependencies', 'peerDependencies']);
	expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
	const scripts = Object.keys(z.record(z.string()).parse(manifest.scripts));
	expect(scripts.filter((name) => /install|prepare|prepublish/.test(name))).toEqual([]);
});

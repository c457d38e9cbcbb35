/** The package needs nothing but the n8n that runs it. */
import { z } from 'zod';

import { read, sourcesIn } from './everyDocument';

it("The package imports only its own files, n8n's packages and Node's `crypto`", () => {
	const imported = sourcesIn('nodes', 'credentials').flatMap((file) =>
		[...read(file).matchAll(/\b(?:from|import|require)\s*\(?\s*'([^'.\s][^'\s]*)'/g)].map(
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

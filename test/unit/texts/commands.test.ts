/** Every command that a document names exists, and CI runs what a change must pass. */
import { z } from 'zod';

import { documents, read } from './everyDocument';

const { scripts } = z
	.object({ scripts: z.record(z.string()) })
	.parse(JSON.parse(read('package.json')));

/** The scripts that a text runs, each with its arguments. */
const commandsIn = (text: string): Array<{ script: string; args: string }> =>
	[...text.matchAll(/\bnpm (?:run )?(?:--silent )?([a-z][\w:-]*)((?: -- [^\n`'&|,}#]*)?)/g)].map(
		([, script = '', args = '']) => ({ script, args: args.trim() }),
	);

/** The commands in the lines of a script or workflow that are no comments. */
const commandsOf = (path: string) => commandsIn(read(path).replace(/^\s*#.*$/gm, ''));

it('Every command in a document is a script of package.json', () => {
	const named = documents.flatMap((file) =>
		[...read(file).matchAll(/npm run (?:-s )?([a-z][\w:-]+)/g)].map(([, script = '']) => ({
			file,
			script,
		})),
	);
	expect(named.length).toBeGreaterThan(20);
	expect(named.filter(({ script }) => !(script in scripts))).toEqual([]);
});

it('The CI workflow runs what .ci/run runs', () => {
	const inWorkflow = commandsOf('.github/workflows/ci.yml');
	expect(inWorkflow).toEqual(expect.arrayContaining(commandsOf('.ci/run')));
});

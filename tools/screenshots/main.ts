/**
 * `npm run docs:screenshots`: renews the pictures of the documents, which end-to-end tests of the editor and of the
 * service's page take. With `-- --short` they are only taken, and not kept.
 */
import { spawnSync } from 'node:child_process';
import { Command } from 'commander';
import { buildPackage, repository } from '../host';

const { short } = new Command('npm run docs:screenshots --')
	.description('Takes the pictures of the documents.')
	.option('--short', 'take them without keeping them', false)
	.parse()
	.opts<{ short: boolean }>();

async function main(): Promise<void> {
	await buildPackage();
	const tests = ['test/e2e/pictures', 'test/e2e/servicePage'];
	const { status } = spawnSync('npx', ['jest', ...tests], {
		cwd: repository,
		stdio: 'inherit',
		env: { ...process.env, ...(!short && { PICTURES: 'docs' }) },
	});
	process.exitCode = status ?? 1;
}

void main();

/** `npm run release -- patch`: version, changelog, commit and tag in one step. Pushing the tag publishes the package. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { releasedChangelog } from './changelog';
import { preparePublication, repositoryPage } from './publication';

const repository = resolve(__dirname, '../..');

/** Runs a command, and returns what it prints. */
const read = (folder: string, command: string, ...args: string[]): string =>
	execFileSync(command, args, { cwd: folder, encoding: 'utf8' }).trim();

/** Runs a command that prints by itself. */
const show = (folder: string, command: string, ...args: string[]): void => {
	process.stdout.write(`\n=== ${command} ${args.join(' ')}\n`);
	execFileSync(command, args, { cwd: folder, stdio: 'inherit' });
};

/**
 * Checks what needs no build, before anything is built.
 * @returns the page of the repository
 */
function check(): string {
	if (read(repository, 'git', 'status', '--porcelain') !== '') {
		throw new Error('There are uncommitted changes. Commit or discard them first.');
	}
	return repositoryPage(JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')));
}

/** Turns 'Unreleased' in the changelog into the new version with today's date. */
function releaseChangelog(folder: string, version: string, page: string): void {
	const path = join(folder, 'CHANGELOG.md');
	const date = new Date().toISOString().slice(0, 10);
	const changelog = readFileSync(path, 'utf8');
	writeFileSync(path, releasedChangelog(changelog, { version, date, page }));
}

/**
 * Makes the release in a work tree of its own, checks it there up to the upload, and only then takes it over. So a
 * problem, or a dry run, leaves no trace.
 */
async function main(bump: string, isDryRun: boolean): Promise<void> {
	const page = check();
	const tree = mkdtempSync(join(tmpdir(), 'outreach-release-'));
	read(repository, 'git', 'worktree', 'add', '--detach', tree);
	try {
		symlinkSync(join(repository, 'node_modules'), join(tree, 'node_modules'));
		const tag = read(tree, 'npm', 'version', bump, '--no-git-tag-version', '--allow-same-version');
		releaseChangelog(tree, tag.replace(/^v/, ''), page);
		await preparePublication(tree);
		process.stdout.write(`${tag} from ${read(tree, 'git', 'rev-parse', '--short', 'HEAD')}\n`);
		show(tree, 'git', '--no-pager', 'diff', '--stat');
		show(tree, 'npm', 'run', '--silent', 'verify:package');
		show(tree, 'npm', 'publish', '--dry-run', '--loglevel=notice');
		if (isDryRun) {
			process.stdout.write(
				`\n✓ ${tag} can be released. This was a dry run: nothing has changed.\n`,
			);
			return;
		}
		read(tree, 'git', 'commit', '--all', '--message', `Release ${tag}`);
		const commit = read(tree, 'git', 'rev-parse', 'HEAD');
		read(repository, 'git', 'merge', '--ff-only', commit);
		read(repository, 'git', 'tag', '--annotate', tag, '--message', tag);
		process.stdout.write(
			`\n✓ ${tag} is committed and tagged. Publish it: git push --follow-tags\n`,
		);
	} finally {
		read(repository, 'git', 'worktree', 'remove', '--force', tree);
		rmSync(tree, { recursive: true, force: true });
	}
}

const program = new Command('npm run release --')
	.description('Raises the version, dates the changelog, checks the package, commits, and tags.')
	.argument('<version>', 'patch, minor, major, or a version such as 1.0.0')
	.option('--dry-run', 'do all of it up to the upload, and change nothing', false)
	.action(async (bump: string, { dryRun }: { dryRun: boolean }) => {
		await main(bump, dryRun).catch((error: unknown) => {
			process.stderr.write(`✗ ${error instanceof Error ? error.message : String(error)}\n`);
			process.exitCode = 1;
		});
	});

void program.parseAsync();

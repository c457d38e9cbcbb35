/** `npm run release -- patch`: version, changelog, commit and tag in one step. What is pushed then gets published. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { format } from 'prettier';
import { z } from 'zod';

const repository = resolve(__dirname, '..');
const CHANGELOG = resolve(repository, 'CHANGELOG.md');

const run = (command: string, ...args: string[]): string =>
	execFileSync(command, args, { cwd: repository, encoding: 'utf8' }).trim();

const manifestSchema = z.object({
	repository: z.union([z.string(), z.object({ url: z.string() })]).optional(),
});

/** What has to be so before anything is changed. */
function check(): void {
	if (run('git', 'status', '--porcelain') !== '') {
		throw new Error('There are changes that are not committed. Commit or remove them first.');
	}
	const manifest: unknown = JSON.parse(readFileSync(resolve(repository, 'package.json'), 'utf8'));
	if (manifestSchema.parse(manifest).repository === undefined) {
		throw new Error(
			"package.json has no 'repository': npm refuses provenance without it. Set it to the public address.",
		);
	}
}

/** Turns Unreleased into a version of today, as Keep a Changelog has it. */
async function releaseChangelog(version: string): Promise<void> {
	const { parser } = await import('keep-a-changelog');
	const changelog = parser(readFileSync(CHANGELOG, 'utf8'));
	const release = changelog.releases.find((one) => one.version === undefined);
	if (release === undefined || release.isEmpty()) {
		throw new Error('Nothing stands under Unreleased in the changelog: what would be released?');
	}
	release.setVersion(version);
	release.setDate(new Date());
	writeFileSync(CHANGELOG, await format(changelog.toString(), { parser: 'markdown' }));
}

async function main(bump: string): Promise<void> {
	check();
	try {
		const tag = run('npm', 'version', bump, '--no-git-tag-version', '--allow-same-version');
		await releaseChangelog(tag.replace(/^v/, ''));
		run('git', 'commit', '--all', '--message', `Release ${tag}`);
		run('git', 'tag', '--annotate', tag, '--message', tag);
		process.stdout.write(`${tag} is committed and tagged. Publish it: git push --follow-tags\n`);
	} catch (error) {
		// Nothing else was changed here: the check has seen to that.
		run('git', 'restore', '--staged', '--worktree', '.');
		throw error;
	}
}

const program = new Command('npm run release --')
	.description('Raises the version, dates the changelog, commits, and tags.')
	.argument('<version>', 'patch, minor, major, or a version such as 1.0.0')
	.action(async (bump: string) => {
		await main(bump).catch((error: unknown) => {
			process.stderr.write(`✗ ${error instanceof Error ? error.message : String(error)}\n`);
			process.exitCode = 1;
		});
	});

void program.parseAsync();

/** `npm run release -- patch`: version, changelog, commit and tag in one step. Pushing the tag publishes the package. */
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

/** Checks the preconditions before anything is changed. */
function check(): void {
	if (run('git', 'status', '--porcelain') !== '') {
		throw new Error('There are uncommitted changes. Commit or discard them first.');
	}
	const manifest: unknown = JSON.parse(readFileSync(resolve(repository, 'package.json'), 'utf8'));
	const { repository: given } = manifestSchema.parse(manifest);
	if (given === undefined) {
		throw new Error(
			"package.json has no 'repository': npm refuses provenance without it. Set it to the public URL of the code.",
		);
	}
	checkReadme(typeof given === 'string' ? given : given.url);
}

/** What README.md must not say once the package is published. */
const NOT_PUBLISHED = 'not published yet';

/** The README is the package's page on npm, which takes relative pictures from a repository on GitHub only. */
function checkReadme(url: string): void {
	const readme = readFileSync(resolve(repository, 'README.md'), 'utf8');
	if (readme.includes(NOT_PUBLISHED)) {
		throw new Error(
			`README.md says that the package is '${NOT_PUBLISHED}'. Describe the installation with n8n's Settings → Community nodes instead.`,
		);
	}
	if (!url.includes('github.com') && /!\[[^\]]*\]\((?!https:)/.test(readme)) {
		throw new Error(
			'README.md has relative pictures, which npm cannot show for this repository. Give them full URLs.',
		);
	}
}

/** Turns 'Unreleased' into the new version with today's date. */
async function releaseChangelog(version: string): Promise<void> {
	const { parser } = await import('keep-a-changelog');
	const changelog = parser(readFileSync(CHANGELOG, 'utf8'));
	const release = changelog.releases.find((one) => one.version === undefined);
	if (release === undefined || release.isEmpty()) {
		throw new Error(
			"The changelog has nothing under 'Unreleased', so there is nothing to release.",
		);
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
		// The check made sure that there are no other changes.
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

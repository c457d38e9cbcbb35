/**
 * What a release needs besides `npm version`: `check` and `date` are scripts of package.json, which npm runs before and
 * after it raises the version, and `notes v0.1.0` prints what the release on GitHub shows.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { releasedChangelog, sectionOf } from './changelog';

/** What stands in the files until a person has published the package for the first time: docs/publishing.md. */
const PLACEHOLDERS = [
	'github.com/OWNER/',
	'The n8n-nodes-outreach-service authors',
	'n8n-nodes-outreach-service.invalid',
	'not on npm',
];
/** Where it may stand: in the instructions, and in the code that knows of it. */
const EXCEPT = [':!docs/publishing.md', ':!tools', ':!test'];

const readChangelog = (): string => readFileSync('CHANGELOG.md', 'utf8');

/** @throws naming each place where a placeholder is left, or if nothing is unreleased */
function check(): void {
	const patterns = PLACEHOLDERS.flatMap((placeholder) => ['-e', placeholder]);
	const found = spawnSync('git', ['grep', '-nF', ...patterns, '--', '.', ...EXCEPT], {
		encoding: 'utf8',
	});
	if (found.stdout !== '') {
		throw new Error(`Fill in what docs/publishing.md says:\n${found.stdout.trimEnd()}`);
	}
	// Anything but 'nothing found' would let a release pass unchecked.
	if (found.status !== 1) throw new Error(`git grep failed: ${found.stderr}`);
	sectionOf(readChangelog(), 'Unreleased');
}

/** Gives what was unreleased the version that npm has just written, and the date of today. */
function date(): void {
	const version = String(process.env.npm_new_version);
	const today = new Date().toISOString().slice(0, 10);
	writeFileSync('CHANGELOG.md', releasedChangelog(readChangelog(), version, today));
}

const program = new Command('tsx tools/package/release.ts');
program.command('check').action(check);
program.command('date').action(date);
program.command('notes <tag>').action((tag: string) => {
	process.stdout.write(`${sectionOf(readChangelog(), tag.replace(/^v/, ''))}\n`);
});
try {
	program.parse();
} catch (error) {
	process.stderr.write(`✗ ${error instanceof Error ? error.message : String(error)}\n`);
	process.exitCode = 1;
}

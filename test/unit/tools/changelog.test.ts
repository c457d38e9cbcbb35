/** What a release makes of the changelog, and what GitHub shows of it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { releasedChangelog, sectionOf, withLinks } from '../../../tools/package/changelog';
import { repository } from '../texts/everyDocument';

const PAGE = 'https://github.com/acme/nodes';

const CHANGELOG = `# Changelog

## [Unreleased]

### Added

- A second thing.

## [0.1.0] - 2026-11-01

- A [first thing](docs/trigger.md).

[Unreleased]: ${PAGE}/compare/v0.1.0...HEAD
[0.1.0]: ${PAGE}/releases/tag/v0.1.0
`;

const RELEASE = { version: '0.2.0', date: '2026-11-25', page: PAGE };

it('A release turns what is unreleased into a version, and links it to what has changed', () => {
	const released = releasedChangelog(CHANGELOG, RELEASE);
	expect(released).toContain('## [0.2.0] - 2026-11-25\n\n### Added');
	expect(released.slice(released.indexOf('\n['))).toBe(
		`\n[0.2.0]: ${PAGE}/compare/v0.1.0...v0.2.0\n[0.1.0]: ${PAGE}/releases/tag/v0.1.0\n`,
	);
});

it.each(['## [Unreleased]\n\n## [0.1.0] - 2026-11-01\n\n- Old.\n', '## [0.1.0]\n\n- Old.\n', ''])(
	'Nothing is released when nothing has changed: %j',
	(changelog) => {
		expect(() => releasedChangelog(changelog, RELEASE)).toThrow('nothing to release');
	},
);

it('The release on GitHub shows the entries of its version, and not those of another one', () => {
	expect(sectionOf(CHANGELOG, 'Unreleased')).toBe('### Added\n\n- A second thing.');
	expect(sectionOf(CHANGELOG, '0.1.0')).toBe('- A [first thing](docs/trigger.md).');
	expect(() => sectionOf(CHANGELOG, '0.3.0')).toThrow('no version 0.3.0');
});

it('Every version in the changelog has its link', () => {
	const changelog = readFileSync(join(repository, 'CHANGELOG.md'), 'utf8');
	const { homepage } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
		homepage: string;
	};
	expect(changelog).toBe(withLinks(changelog, homepage.replace(/#.*/, '')));
});

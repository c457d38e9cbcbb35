/** What a release makes of the changelog, and what GitHub shows of it. */
import { releasedChangelog, sectionOf } from '../../../tools/package/changelog';

const CHANGELOG = `# Changelog

## Unreleased

### Added

- A second thing.

## 0.1.0 - 2026-11-01

- A [first thing](docs/trigger.md).
`;

it('A release gives what is unreleased its version and date, and changes nothing else', () => {
	const released = releasedChangelog(CHANGELOG, '0.2.0', '2026-11-25');
	expect(released).toBe(CHANGELOG.replace('## Unreleased', '## 0.2.0 - 2026-11-25'));
});

it('The release on GitHub shows the entries of its version, and not those of another one', () => {
	expect(sectionOf(CHANGELOG, 'Unreleased')).toBe('### Added\n\n- A second thing.');
	expect(sectionOf(CHANGELOG, '0.1.0')).toBe('- A [first thing](docs/trigger.md).');
});

it.each(['', '## 0.1.0\n\n- Old.\n', '## Unreleased\n\n## 0.1.0 - 2026-11-01\n\n- Old.\n'])(
	'Nothing is released when nothing has changed: %j',
	(changelog) => {
		expect(() => sectionOf(changelog, 'Unreleased')).toThrow('says nothing about Unreleased');
	},
);

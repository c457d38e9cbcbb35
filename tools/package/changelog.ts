/** The changelog: a heading such as `## 0.1.0 - 2026-11-25` for each version, and `## Unreleased` for what comes next. */

/**
 * What the changelog says about a version, or about `Unreleased`.
 * @throws if that is nothing
 */
export function sectionOf(changelog: string, version: string): string {
	const sections = changelog.split(/^## /m);
	const section = sections.find((one) => /^\S+/.exec(one)?.[0] === version) ?? '';
	const text = section.replace(/^.*/, '').trim();
	if (text === '') throw new Error(`CHANGELOG.md says nothing about ${version}.`);
	return text;
}

/** The changelog in which what was unreleased is a version. @param date such as 2026-11-25 */
export const releasedChangelog = (changelog: string, version: string, date: string): string =>
	changelog.replace(/^## Unreleased$/m, `## ${version} - ${date}`);

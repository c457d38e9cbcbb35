/** The changelog: what a release makes of it, and the section that a release on GitHub shows. */

/** A heading of a version, or of what is not released yet, with the version and its date. */
const HEADING = /^## \[?([^\]\s]+)\]?(?: - ([\d-]+))?$/gm;

const UNRELEASED = 'Unreleased';
const UNRELEASED_HEADING = /^## \[?Unreleased\]?$/m;

/** The links of the headings, at the end. */
const LINKS = /\n(?:\[[^\]\n]+\]: \S+\n)+$/;

/**
 * The entries below a version's heading.
 * @throws if the changelog has no such heading, or nothing below it
 */
export function sectionOf(changelog: string, version: string): string {
	const headings = [...changelog.replace(LINKS, '').matchAll(HEADING)];
	const position = headings.findIndex(([, name]) => name === version);
	const heading = headings[position];
	if (heading === undefined) throw new Error(`The changelog has no version ${version}.`);
	const end = headings[position + 1]?.index ?? changelog.replace(LINKS, '').length;
	const section = changelog.slice(heading.index + heading[0].length, end).trim();
	if (section === '') throw new Error(`The changelog says nothing about ${version}.`);
	return section;
}

/** The changelog with a link for each heading: to what a version changed, and for the first one to its release. */
export function withLinks(changelog: string, page: string): string {
	const text = changelog.replace(LINKS, '').trimEnd();
	const names = [...text.matchAll(HEADING)].map(([, name = '']) => name);
	const links = names.map((name, position) => {
		const before = names[position + 1];
		const isReleased = name !== UNRELEASED;
		const to = isReleased ? `v${name}` : 'HEAD';
		if (before !== undefined) return `[${name}]: ${page}/compare/v${before}...${to}`;
		return `[${name}]: ${page}/${isReleased ? `releases/tag/${to}` : 'commits/HEAD'}`;
	});
	return `${text}\n\n${links.join('\n')}\n`;
}

/**
 * The changelog in which what was unreleased is a version.
 * @param release.date such as 2026-11-25
 * @param release.page of the repository
 * @throws if nothing is unreleased
 */
export function releasedChangelog(
	changelog: string,
	{ version, date, page }: { version: string; date: string; page: string },
): string {
	if (!UNRELEASED_HEADING.test(changelog) || isEmpty(changelog)) {
		throw new Error(
			"The changelog has nothing under 'Unreleased', so there is nothing to release.",
		);
	}
	return withLinks(changelog.replace(UNRELEASED_HEADING, `## [${version}] - ${date}`), page);
}

function isEmpty(changelog: string): boolean {
	try {
		sectionOf(changelog, UNRELEASED);
		return false;
	} catch {
		return true;
	}
}

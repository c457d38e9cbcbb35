/** What a release makes of package.json and the files that depend on it, apart from version and changelog. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** Whoever owns the repository, until `repository` in package.json says so. */
const PLACEHOLDER = 'github.com/OWNER/';

/** The file that says what the links to the repository begin with: the placeholder, or the repository before it moved. */
const CODEX = 'nodes/OutreachService/OutreachService.node.json';

/** The files with links to the repository, or with parts for before or after the publication. */
export const FILES_WITH_LINKS = [
	'package.json',
	'CHANGELOG.md',
	'README.md',
	'credentials/OutreachServiceApi.credentials.ts',
	CODEX,
	'nodes/OutreachService/OutreachServiceTrigger.node.json',
];

const GITHUB_URL = /^git\+(https:\/\/github\.com\/[\w-]+\/[\w.-]+)\.git$/;
/** The author, and the holder of the copyright, until a person says otherwise. */
const NOBODY = 'The n8n-nodes-outreach-service authors';
const isPlaceholder = (value: string): boolean =>
	value === NOBODY || /OWNER|\.(invalid|example)$|@example\./.test(value);

/** A text that must be as `what` says. */
function text(what: string, isRight: (value: string) => boolean) {
	const message = `must be ${what}`;
	return z
		.string({ required_error: message, invalid_type_error: message })
		.trim()
		.refine((value) => value !== '' && isRight(value), message);
}

/** An object; anything else counts as one without fields, of which each is a problem. */
const object = <Shape extends z.ZodRawShape>(shape: Shape) =>
	z.preprocess((given) => (typeof given === 'object' ? (given ?? {}) : {}), z.object(shape));

/** What a person fills in. `homepage` and `bugs` follow from the repository, unless they lead elsewhere. */
const manifestSchema = z.object({
	author: object({
		name: text(
			'the person or company that publishes the package',
			(value) => !isPlaceholder(value),
		),
		email: text(
			'the email address at which npm and n8n reach the author',
			(value) => !isPlaceholder(value) && z.string().email().safeParse(value).success,
		),
	}),
	// n8n fetches the source that the provenance names, from GitHub only.
	repository: object({
		url: text(
			'the public repository on GitHub, as git+https://github.com/OWNER/NAME.git',
			(value) => !isPlaceholder(value) && GITHUB_URL.test(value),
		),
	}),
	homepage: text('the page with the documentation', () => true),
	bugs: object({ url: text('the page for issues', () => true) }),
});

/**
 * The page of the repository that package.json names, such as https://github.com/acme/outreach.
 *
 * @throws naming each field of package.json that a person still has to fill in
 */
export const repositoryPage = (manifest: unknown): string => readManifest(manifest).page;

/** The page of the repository, and who publishes the package. */
function readManifest(manifest: unknown): { page: string; author: string } {
	const { data, error } = manifestSchema.safeParse(manifest);
	if (error) {
		const fields = error.issues.map(({ path, message }) => `  ${path.join('.')} ${message}`);
		throw new Error(`package.json cannot be released:\n${fields.join('\n')}`);
	}
	return { page: data.repository.url.replace(GITHUB_URL, '$1'), author: data.author.name };
}

/**
 * The license of the published package, which names the author as a holder of the copyright.
 *
 * @throws if it names other holders only: who they are is for a person to say
 */
export function publishedLicense(text: string, author: string): string {
	const published = text.replace(NOBODY, () => author);
	const holders = [...published.matchAll(/^Copyright \(c\) [\d, -]+ (.+)$/gm)].map(
		([, holder = '']) => holder,
	);
	if (holders.some((holder) => holder.includes(author))) return published;
	throw new Error(
		`LICENSE must have a line 'Copyright (c) YEAR ${author}', as author.name in package.json; it names ${holders.join(', ') || 'nobody'}.`,
	);
}

const BEFORE = /<!-- before publication -->\n[^]*?<!-- \/before publication -->\n\n?/g;
const AFTER = /<!-- after publication\n+([^]*?)\n*-->\n/g;

/**
 * A document of the published package: without the parts marked `before publication`, and with those marked
 * `after publication`, which are comments until then.
 *
 * @throws if the document would still say that the package is not published
 */
export function publishedDocument(file: string, text: string): string {
	const published = text.replace(BEFORE, '').replace(AFTER, '$1\n');
	const left = /not yet published|not (?:yet )?on npm|<!-- \/?(?:before|after) publication/i.exec(
		published,
	);
	if (left) throw new Error(`${file} would still say '${left[0]}' after the release.`);
	return published;
}

const codexSchema = z.object({
	resources: z.object({
		primaryDocumentation: z.array(z.object({ url: z.string().url() })).min(1),
	}),
});

/**
 * Makes the files in a folder those of a published package: links to the repository are right, `homepage` and `bugs`
 * of package.json among them, the README says how to install from npm, and the license names the author. A second time
 * changes nothing.
 */
export async function preparePublication(folder: string): Promise<void> {
	const readJson = async (file: string): Promise<unknown> =>
		JSON.parse(await readFile(join(folder, file), 'utf8'));
	const { page, author } = readManifest(await readJson('package.json'));
	const { resources } = codexSchema.parse(await readJson(CODEX));
	const former = resources.primaryDocumentation[0]?.url.replace(/#.*/, '') ?? page;
	const license = join(folder, 'LICENSE');
	const licenseText = publishedLicense(await readFile(license, 'utf8'), author);
	for (const file of FILES_WITH_LINKS) {
		const before = await readFile(join(folder, file), 'utf8');
		const linked = before.replaceAll(former, page);
		if (linked.includes(PLACEHOLDER))
			throw new Error(`${file} would still link to ${PLACEHOLDER}.`);
		const published = file.endsWith('.md') ? publishedDocument(file, linked) : linked;
		await writeFile(join(folder, file), published);
	}
	await writeFile(license, licenseText);
}

/** What a release makes of package.json and the files that depend on it, apart from version and changelog. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** The files with links to the repository. */
const FILES_WITH_LINKS = [
	'package.json',
	'README.md',
	'credentials/OutreachServiceApi.credentials.ts',
	'nodes/OutreachService/OutreachService.node.json',
	'nodes/OutreachService/OutreachServiceTrigger.node.json',
];

const GITHUB_URL = /^git\+(https:\/\/github\.com\/[\w-]+\/[\w.-]+)\.git$/;
const isPlaceholder = (value: string): boolean =>
	/OWNER|\.(invalid|example)$|@example\.|^The n8n-nodes-outreach-service authors$/.test(value);

const filledIn = (what: string) =>
	z.string({ required_error: `is missing: ${what}` }).superRefine((value, context) => {
		const wrong = value.trim() === '' ? 'is empty' : isPlaceholder(value) && 'is a placeholder';
		if (wrong) context.addIssue({ code: 'custom', message: `${wrong}: ${what}`, fatal: true });
	});

const EMAIL = 'the address at which npm and n8n reach the author';
const REPOSITORY = 'the public repository on GitHub, as git+https://github.com/OWNER/NAME.git';

/** What a person fills in: everything else follows. */
const manifestSchema = z.object({
	author: z
		.object({
			name: filledIn('the person or company that publishes the package'),
			email: filledIn(EMAIL).pipe(z.string().email(`is no email address: ${EMAIL}`)),
		})
		.default({ name: '', email: '' }),
	repository: z
		// n8n fetches the source that the provenance names, from GitHub only.
		.object({
			url: filledIn(REPOSITORY).pipe(z.string().regex(GITHUB_URL, `must be ${REPOSITORY}`)),
		})
		.default({ url: '' }),
});

/**
 * The page of the repository that package.json names, such as https://github.com/acme/outreach.
 *
 * @throws naming each field of package.json that a person still has to fill in
 */
export function repositoryPage(manifest: unknown): string {
	const { data, error } = manifestSchema.safeParse(manifest);
	if (error) {
		const fields = error.issues.map(({ path, message }) => `  ${path.join('.')} ${message}`);
		throw new Error(`package.json cannot be released:\n${fields.join('\n')}`);
	}
	return data.repository.url.replace(GITHUB_URL, '$1');
}

const BEFORE = /<!-- before publication -->\n[^]*?<!-- \/before publication -->\n\n?/g;
const AFTER = /<!-- after publication\n+([^]*?)\n*-->\n/g;

/**
 * The README of the published package: without the parts marked `before publication`, and with those marked
 * `after publication`, which are comments until then.
 *
 * @throws if the README would still say that the package is not published
 */
export function publishedReadme(text: string): string {
	const published = text.replace(BEFORE, '').replace(AFTER, '$1\n');
	const left = /not (?:yet )?(?:published|on npm)|(?:before|after) publication/i.exec(published);
	if (left) throw new Error(`README.md would still say '${left[0]}' after the release.`);
	return published;
}

/**
 * Makes the files in a folder those of a published package: links to the repository are right, `homepage` and `bugs`
 * of package.json among them, and the README says how to install from npm. A second time changes nothing.
 */
export async function preparePublication(folder: string): Promise<void> {
	const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
	const page = repositoryPage(manifest);
	const { homepage } = z.object({ homepage: z.string().url() }).parse(manifest);
	// What the links begin with today: the placeholder, or the repository before it moved.
	const former = homepage.replace(/#.*/, '');
	for (const file of FILES_WITH_LINKS) {
		const text = await readFile(join(folder, file), 'utf8');
		const linked = text.replaceAll(former, page);
		await writeFile(join(folder, file), file === 'README.md' ? publishedReadme(linked) : linked);
	}
}

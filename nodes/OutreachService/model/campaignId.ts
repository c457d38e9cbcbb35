import { z } from 'zod';

/** Longer than any ID, and than any URL that works everywhere. */
export const LONGEST_ID = 100;
export const LONGEST_URL = 2_000;
const LONGEST_LIST = 20_000;

const NO_TEXT = { message: 'It must be text' };

/**
 * The prefix is what tells an ID from the name of a campaign (§2.1): a webhook for a name would be created, and never
 * receive anything.
 */
const IS_ID = /^cam_[\w-]+$/;

/** The ID in the URL of a campaign, wherever the service's app puts it; undefined when there is none, or several. */
function idIn(given: string): string | undefined {
	if (!/^https?:\/\//i.test(given)) return IS_ID.test(given) ? given : undefined;
	const ids = new Set(given.split(/[^\w-]+/).filter((part) => IS_ID.test(part)));
	return ids.size === 1 ? [...ids][0] : undefined;
}

/**
 * The ID of a campaign (§2.1), also inside a pasted URL such as `https://app.example.com/campaigns/cam_1/edit?x=1`. The
 * messages say what is wrong, and never quote the value.
 */
export const campaignIdSchema = z
	.string(NO_TEXT)
	.trim()
	.max(LONGEST_URL, `It has more than ${LONGEST_URL} characters`)
	.transform((given, context) => {
		const id = idIn(given);
		if (id !== undefined && id.length <= LONGEST_ID) return id;
		const message =
			'It must be an ID such as cam_8QkzT2 or the URL of a campaign, and not its name';
		context.addIssue({ code: 'custom', message });
		return z.NEVER;
	});

/** One entry of a list: commas separate entries, but those in the query of a URL belong to it. */
const ENTRY = /https?:\/\/[^\s,?#]*(?:[?#](?:(?!,https?:)\S)*)?|[^\s,][^,]*/gi;

/** Several IDs, separated by commas, each once. Empty for an empty text. */
export const campaignIdsSchema = z
	.string(NO_TEXT)
	.max(LONGEST_LIST, `It has more than ${LONGEST_LIST} characters`)
	.refine(
		(list) => list.trim() === '' || /[^\s,]/.test(list),
		'It has commas, but no ID of a campaign',
	)
	.transform((list) => list.match(ENTRY) ?? [])
	.pipe(z.array(campaignIdSchema))
	.transform((ids) => [...new Set(ids)]);

import { z } from 'zod';

import { LONGEST_ID } from './values';

const NO_TEXT = { message: 'It must be text' };

/**
 * The prefix is what tells an ID from the name of a campaign (§2.1): a webhook for a name would be created, and never
 * receive anything.
 */
const IS_ID = /^cam_[\w-]+$/;

/** The ID, or that in the URL of a campaign, wherever the service's app puts it; undefined for none or several. */
function idIn(given: string): string | undefined {
	const parts = /^https?:\/\//i.test(given) ? given.split(/[^\w-]+/) : [given];
	const [id, ...others] = new Set(parts.filter((part) => IS_ID.test(part)));
	return others.length === 0 ? id : undefined;
}

/**
 * The ID of a campaign (§2.1), also inside a pasted URL such as `https://app.example.com/campaigns/cam_1/edit?x=1`. The
 * message says what is wrong, and never quotes the value.
 */
export const campaignIdSchema = z
	.string(NO_TEXT)
	.trim()
	.transform((given, context) => {
		const id = idIn(given);
		if (id !== undefined && id.length <= LONGEST_ID) return id;
		const message =
			'It must be an ID such as cam_8QkzT2 or the URL of a campaign, and not its name';
		context.addIssue({ code: 'custom', message });
		return z.NEVER;
	});

/**
 * An entry of a list: a URL, in which a comma may stand, or anything else up to a comma or a space (D90). Before another
 * URL or ID, the comma separates.
 */
const ENTRY = /https?:\/\/[^\s,]*(?:,(?!$|[\s,]|https?:|cam_)[^\s,]*)*|[^\s,]+/gi;

/** Several IDs, separated by commas or spaces, each once. Empty for an empty text, but not for one of commas. */
export const campaignIdsSchema = z
	.string(NO_TEXT)
	.transform((list) => list.match(ENTRY) ?? (list.trim() === '' ? [] : [list]))
	.pipe(z.array(campaignIdSchema))
	.transform((ids) => [...new Set(ids)]);

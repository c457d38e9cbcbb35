/** Campaign IDs, also inside URLs. */
import { z } from 'zod';

import { LONGEST_ID, textOrList } from './values';

/**
 * The prefix tells an ID from the name of a campaign (§2.1): a webhook for a name would be created, and never deliver
 * anything.
 */
const IS_ID = /^cam_[\w-]+$/;

/** The ID that a text is, or that the URL of a campaign contains in any place; undefined for no ID, or several. */
function idIn(entered: string): string | undefined {
	const parts = /^https?:\/\//i.test(entered) ? entered.split(/[^\w-]+/) : [entered];
	const [id, ...others] = new Set(parts.filter((part) => IS_ID.test(part)));
	return others.length === 0 ? id : undefined;
}

/**
 * The ID of a campaign (§2.1), also inside a pasted URL such as `https://app.example.com/campaigns/cam_1/edit?x=1`. The
 * message says what is wrong, and never quotes the value.
 */
export const campaignIdSchema = z
	.string({ message: 'It must be text' })
	.trim()
	.transform((entered, context) => {
		const id = idIn(entered);
		if (id !== undefined && id.length <= LONGEST_ID) return id;
		const message =
			'It must be an ID such as cam_8QkzT2 or the URL of a campaign, and not its name';
		context.addIssue({ code: 'custom', message });
		return z.NEVER;
	});

/**
 * An entry of a list: a URL, or anything else up to a comma or a space. A URL may contain commas (D90), but a comma before
 * another URL or an ID ends it.
 */
const ENTRY = /https?:\/\/[^\s,]*(?:,(?!$|[\s,]|https?:|cam_)[^\s,]*)*|[^\s,]+/gi;

/** Several IDs, separated by commas or spaces, or in a list, each once. No IDs for an empty text; a text of commas alone is refused. */
export const campaignIdsSchema = textOrList
	.default('')
	.transform((list) => list.match(ENTRY) ?? (list.trim() === '' ? [] : [list]))
	.pipe(z.array(campaignIdSchema))
	.transform((ids) => [...new Set(ids)]);

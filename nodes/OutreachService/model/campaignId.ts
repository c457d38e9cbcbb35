import { z } from 'zod';

const LONGEST_ID = 100;
const LONGEST_URL = 2_000;

/** The ID in the URL of a campaign, wherever the service's app puts it; any other text as it is. */
function fromUrl(given: string): string {
	if (!/^https?:\/\//i.test(given)) return given;
	const parts = given.split(/[/?#&=]/);
	const afterName = parts[parts.findIndex((part) => /^campaigns?$/i.test(part)) + 1];
	return parts.find((part) => part.startsWith('cam_')) ?? afterName ?? '';
}

/**
 * The ID of a campaign (§2.1), also inside a pasted URL such as `https://app.example.com/campaigns/cam_1/edit?x=1`.
 * Empty stays empty: no campaign. The messages say what is wrong, and never quote the value.
 */
export const campaignIdSchema = z
	.string({ message: 'It must be text' })
	.trim()
	.max(LONGEST_URL, `It has more than ${LONGEST_URL} characters`)
	.transform((given) => ({ id: fromUrl(given), given }))
	.refine(
		({ id, given }) =>
			/^[\w-]*$/.test(id) && id.length <= LONGEST_ID && (id !== '' || given === ''),
		'It must be an ID such as cam_8QkzT2 or the URL of a campaign',
	)
	.transform(({ id }) => id);

/** Several IDs, separated by commas, each once. */
export const campaignIdsSchema = z
	.string({ message: 'It must be text' })
	.transform((list) => list.split(','))
	.pipe(z.array(campaignIdSchema))
	.transform((ids) => [...new Set(ids.filter((id) => id !== ''))]);

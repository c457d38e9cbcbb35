import fc from 'fast-check';

import { campaignIdSchema } from '../../../nodes/OutreachService/model/campaignId';

it('A campaign ID is extracted from any URL of the campaign', () => {
	const id = fc.stringMatching(/^cam_[\w-]{1,40}$/);
	fc.assert(
		fc.property(id, (campaignId) => {
			for (const given of [
				campaignId,
				` ${campaignId}\n`,
				`https://app.example.com/campaigns/${campaignId}`,
				`https://app.example.com/campaigns/${campaignId}/edit?x=1`,
				`HTTPS://app.example.com/team/7/campaign/${campaignId}/#steps`,
				`https://app.example.com/#/campaigns/${campaignId}?tab=leads`,
				`https://app.example.com/edit?campaignId=${campaignId}&x=1`,
			]) {
				expect(campaignIdSchema.parse(given)).toBe(campaignId);
			}
		}),
	);
});

it("An ID without the usual prefix is the path segment after 'campaigns'", () => {
	expect(campaignIdSchema.parse('https://app.example.com/campaigns/8QkzT2/edit')).toBe('8QkzT2');
	expect(campaignIdSchema.parse('8QkzT2')).toBe('8QkzT2');
});

it('An empty value stays empty', () => {
	expect(campaignIdSchema.parse(' ')).toBe('');
});

it.each([
	'https://app.example.com/leads/lea_1',
	'https://app.example.com/campaigns/',
	'https://app.example.com/',
	'cam_1/../x',
	'a b',
	'cam_1?x=1',
	'x'.repeat(101),
])('A value without an ID is rejected, and not quoted: %s', (given) => {
	const { error } = campaignIdSchema.safeParse(given);
	expect(error?.issues[0]?.message).toBe(
		'It must be an ID such as cam_8QkzT2 or the URL of a campaign',
	);
});

/** Campaign IDs are read from pasted URLs and lists, and other values are rejected. */
import fc from 'fast-check';

import {
	campaignIdSchema,
	campaignIdsSchema,
} from '../../../nodes/OutreachService/parameters/campaignId';

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
		// The longest one.
		{ examples: [[`cam_${'x'.repeat(96)}`]] },
	);
});

const WITHOUT_ID = [
	'https://app.example.com/leads/lea_1',
	'https://app.example.com/campaigns?tab=active',
	'https://app.example.com/campaigns/new',
	'https://app.example.com/campaigns/8QkzT2/edit',
	'https://app.example.com/campaigns/cam_1?compare=cam_2',
	'Spring-2026',
	'cam_',
	'cam_1/../x',
	'a b',
	`cam_${'x'.repeat(97)}`,
	' ',
];

it.each(WITHOUT_ID)('A value without an ID is rejected, and not quoted: %s', (given) => {
	const { error } = campaignIdSchema.safeParse(given);
	expect(error?.issues[0]?.message).toBe(
		'It must be an ID such as cam_8QkzT2 or the URL of a campaign, and not its name',
	);
});

describe('A list of campaigns', () => {
	const ids = ['cam_1', 'cam_2'];
	it.each([
		['cam_1,cam_2', ids],
		[' cam_1 , cam_2,', ids],
		['cam_1, cam_1', ['cam_1']],
		['cam_1\ncam_2', ids],
		['https://a.test/campaigns/cam_1,cam_2', ids],
		['https://a.test/campaigns/cam_1?columns=name,email', ['cam_1']],
		['https://a.test/campaigns/cam_1?columns=name,email,,cam_2', ids],
		['HTTPS://a.test/campaigns/cam_1?columns=a,b,https://a.test/x/cam_2?columns=c,d', ids],
		['cam_1, https://a.test/campaigns/cam_2?columns=name,email,', ids],
		['', []],
	])('has, in %j, the campaigns %j', (given, expected) => {
		expect(campaignIdsSchema.parse(given)).toEqual(expected);
	});

	it.each([',', ' , ,', 'cam_1, Spring', 'https://a.test/campaigns?columns=name,email'])(
		'is rejected when an entry is not one campaign: %j',
		(given) => {
			expect(campaignIdsSchema.safeParse(given).success).toBe(false);
		},
	);
});

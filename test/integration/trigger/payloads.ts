/** Activities of the kinds that services send, with invented people. Each has a field or a form that others do not have. */
import field from '../../field/payloads.json';

/** What most activities of a lead in a campaign have. */
const {
	teamId,
	createdAt,
	leadId,
	leadEmail,
	leadFirstName,
	leadLastName,
	campaignId,
	sequenceStep,
} = field.clicked;
const LEAD = {
	teamId,
	createdAt,
	leadId,
	leadEmail,
	leadFirstName,
	leadLastName,
	campaignId,
	sequenceStep,
};

export const PAYLOADS = {
	...field,
	thirdPartyReply: {
		_id: 'act_third',
		type: 'emailsReplied',
		teamId,
		createdAt: '2026-03-02T08:15:00.000Z',
		isThirdPartyReply: true,
		leadEmail: 'colleague@example.com',
		subject: 'x", "channel": "everybody',
	},
	unsubscribedAsUnknown: { ...LEAD, _id: 'act_unsubscribed', type: 'entityUnsubscribed' },
	numericIds: {
		_id: 4712,
		type: 'emailsSent',
		leadId: 1_482_956,
		campaignId: 'cam_1',
		campaignName: 9181,
		campaign_name: 'Nordics',
		createdAt: '2026-03-28T09:35:01+00:00',
		cc: null,
	},
	blankId: { ...LEAD, _id: '   ', type: 'smsReplied' },
	withoutType: { _id: 'act_untyped', leadFirstName: 'Mira' },
	testOfService: { _id: 'act_test', type: 'emailsReplied', teamId },
	empty: {},
};

export type PayloadName = keyof typeof PAYLOADS;

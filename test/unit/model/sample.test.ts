import { z } from 'zod';

import { EVENT_TYPES } from '../../../nodes/OutreachService/model/eventTypes';
import { sampleActivity } from '../../../nodes/OutreachService/model/sample';
import { activitySchema } from '../../../nodes/OutreachService/model/activity';

const IDENTITY = { _id: 'act_1', createdAt: '2026-01-02T03:04:05.000Z' };

/** §2.4. */
const recipients = z
	.array(z.strictObject({ address: z.string().email(), name: z.string() }))
	.min(1);

/** The activity record of §2.3, without the secret. */
const DOCUMENTED = {
	common: {
		_id: z.string().startsWith('act_'),
		type: z.string(),
		teamId: z.string(),
		createdAt: z.string().datetime(),
		sendUserId: z.string(),
		sendUserEmail: z.string().email(),
		sendUserName: z.string(),
	},
	campaign: {
		campaignId: z.string().startsWith('cam_'),
		campaignName: z.string(),
		sequenceId: z.string(),
		sequenceStep: z.number().int().min(0),
	},
	lead: {
		leadId: z.string(),
		leadEmail: z.string().email(),
		leadFirstName: z.string(),
		leadLastName: z.string(),
	},
	email: { subject: z.string() },
};

/** The fields that only some events have (§2.3, §2.4, §6.6). */
const ONLY: Readonly<Record<string, z.ZodRawShape>> = {
	emailsSent: { to: recipients, cc: recipients, bcc: recipients },
	emailsReplied: { to: recipients, cc: recipients, isThirdPartyReply: z.boolean() },
	emailsBounced: { to: recipients, cc: recipients },
};

/** Events about a mailbox, a domain or the team. */
const WITHOUT_LEAD = [
	'customDomainErrors',
	'connectionIssue',
	'sendLimitReached',
	'serviceWarmPaused',
	'deliverabilityAlertTriggered',
];
/** Non-campaign events: they have no campaign fields (§2.3). */
const WITHOUT_CAMPAIGN = [...WITHOUT_LEAD, 'inboxLabelUpdated', 'signalRegistered'];

const documentedFor = (type: string) =>
	z.strictObject({
		...DOCUMENTED.common,
		...(WITHOUT_CAMPAIGN.includes(type) ? {} : DOCUMENTED.campaign),
		...(WITHOUT_LEAD.includes(type) ? {} : DOCUMENTED.lead),
		...(type.startsWith('emails') ? DOCUMENTED.email : {}),
		...ONLY[type],
	});

describe.each([...EVENT_TYPES])('The sample of %s', (type) => {
	it('has every field that the API documents for it, no others, and no secret', () => {
		const sample = sampleActivity(type, IDENTITY);
		expect(documentedFor(type).parse(sample)).toEqual({ ...sample, ...IDENTITY, type });
		expect(sample).not.toHaveProperty('secret');
		expect(activitySchema.parse(sample)).toMatchObject({ _id: 'act_1', type });
	});

	it('is about nobody, and says that it is a sample', () => {
		const text = JSON.stringify(sampleActivity(type, IDENTITY));
		expect(text).toMatch(/_sample"/);
		const hosts = [...text.matchAll(/@([\w.-]+)/g)].map(([, host]) => host);
		expect(hosts.filter((host) => host !== 'example.com')).toEqual([]);
	});
});

it('A sample for the webhook of a campaign carries its ID, whatever the event', () => {
	const identity = { ...IDENTITY, campaignId: 'cam_1' };
	for (const type of ['emailsReplied', 'connectionIssue', 'signalRegistered']) {
		expect(sampleActivity(type, identity)).toMatchObject({ type, campaignId: 'cam_1' });
	}
});

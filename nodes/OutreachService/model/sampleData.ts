/**
 * The fictitious campaign, lead and user of every sample activity (§2.3). Each name and ID says that it is a sample, and
 * `example.com` belongs to nobody.
 */
export const SAMPLE_TEAM = { teamId: 'tea_sample' };

export const SAMPLE_CAMPAIGN = {
	campaignId: 'cam_sample',
	campaignName: 'Sample campaign',
	sequenceId: 'seq_sample',
};

export const SAMPLE_LEAD = {
	leadId: 'lea_sample',
	leadEmail: 'sam.sample@example.com',
	leadFirstName: 'Sam',
	leadLastName: 'Sample',
};

export const SAMPLE_SENDER = {
	sendUserId: 'usr_sample',
	sendUserEmail: 'erin.example@example.com',
	sendUserName: 'Erin Example',
};

export const SAMPLE_SUBJECT = 'A sample subject';

/** Recipients (§2.4). */
export const SAMPLE_ADDRESSES = {
	lead: { address: 'sam.sample@example.com', name: 'Sam Sample' },
	mailbox: { address: 'erin.example@example.com', name: 'Erin Example' },
	colleague: { address: 'colleague@example.com', name: '' },
	hiddenCopy: { address: 'crm@example.com', name: '' },
};

/** The step (0-based) at which a lead usually gets so far; for every other event, the first one. */
export const LATER_STEPS: Readonly<Partial<Record<string, number>>> = {
	warmed: 1,
	emailsReplied: 1,
	networkReplied: 1,
	networkInviteAccepted: 1,
	messengerReplied: 1,
	smsReplied: 1,
	interested: 2,
	notInterested: 2,
	emailsUnsubscribed: 2,
	networkWithdrawInvitationDone: 2,
	networkWithdrawInvitationFailed: 2,
};

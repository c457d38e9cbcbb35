/** An event that a click in the inbox sends. */
export interface InboxEvent {
	label: string;
	/** Which example shows it, and where. */
	effect: string;
	activity: Record<string, string | boolean> & { type: string };
}

const ADA = {
	leadEmail: 'ada@example.com',
	leadFirstName: 'Ada',
	leadLastName: 'Lovelace',
	campaignName: 'Autumn outreach',
	sendUserName: 'Erin Example',
};
const GRACE = {
	...ADA,
	leadEmail: 'grace@example.com',
	leadFirstName: 'Grace',
	leadLastName: 'Hopper',
};
const ALAN = {
	...ADA,
	leadEmail: 'alan@example.com',
	leadFirstName: 'Alan',
	leadLastName: 'Turing',
};

/** Each starts at least one of the examples. */
export const INBOX_EVENTS: readonly InboxEvent[] = [
	{
		label: 'Ada replies',
		effect: 'Replies to Slack: a message here',
		activity: { ...ADA, type: 'emailsReplied', subject: 'Re: A quick question' },
	},
	{
		label: 'Ada’s colleague replies',
		effect: 'Replies to Slack and Third-party reply: two messages here',
		activity: {
			...ADA,
			type: 'emailsReplied',
			subject: 'Re: A quick question',
			isThirdPartyReply: true,
		},
	},
	{
		label: 'Grace is interested',
		effect: 'Positive reply: a message here, and a row in the data table Interested leads',
		activity: { ...GRACE, type: 'manualInterested' },
	},
	{
		label: 'Alan’s email bounces',
		effect: 'Bounce and unsubscribe: a call of the CRM here, and a row in Do not contact',
		activity: { ...ALAN, type: 'emailsBounced', subject: 'A quick question' },
	},
	{
		label: 'Alan opens an email',
		effect: 'Opens and clicks: after five seconds, a row in the data table of that name',
		activity: { ...ALAN, type: 'emailsOpened', subject: 'A quick question' },
	},
];

import {
	ACTIVITY_FACTORIES,
	EVENT_TYPES,
	sampleActivity,
	sampleThirdPartyReply,
} from '../../../tools/service/index';

const hundred = Array.from({ length: 100 }, (_, seed) => seed);
const lists = ['to', 'cc', 'bcc'] as const;

describe('§2.3 sample activities', () => {
	it('have a factory for each event type', () => {
		expect([...ACTIVITY_FACTORIES.keys()]).toEqual(EVENT_TYPES);
		for (const [type, create] of ACTIVITY_FACTORIES) expect(create(3).type).toBe(type);
	});

	it.each(EVENT_TYPES)(
		'of the type %s are the same for the same seed, and have identifiers',
		(type) => {
			expect(sampleActivity(type, 7)).toEqual(sampleActivity(type, 7));
			const { _id, teamId, createdAt } = sampleActivity(type, 7);
			expect(_id).toMatch(/^act_\w{17}$/);
			expect(teamId).toMatch(/^tea_\w{17}$/);
			expect(createdAt).toMatch(/^2026-03-\d\dT\d\d:\d\d:\d\d\.000Z$/);
		},
	);

	it('have a different _id for each seed and type', () => {
		const ids = EVENT_TYPES.flatMap((type) =>
			hundred.map((seed) => sampleActivity(type, seed)._id),
		);
		expect(new Set(ids).size).toBe(ids.length);
	});

	it('of an account event have no lead and no campaign, and those outside campaigns have no campaign', () => {
		for (const type of ['connectionIssue', 'sendLimitReached', 'deliverabilityAlertTriggered']) {
			expect(sampleActivity(type)).not.toHaveProperty('campaignId');
			expect(sampleActivity(type)).not.toHaveProperty('leadId');
		}
		expect(sampleActivity('signalRegistered')).not.toHaveProperty('campaignId');
		expect(sampleActivity('signalRegistered')).toHaveProperty('leadId');
		expect(sampleActivity('smsReplied').campaignId).toMatch(/^cam_/);
	});

	it('have a subject only for email events', () => {
		const withSubject = EVENT_TYPES.filter((type) => 'subject' in sampleActivity(type));
		expect(withSubject).toEqual(EVENT_TYPES.filter((type) => type.startsWith('emails')));
	});

	it('of an unknown type have the common fields', () => {
		expect(sampleActivity('telepathySent')).toMatchObject({ type: 'telepathySent' });
		expect(sampleActivity('telepathySent').leadEmail).toContain('@');
	});
});

describe('§2.4 recipients of samples', () => {
	it('to is the lead in a sent email, and the mailbox owner in a reply', () => {
		const sent = sampleActivity('emailsSent');
		expect(sent.to?.[0]?.address).toBe(sent.leadEmail);
		const reply = sampleActivity('emailsReplied');
		expect(reply.to?.[0]?.address).toBe(reply.sendUserEmail);
	});

	it('only emailsSent, emailsReplied and emailsBounced have recipients, and only emailsSent has bcc', () => {
		for (const type of EVENT_TYPES) {
			const carried = lists.filter((list) =>
				hundred.some((seed) => list in sampleActivity(type, seed)),
			);
			const expected = {
				emailsSent: lists,
				emailsReplied: ['to', 'cc'],
				emailsBounced: ['to', 'cc'],
			};
			expect([type, carried]).toEqual([
				type,
				Object.entries(expected).find(([name]) => name === type)?.[1] ?? [],
			]);
		}
	});

	it('no list is empty, addresses are in lower case, and a name can be empty', () => {
		const recipients = hundred.flatMap((seed) => {
			const activity = sampleActivity('emailsSent', seed);
			return lists.flatMap((list) => {
				if (list in activity) expect(activity[list]).not.toEqual([]);
				return activity[list] ?? [];
			});
		});
		expect(recipients.every(({ address }) => address === address.toLowerCase())).toBe(true);
		expect(recipients.some(({ name }) => name === '')).toBe(true);
	});
});

it('§6.6 a third-party reply is from an address that is not the lead’s', () => {
	const reply = sampleThirdPartyReply(5);
	expect(reply).toMatchObject({ type: 'emailsReplied', isThirdPartyReply: true });
	expect(reply.leadEmail).not.toBe(sampleActivity('emailsReplied', 5).leadEmail);
});

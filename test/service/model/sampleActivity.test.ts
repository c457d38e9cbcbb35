import { EVENT_TYPES, sampleActivity, sampleThirdPartyReply } from '../../../tools/service';

const hundred = Array.from({ length: 100 }, (_, seed) => seed);
const lists = ['to', 'cc', 'bcc'] as const;

describe('§2.3 sample activities', () => {
	it('are the same for the same type and seed, have identifiers, and no _id twice', () => {
		const ids = EVENT_TYPES.flatMap((type) =>
			hundred.map((seed) => sampleActivity(type, seed)._id),
		);
		expect(new Set(ids).size).toBe(ids.length);
		for (const type of EVENT_TYPES) {
			const activity = sampleActivity(type, 7);
			expect(activity).toEqual(sampleActivity(type, 7));
			expect(activity.type).toBe(type);
			expect(activity._id).toMatch(/^act_\w{17}$/);
			expect(activity.teamId).toMatch(/^tea_\w{17}$/);
			expect(activity.createdAt).toMatch(/^2026-03-\d\dT\d\d:\d\d:\d\d\.000Z$/);
		}
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
});

describe('§2.4 recipients of samples', () => {
	it('only emailsSent, emailsReplied and emailsBounced have recipients, and only emailsSent has bcc', () => {
		const carried = EVENT_TYPES.map((type) => {
			const samples = hundred.map((seed) => sampleActivity(type, seed));
			return [type, lists.filter((list) => samples.some((sample) => list in sample))] as const;
		});
		expect(carried.filter(([, some]) => some.length > 0)).toEqual([
			['emailsSent', lists],
			['emailsReplied', ['to', 'cc']],
			['emailsBounced', ['to', 'cc']],
		]);
	});
});

it('§6.6 a third-party reply is from an address that is not the lead’s', () => {
	const reply = sampleThirdPartyReply(5);
	expect(reply).toMatchObject({ type: 'emailsReplied', isThirdPartyReply: true });
	expect(reply.leadEmail).not.toBe(sampleActivity('emailsReplied', 5).leadEmail);
});

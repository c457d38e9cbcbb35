/** The sample of each event has the documented fields, and is about nobody. */
import { EVENT_TYPES } from '../../../nodes/OutreachService/domain/eventTypes';
import { sampleActivity } from '../../../nodes/OutreachService/domain/sample';
import { activitySchema } from '../../../nodes/OutreachService/domain/activity';
import { sampleActivity as documentedActivity } from '../../../tools/service';

const IDENTITY = { _id: 'act_1', createdAt: '2026-01-02T03:04:05.000Z' };

/** Fields that the samples of the local service lack, which is written from the API alone (§2.4, §6.6). */
const ALSO: Readonly<Record<string, object>> = {
	emailsBounced: { cc: ['address', 'name'] },
	emailsReplied: { isThirdPartyReply: 'boolean' },
};

/** The names of an activity's fields, with the types of their values. */
const shapeOf = (activity: object): object =>
	Object.fromEntries(
		Object.entries(activity).map(([name, value]: [string, unknown]) => [
			name,
			Array.isArray(value) ? Object.keys(value[0] as object).sort() : typeof value,
		]),
	);

describe.each([...EVENT_TYPES])('The sample of %s', (type) => {
	it('has every field that the API documents for it, no others, and no secret', () => {
		const sample = sampleActivity(type, IDENTITY);
		expect(shapeOf(sample)).toEqual({ ...shapeOf(documentedActivity(type)), ...ALSO[type] });
		expect(activitySchema.parse(sample)).toMatchObject({ ...sample, ...IDENTITY, type });
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
	// An event that the service has added may have one.
	expect(sampleActivity('brandNew', IDENTITY)).toHaveProperty('campaignId');
});

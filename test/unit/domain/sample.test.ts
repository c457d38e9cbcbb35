/** The sample of each event has the documented fields, and is about nobody. */
import { EVENT_TYPES } from '../../../nodes/OutreachService/domain/eventTypes';
import { sampleActivity } from '../../../nodes/OutreachService/domain/sample';
import { activitySchema } from '../../../nodes/OutreachService/domain/activity';
import { documentedFor } from '../../documentedActivity';

const IDENTITY = { _id: 'act_1', createdAt: '2026-01-02T03:04:05.000Z' };

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
	// An event that the service has added may have one.
	expect(sampleActivity('brandNew', IDENTITY)).toHaveProperty('campaignId');
});

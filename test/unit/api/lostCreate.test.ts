import { findLost } from '../../../nodes/OutreachService/api/lostCreate';
import { RecentCreates } from '../../../nodes/OutreachService/api/recentCreates';
import { webhookSchema } from '../../../nodes/OutreachService/model/schemas';

const NOW = Date.UTC(2026, 10, 21, 8);
const SETTINGS = { targetUrl: 'https://crm.test/in', type: 'emailsReplied' };

/** Whether a webhook that was created some time ago may be that of a create which was sent 5 seconds ago. */
function find(agoMs: number, headers: Record<string, string>): 'made' | 'doubtful' | 'no' {
	const createdAt = new Date(NOW - agoMs).toISOString();
	const webhook = webhookSchema.parse({ _id: 'hoo_1', ...SETTINGS, createdAt });
	const list = { webhooks: [webhook], headers, elapsedMs: 5_000 };
	const { made, doubtful } = findLost(list, SETTINGS, { recentCreates: new RecentCreates() });
	return made.length > 0 ? 'made' : doubtful.length > 0 ? 'doubtful' : 'no';
}

const SHOWN = { date: new Date(NOW).toUTCString() };

beforeEach(() => {
	jest.useFakeTimers({ now: NOW });
});
afterEach(() => {
	jest.useRealTimers();
});

it('A webhook belongs to a create if it is no older, within a clock tolerance of two seconds', () => {
	expect([0, 5_000, 7_000].map((ago) => find(ago, SHOWN))).toEqual(['made', 'made', 'made']);
	expect([7_001, 60_000].map((ago) => find(ago, SHOWN))).toEqual(['no', 'no']);
});

it('A webhook from the future has no known age', () => {
	expect(find(-2_000, SHOWN)).toBe('made');
	expect(find(-2_001, SHOWN)).toBe('doubtful');
});

it('An old webhook has no known age where the service does not show its clock', () => {
	expect([find(7_000, {}), find(7_001, {})]).toEqual(['made', 'doubtful']);
});

it('A webhook belongs to a create with a tool link if the service does not show the link, or shows the same', () => {
	const settings = { ...SETTINGS, toolLinkId: 7 };
	const found = [undefined, 7, 8].map((toolLinkId) => {
		const createdAt = new Date(NOW).toISOString();
		const webhook = webhookSchema.parse({ _id: 'hoo_1', ...SETTINGS, createdAt, toolLinkId });
		const list = { webhooks: [webhook], headers: SHOWN, elapsedMs: 5_000 };
		return findLost(list, settings, { recentCreates: new RecentCreates() }).made.length;
	});
	expect(found).toEqual([1, 1, 0]);
});

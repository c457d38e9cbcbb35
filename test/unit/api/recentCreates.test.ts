import { RecentCreates } from '../../../nodes/OutreachService/api/recentCreates';

it('Only the newest 6,000 created webhooks count as recent', () => {
	const creates = new RecentCreates();
	for (let i = 0; i < 10_000; i++) creates.add(`hoo_many_${i}`);
	const recent = Array.from({ length: 10_000 }, (_, i) => creates.has(`hoo_many_${i}`));
	expect(recent.filter(Boolean)).toHaveLength(6_000);
	expect(recent.at(-1)).toBe(true);
});

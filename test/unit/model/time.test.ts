import fc from 'fast-check';

import { timeOf } from '../../../nodes/OutreachService/model/time';

const date = fc.date({
	min: new Date('2001-01-01T00:00:00Z'),
	max: new Date('2099-01-01T00:00:00Z'),
	noInvalidDate: true,
});

it('A time is read as UTC, whether it says so or not, in whatever time zone n8n runs', () => {
	fc.assert(
		fc.property(date, (moment) => {
			const iso = moment.toISOString();
			for (const text of [iso, iso.slice(0, -1), iso.slice(0, -1).replace('T', ' ')]) {
				expect(timeOf(text)).toBe(moment.getTime());
			}
			const seconds = Math.floor(moment.getTime() / 1000) * 1000;
			expect(timeOf(moment.toUTCString())).toBe(seconds);
			expect(timeOf(moment.toUTCString().replace(' GMT', ''))).toBe(seconds);
		}),
	);
});

it('A time with an offset is converted to UTC, and a day begins in UTC', () => {
	expect(timeOf('2026-11-21T10:00:00+02:00')).toBe(Date.parse('2026-11-21T08:00:00Z'));
	expect(timeOf('2026-11-21')).toBe(Date.parse('2026-11-21T00:00:00Z'));
});

it.each([undefined, '', 'soon', '1732176000000', '2026-13-45T99:00:00', '9'.repeat(1_000_000)])(
	'A text that is not a date is not read as one (%#)',
	(text) => {
		expect(timeOf(text)).toBeUndefined();
	},
);

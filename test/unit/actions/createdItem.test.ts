/** The item of a created webhook has the documented fields (D98), and nothing of the secret that was not asked for. */
import fc from 'fast-check';

import {
	createdItem,
	webhookItem,
} from '../../../nodes/OutreachService/actions/webhook/webhookItem';
import { webhookSettingsSchema } from '../../../nodes/OutreachService/domain/webhook';
import { tries } from '../../propertyRuns';

const SECRET = 'wJalr/XUtn"FEMI&K7';
const SENT = { targetUrl: 'https://crm.test/in', event: 'emailsReplied', campaignId: 'cam_1' };
const RETURNED = { _id: 'hoo_1', targetUrl: SENT.targetUrl, type: SENT.event };
/** The fields of §2.1 that the nodes read. The API does not have `disabled` (D16). */
const DOCUMENTED = [
	'_id',
	...Object.keys(webhookSettingsSchema.shape).filter((field) => field !== 'disabled'),
];

it.each([SECRET, 'o', SENT.targetUrl, '2026'])(
	'A webhook that is complete is shown as it is, also if the secret is part of it: %s',
	(secret) => {
		for (const createdAt of ['2026-03-02T08:15:00.000Z', '2026-03-02T08:15:00+01:00']) {
			const all = { ...RETURNED, campaignId: 'cam_1', createdAt, toolLinkId: 7, isFirst: true };
			expect(Object.keys(all).sort()).toEqual(DOCUMENTED.sort());
			const echo = { a: secret };
			expect(createdItem({}, { ...all, echo }, { ...SENT, isFirst: true, secret })).toEqual(all);
		}
	},
);

it('What the service has returned otherwise than it was sent is not shown, and the note names it', () => {
	const created = (returned: object) =>
		createdItem({}, { ...RETURNED, ...returned }, { ...SENT, secret: SECRET });
	for (const same of [{ targetUrl: 'https://CRM.test:443/in' }, { isFirst: false }]) {
		expect(created(same)).toEqual({ ...RETURNED, ...same });
	}
	const { type, ...withoutType } = RETURNED;
	expect(createdItem({}, withoutType, { ...SENT, event: type })).toEqual(withoutType);
	expect(created({ type: null }).note).toMatch(/with another event than/);
	const other = {
		targetUrl: 'https://other.test/in',
		type: 'emailsSent',
		campaignId: 'cam_2',
		isFirst: true,
	};
	expect(created(other)).toEqual({
		_id: 'hoo_1',
		isFirst: true,
		note: "The service returned a webhook with another target URL and another event and another campaign and another 'isFirst' than the node has sent: check it with the operation 'Get'.",
	});
});

it('Whatever a server makes of the secret that it was sent, the item shows only documented fields without it', () => {
	/** The ways in which a server may write the secret. */
	const written = fc.constantFrom(
		SECRET,
		`Bearer ${SECRET}`,
		JSON.stringify({ secret: SECRET }),
		`https://crm.test/in?secret=${encodeURIComponent(SECRET)}`,
		SECRET.replace(/&/g, '&amp;').replace(/"/g, '&quot;'),
		SECRET.toUpperCase(),
	);
	const fields = fc.dictionary(
		fc.oneof(fc.constantFrom(...DOCUMENTED.slice(1)), written),
		fc.oneof(written, fc.array(written), fc.jsonValue({ maxDepth: 1 })),
	);
	const letters = (text: string): string => text.replace(/[^a-z\d]/gi, '').toLowerCase();
	fc.assert(
		fc.property(fields, (echoed) => {
			const webhook = { targetUrl: SENT.targetUrl, ...echoed, _id: 'hoo_1' };
			if (typeof webhook.targetUrl !== 'string') return;
			const item = createdItem(
				{},
				{ ...webhook, targetUrl: webhook.targetUrl },
				{ ...SENT, secret: SECRET },
			);
			expect([...DOCUMENTED, 'note']).toEqual(expect.arrayContaining(Object.keys(item)));
			expect(letters(JSON.stringify(item))).not.toContain(letters(SECRET));
		}),
		{ numRuns: tries(100) },
	);
});

it('What an operation has done is in its item, also if the service has a field of the same name', () => {
	const listed = { ...RETURNED, deleted: 'by nobody' };
	expect(webhookItem({ deleted: true }, listed)).toEqual({ ...RETURNED, deleted: true });
});

/** The item of a created webhook has the documented fields, and nothing of the secret that was not asked for. */
import fc from 'fast-check';

import { createdItem } from '../../../../nodes/OutreachService/actions/webhook/webhookItem';
import {
	webhookSettingsSchema,
	type Webhook,
} from '../../../../nodes/OutreachService/domain/webhook';

const SECRET = 'wJalr/XUtn"FEMI';
const SENT = { targetUrl: 'https://crm.test/in', event: 'emailsReplied', campaignId: 'cam_1' };
/** The fields of §2.1 that the nodes read. The API does not have `disabled` (D16). */
const DOCUMENTED = Object.keys(webhookSettingsSchema.shape).filter((field) => field !== 'disabled');

/** Texts with the secret in them, in any spelling, and other values. */
const value = fc.oneof(
	fc.tuple(fc.string(), fc.string()).map(([before, after]) => before + SECRET + after),
	fc.constantFrom<unknown>(encodeURIComponent(SECRET), Buffer.from(SECRET).toString('base64')),
	fc.jsonValue(),
);
const name = fc.oneof(fc.string(), fc.constantFrom(...DOCUMENTED, 'secret', SECRET));

it('Whatever a response repeats of the secret that was sent, the item has the documented fields, and no text but what was sent', () => {
	fc.assert(
		fc.property(fc.dictionary(name, value), (fields) => {
			const webhook = { ...fields, _id: 'hoo_1', targetUrl: SENT.targetUrl } as Webhook;
			const { _id, ...item } = createdItem({}, webhook, { ...SENT, secret: SECRET });
			expect(_id).toBe('hoo_1');
			expect(DOCUMENTED).toEqual(expect.arrayContaining(Object.keys(item)));
			const texts = Object.values(item).filter((one) => typeof one === 'string');
			expect(Object.values(SENT)).toEqual(expect.arrayContaining(texts));
		}),
	);
});

it('The item of a webhook that is complete has each documented field', () => {
	const webhook = {
		_id: 'hoo_1',
		targetUrl: SENT.targetUrl,
		type: SENT.event,
		campaignId: SENT.campaignId,
		createdAt: '2026-03-02T08:15:00.000Z',
		toolLinkId: 7,
		isFirst: true,
	};
	const item = createdItem({}, webhook, { ...SENT, secret: SECRET });
	expect(Object.keys(item).sort()).toEqual(['_id', ...DOCUMENTED].sort());
});

it.each(['2026-03-02T08:15:00.000Z', '2026-03-02T08:15:00Z', '2026-03-02T08:15:00+01:00'])(
	'A date is in the item, whatever the secret: %s',
	(createdAt) => {
		for (const secret of ['2026', '0', createdAt]) {
			const webhook = { _id: 'hoo_1', targetUrl: SENT.targetUrl, createdAt };
			expect(createdItem({}, webhook, { ...SENT, secret })).toEqual(webhook);
		}
	},
);

it('The target URL is in the spelling of the service, if it is the same URL', () => {
	const shown = (targetUrl: string) =>
		createdItem({}, { _id: 'hoo_1', targetUrl }, { ...SENT, secret: SECRET }).targetUrl;
	expect(shown('https://CRM.test:443/in')).toBe('https://CRM.test:443/in');
	expect(shown('https://other.test/in')).toBe(SENT.targetUrl);
});

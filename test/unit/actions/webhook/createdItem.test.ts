/** The item of a created webhook has the documented fields, and nothing of the secret that was not asked for. */
import { createdItem } from '../../../../nodes/OutreachService/actions/webhook/webhookItem';
import { webhookSettingsSchema } from '../../../../nodes/OutreachService/domain/webhook';

const SECRET = 'wJalr/XUtn"FEMI';
const SENT = { targetUrl: 'https://crm.test/in', event: 'emailsReplied', campaignId: 'cam_1' };
/** The fields of §2.1 that the nodes read. The API does not have `disabled` (D16). */
const DOCUMENTED = Object.keys(webhookSettingsSchema.shape).filter((field) => field !== 'disabled');

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
	const item = createdItem({}, webhook, { ...SENT, isFirst: true, secret: SECRET });
	expect(Object.keys(item).sort()).toEqual(['_id', ...DOCUMENTED].sort());
});

it.each(['2026-03-02T08:15:00.000Z', '2026-03-02T08:15:00Z', '2026-03-02T08:15:00+01:00'])(
	'A date is in the item, whatever the secret: %s',
	(createdAt) => {
		for (const secret of ['2026', '0', createdAt]) {
			const webhook = { _id: 'hoo_1', targetUrl: SENT.targetUrl, type: SENT.event, createdAt };
			expect(createdItem({}, webhook, { ...SENT, secret })).toEqual(webhook);
		}
	},
);

it('What the service has returned is shown, and said to differ from what was sent', () => {
	const created = (returned: object, sent = {}) =>
		createdItem(
			{},
			{ _id: 'hoo_1', targetUrl: SENT.targetUrl, type: SENT.event, ...returned },
			{ ...SENT, secret: SECRET, ...sent },
		);
	expect(created({ targetUrl: 'https://CRM.test:443/in' })).toEqual({
		_id: 'hoo_1',
		targetUrl: 'https://CRM.test:443/in',
		type: SENT.event,
	});
	expect(
		created({
			targetUrl: 'https://other.test/in',
			type: 'emailsSent',
			campaignId: 'cam_2',
			isFirst: true,
		}),
	).toEqual({
		_id: 'hoo_1',
		targetUrl: 'https://other.test/in',
		type: 'emailsSent',
		campaignId: 'cam_2',
		isFirst: true,
		note: "The service returned a webhook with another target URL and another event and another campaign and another 'isFirst' than the node has sent: check it with the operation 'Get'.",
	});
});

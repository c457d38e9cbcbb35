import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { webhookItem } from '../../../../nodes/OutreachService/actions/webhook/webhookItem';

const SECRET = 'wJalr/XUtn"FEMI';

/** Any JSON with the secret in it, alone or in a longer text, as a value or as a name. */
const echo = fc.letrec<{ node: unknown }>((tie) => {
	const text = fc.tuple(fc.string(), fc.string()).map(([a, b]) => `${a}${SECRET}${b}`);
	return {
		node: fc.oneof(
			{ maxDepth: 4 },
			fc.oneof(fc.constant(SECRET), text, fc.jsonValue({ maxDepth: 1 })),
			fc.array(tie('node'), { maxLength: 3 }),
			fc.dictionary(fc.oneof(fc.string(), text), tie('node'), { maxKeys: 3 }),
		),
	};
});

it('Whatever a response repeats of the secret that was sent, the item does not', () => {
	const fields = fc.dictionary(fc.oneof(fc.string(), fc.constant(SECRET)), echo.node);
	const inside = JSON.stringify(SECRET).slice(1, -1);
	fc.assert(
		fc.property(fields, (given) => {
			const sent = { targetUrl: 'https://crm.test/in', secret: SECRET };
			const webhook = { ...given, _id: 'hoo_1', targetUrl: sent.targetUrl } as IDataObject;
			const item = webhookItem({ deleted: false }, webhook, sent);
			expect(JSON.stringify(item)).not.toContain(inside);
			expect(item).toMatchObject({ deleted: false, _id: 'hoo_1', targetUrl: sent.targetUrl });
		}),
	);
});

it.each(['o', 'https://o.test/'])(
	'A secret that is part of other values takes nothing out of the item but itself: %s',
	(secret) => {
		const sent = { targetUrl: 'https://o.test/', type: 'hooked', campaignId: 'cam_o' };
		const withoutEcho = { _id: 'hoo_1', ...sent, isFirst: true, toolLinkId: 7 };
		const webhook = { ...withoutEcho, echo: { a: secret } };
		expect(webhookItem({}, webhook, { ...sent, secret })).toEqual(withoutEcho);
	},
);

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { webhookItem } from '../../../../nodes/OutreachService/actions/webhook/webhookItem';

const SECRET = 'wJalr/XUtn"FEMI';

const spelled = (spell: (code: number) => string) =>
	Array.from(SECRET, (letter) => spell(letter.charCodeAt(0))).join('');

/** The secret as a server may write it. */
const spelling = fc.constantFrom(
	SECRET,
	encodeURIComponent(SECRET),
	encodeURIComponent(encodeURIComponent(SECRET)),
	JSON.stringify(SECRET),
	spelled((code) => `%${code.toString(16)}`),
	spelled((code) => `&#${code};`),
	spelled((code) => `&#x${code.toString(16)};`),
	spelled((code) => `\\u${code.toString(16).padStart(4, '0')}`),
);

/** Any JSON with the secret in it, alone or in a longer text, as a value or as a name. */
const echo = fc.letrec<{ node: unknown }>((tie) => {
	const text = fc.tuple(fc.string(), spelling, fc.string()).map((parts) => parts.join(''));
	return {
		node: fc.oneof(
			{ maxDepth: 4 },
			fc.oneof(spelling, text, fc.jsonValue({ maxDepth: 1 })),
			fc.array(tie('node'), { maxLength: 3 }),
			fc.dictionary(fc.oneof(fc.string(), text), tie('node'), { maxKeys: 3 }),
		),
	};
});

it('Whatever a response repeats of the secret that was sent, the item does not', () => {
	const fields = fc.dictionary(fc.oneof(fc.string(), spelling), echo.node);
	const all = [SECRET, '%77%4a', '&#119;&#74;', '&#x77;&#x4a;', '\\u0077\\u004a'];
	fc.assert(
		fc.property(fields, (given) => {
			const sent = { targetUrl: 'https://crm.test/in', secret: SECRET };
			const webhook = { ...given, _id: 'hoo_1', targetUrl: sent.targetUrl } as IDataObject;
			const item = webhookItem({ deleted: false }, webhook, sent);
			const written = JSON.stringify(item);
			for (const one of all) expect(written).not.toContain(JSON.stringify(one).slice(1, -1));
			expect(written).not.toContain('wJalr');
			expect(item).toMatchObject({ deleted: false, _id: 'hoo_1', targetUrl: sent.targetUrl });
		}),
	);
});

it('What repeats nothing of the secret is in the item, whatever its letters', () => {
	const text = fc.stringMatching(/^[b-k \n\t"'/&;äß漢]*$/);
	const fields = fc.dictionary(fc.stringMatching(/^[b-k]{1,9}$/), fc.oneof(text, fc.boolean()));
	fc.assert(
		fc.property(fields, (given) => {
			expect(webhookItem({}, given, { secret: SECRET })).toEqual(given);
		}),
	);
});

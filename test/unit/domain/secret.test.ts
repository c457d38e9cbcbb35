/** The secrets of a trigger's webhooks: what they depend on, and what gives none of them away. */
import fc from 'fast-check';

import { isSecret, secretOf, webhookKeyOf } from '../../../nodes/OutreachService/domain/secret';
import { targetUrlOf } from '../../../nodes/OutreachService/domain/triggerUrl';

const BASE = 'https://n8n.example.com/webhook/1/webhook';

const key = webhookKeyOf('an API key');

const query = fc.record({
	event: fc.constantFrom('*', 'emailsReplied', 'smsReplied', 'a&first=true', 'a?b'),
	campaignId: fc.constantFrom(undefined, 'cam_1', 'cam_2'),
	isFirst: fc.constantFrom(undefined, true),
});

describe('The secret of a webhook', () => {
	it('differs for each API key and for whatever two webhooks differ in', () => {
		fc.assert(
			fc.property(query, query, (one, other) => {
				const isSame = targetUrlOf(BASE, one) === targetUrlOf(BASE, other);
				expect(secretOf(key, BASE, one) === secretOf(key, BASE, other)).toBe(isSame);
				expect(secretOf(webhookKeyOf('another'), BASE, one)).not.toBe(secretOf(key, BASE, one));
			}),
		);
	});

	it.each([
		['host and port', 'http://127.0.0.1:5678/webhook/1/webhook'],
		['the path in front of it', 'https://n8n.example.com/n8n/hooks/1/webhook'],
		[
			'the kind of URL: n8n 1 does not tell that of a test run',
			BASE.replace('/webhook/', '/webhook-test/'),
		],
		['its spelling', 'https://N8N.example.com:443/webhook/%31/webhook'],
		['its query', `${BASE}?event=emailsReplied&keyId=123456789abc`],
	])('is the same whatever %s', (_, url) => {
		const event = 'emailsReplied';
		expect(secretOf(key, url, { event, keyId: 'any' })).toBe(secretOf(key, BASE, { event }));
	});

	it('belongs to one node', () => {
		const other = secretOf(key, BASE.replace('/1/', '/2/'), { event: 'emailsReplied' });
		expect(other).not.toBe(secretOf(key, BASE, { event: 'emailsReplied' }));
	});

	it('follows neither from the fingerprint of its key nor tells it', () => {
		fc.assert(
			fc.property(fc.string({ minLength: 1 }), query, (apiKey, one) => {
				const { id, secretKey } = webhookKeyOf(apiKey);
				expect(id).toMatch(/^[\da-f]{12}$/);
				expect(secretKey).not.toContain(id);
				expect(secretOf({ id, secretKey }, BASE, one)).not.toContain(id);
				// The public part is not enough to derive it.
				expect(secretOf({ id, secretKey: id }, BASE, one)).not.toBe(
					secretOf({ id, secretKey }, BASE, one),
				);
			}),
		);
	});
});

it('Only the secret itself is the secret', () => {
	const secret = secretOf(key, BASE, { event: 'emailsReplied' });
	expect(isSecret(secret, secret)).toBe(true);
	const near = fc.constantFrom<unknown>(`${secret} `, secret.slice(1), secret.toUpperCase(), [
		secret,
	]);
	fc.assert(
		fc.property(fc.oneof(near, fc.anything()), (guess) => {
			expect(isSecret(guess, secret)).toBe(false);
		}),
	);
});

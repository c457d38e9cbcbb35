/** Secrets follow from the API key and the target URL, and are compared in constant time. */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

import fc from 'fast-check';

import {
	deriveSecret,
	digestOf,
	digestSchema,
	isOneOf,
} from '../../../nodes/OutreachService/domain/secret';

describe('A secret', () => {
	it('is the same for the same API key and target URL, and different for any other', () => {
		const key = fc.string({ minLength: 1 }).map((text) => `k${text}`);
		fc.assert(
			fc.property(key, fc.string(), key, fc.string(), (key1, url1, key2, url2) => {
				const same = key1 === key2 && url1 === url2;
				expect(deriveSecret(key1, url1) === deriveSecret(key2, url2)).toBe(same);
				expect(deriveSecret(key1, url1)).toBe(deriveSecret(key1, url1));
				expect(deriveSecret(key1, url1)).toMatch(/^[0-9a-f]{64}$/);
			}),
		);
	});

	it('is an HMAC-SHA-256 with the API key over the target URL', () => {
		const [key, url] = ['key-1', 'https://n8n.test/webhook/1/webhook?event=emailsReplied'];
		// printf %s "$url" | openssl dgst -sha256 -hmac "$key"
		expect(deriveSecret(key, url)).toBe(
			'5ddfc6384b4e1668a1eb4569f6bcb548d2f3a1bff6c077773d74a21492f1cc3d',
		);
		// printf %s secret | openssl dgst -sha256
		expect(digestOf('secret')).toBe(
			'2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b',
		);
	});

	it('is compared in constant time with every accepted one, whichever matches', () => {
		const compare = jest.spyOn(crypto, 'timingSafeEqual');
		syncBuiltinESMExports();
		const accepted = ['a', 'b', 'c'].map(digestOf);
		try {
			for (const secret of ['a', 'c', 'none of them']) {
				compare.mockClear();
				isOneOf(digestOf(secret), accepted);
				expect(compare).toHaveBeenCalledTimes(accepted.length);
			}
		} finally {
			compare.mockRestore();
			syncBuiltinESMExports();
		}
	});

	it('can be compared with any text that the static data contains', () => {
		const anyDigest = fc.string().map((text) => digestSchema.parse(text));
		fc.assert(
			fc.property(anyDigest, fc.array(anyDigest), (digest, accepted) => {
				expect(isOneOf(digest, accepted)).toBe(accepted.includes(digest));
			}),
		);
	});
});

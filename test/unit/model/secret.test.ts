import fc from 'fast-check';

import { deriveSecret, digestOf, isOneOf } from '../../../nodes/OutreachService/model/secret';

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

	it('is recognized among the accepted ones at any position, and any other is rejected', () => {
		fc.assert(
			fc.property(fc.array(fc.string()), fc.string(), (secrets, other) => {
				const accepted = secrets.map(digestOf);
				for (const secret of secrets) expect(isOneOf(digestOf(secret), accepted)).toBe(true);
				expect(isOneOf(digestOf(other), accepted)).toBe(secrets.includes(other));
			}),
		);
	});

	it('can be compared with any text that the static data contains', () => {
		fc.assert(
			fc.property(fc.string(), fc.array(fc.string()), (digest, accepted) => {
				expect(isOneOf(digest, accepted)).toBe(accepted.includes(digest));
			}),
		);
	});
});

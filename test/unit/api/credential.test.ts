/** Which base URLs a credential may have, and what becomes of them. */
import fc from 'fast-check';

import { credentialSchema, parseCredential } from '../../../nodes/OutreachService/api/credential';
import { RateLimiters } from '../../../nodes/OutreachService/api/rateLimiter';
import { anyQuery, anyUrl } from '../../anyText';

describe('The base URL of a credential', () => {
	const apiKey = 'key';
	const slashes = fc.stringMatching(/^\/{0,3}$/);
	const space = fc.stringMatching(/^\s{0,3}$/);

	it('is normalized without a slash at its end, so that a path can be appended', () => {
		fc.assert(
			fc.property(space, anyUrl, slashes, (padding, url, end) => {
				const { baseUrl } = credentialSchema.parse({
					baseUrl: padding + url + end + padding,
					apiKey,
				});
				const { origin, pathname: given } = new URL(url);
				const path = given.replace(/\/+$/, '');
				expect(baseUrl).toBe(`${origin}${path}`);
				expect(credentialSchema.parse({ baseUrl, apiKey }).baseUrl).toBe(baseUrl);
				const { host, pathname } = new URL(`${baseUrl}/hooks`);
				expect([host, pathname.endsWith('/hooks')]).toEqual([new URL(url).host, true]);
			}),
		);
	});

	it('never contains a login, a query, a fragment or another protocol', () => {
		fc.assert(
			fc.property(anyUrl, fc.option(anyQuery), fc.string(), (plainUrl, query, text) => {
				const url = query === null ? plainUrl : `${plainUrl}?${query}`;
				for (const given of [url, text, `${url}${text}`, url.replace('://', `://${text}@`)]) {
					const { success, data } = credentialSchema.safeParse({ baseUrl: given, apiKey });
					if (!success) continue;
					const { username, password, search, hash, protocol } = new URL(data.baseUrl);
					expect([username, password, search, hash]).toEqual(['', '', '', '']);
					expect(protocol).toMatch(/^https?:$/);
				}
			}),
		);
	});

	const OTHER_SCHEME = 'It does not begin with http:// or https://';
	const SWALLOWS_PATH = 'It contains a space, ? or #';

	it.each([
		['', 'It is empty'],
		['xhttp://api.test', OTHER_SCHEME],
		['ftp://api.test/http://api.test', OTHER_SCHEME],
		['api.test', OTHER_SCHEME],
		['http:api.test', OTHER_SCHEME],
		['https://me:word@api.test', 'It contains a username or a password'],
		['https://api.test?a=1', SWALLOWS_PATH],
		['https://api.test/#a', SWALLOWS_PATH],
		['https://a b.test', SWALLOWS_PATH],
		['https://api.test:99999', 'Its host or port is not valid'],
	])('cannot be %j, and the reason is: %s', (baseUrl, reason) => {
		const { error } = credentialSchema.safeParse({ baseUrl, apiKey });
		expect(error?.issues[0]?.message).toBe(reason);
	});
});

it('Credentials with one key share a rate limiter, however their base URL is written, and no others do', () => {
	const limiters = new RateLimiters();
	const limiterOf = (baseUrl: string, apiKey = 'key') =>
		limiters.of(parseCredential({ baseUrl, apiKey }));
	const limiter = limiterOf('https://api.test/api');
	for (const same of [
		'HTTPS://API.test:443/api',
		' https://api.test/api// ',
		'https://api.test/v2',
	]) {
		expect(limiterOf(same)).toBe(limiter);
	}
	expect(limiterOf('https://api.test/api', 'another')).not.toBe(limiter);
	expect(limiterOf('https://other.test/api')).not.toBe(limiter);
});

it.each([
	['API Key', { baseUrl: 'https://api.test', apiKey: ' ' }],
	['Base URL', { baseUrl: 'api.test', apiKey: 'key' }],
])('The error for a credential names the field that cannot be used: %s', (field, credential) => {
	expect(() => parseCredential(credential)).toThrow(`The '${field}' of the credential`);
});

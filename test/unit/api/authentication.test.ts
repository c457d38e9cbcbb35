/** How the API key gets into a request (§5.3). */
import fc from 'fast-check';

import { OutreachServiceApi } from '../../../credentials/OutreachServiceApi.credentials';

/** n8n's HTTP Request node calls this too, with the credential as the user typed it. */
const authenticate = new OutreachServiceApi().authenticate;
const baseUrl = 'https://api.test/api';
const request = { url: `${baseUrl}/hooks`, headers: { Accept: 'text/plain' } };

it('A request is sent with an empty username and the API key as password, and keeps its other headers', async () => {
	const whitespace = fc.stringMatching(/^\s{0,3}$/);
	await fc.assert(
		fc.asyncProperty(fc.string({ unit: 'grapheme' }), whitespace, async (text, space) => {
			const apiKey = text.trim();
			const credential = { baseUrl, apiKey: space + apiKey + space };
			const authenticated = await authenticate(credential, request);
			const { Authorization, ...headers } = authenticated.headers ?? {};
			const stays = { sendCredentialsOnCrossOriginRedirect: false };
			expect({ ...authenticated, headers }).toEqual({ ...request, ...stays });
			expect(Authorization).toBe(`Basic ${Buffer.from(`:${apiKey}`).toString('base64')}`);
		}),
	);
});

it('An API key that is no text counts as empty', async () => {
	const { headers } = await authenticate({ baseUrl, apiKey: 42 }, request);
	expect(headers?.Authorization).toBe('Basic Og==');
});

const signed = async (base: string, asked: object) =>
	await authenticate({ baseUrl: base, apiKey: 'k' }, { url: '', ...asked }).then(
		({ headers }) => headers?.Authorization !== undefined,
		() => false,
	);

it.each([
	['https://api.test/api', 'https://api.test/api/hooks'],
	['https://api.test/api', 'https://api.test/api'],
	['https://api.test/api/', 'https://api.test/api?x=1'],
	[' HTTPS://API.test:443/api//', 'https://api.test/api/hooks'],
	['https://api.test', 'https://api.test/any'],
])('With the Base URL %s, a request to %s is signed', async (base, url) => {
	expect(await signed(base, { url })).toBe(true);
	expect(await signed(base, { url: undefined, uri: url })).toBe(true);
	expect(await signed(base, { url: '/x', baseURL: url })).toBe(new URL(base).pathname === '/');
});

it.each([
	'https://other.test/api/hooks',
	'http://api.test/api/hooks',
	'https://api.test:444/api/hooks',
	'https://api.test.other.test/api/hooks',
	'https://api.test@other.test/api/hooks',
	'https://user:password@api.test/api/hooks',
	'https://api.test/apix',
	'https://api.test/api/../admin',
	'https://api.test/api/%2e%2e/admin',
	'https://api.test\\@other.test/api',
	'/api/hooks',
	'',
])('The key goes to no other URL: %s', async (url) => {
	expect(await signed(baseUrl, { url })).toBe(false);
	expect(await signed(baseUrl, { url: undefined, uri: url })).toBe(false);
	await expect(authenticate({ baseUrl, apiKey: 'k' }, { url })).rejects.toThrow(
		"sent only to URLs that begin with the credential's Base URL",
	);
});

it('The key goes through no proxy that a node names', async () => {
	const asked = { ...request, proxy: { host: '127.0.0.1', port: 8080 } };
	await expect(authenticate({ baseUrl, apiKey: 'k' }, asked)).rejects.toThrow(
		'a request cannot have a proxy of its own',
	);
	expect(await signed(baseUrl, { ...request, proxy: 'http://127.0.0.1:8080' })).toBe(false);
});

it.each([true, false, undefined])(
	'The key is not sent along with a redirect to another host, if a node asks for %s',
	async (sendCredentialsOnCrossOriginRedirect) => {
		const asked = { ...request, sendCredentialsOnCrossOriginRedirect };
		const signedRequest = await authenticate({ baseUrl, apiKey: 'k' }, asked);
		expect(signedRequest.sendCredentialsOnCrossOriginRedirect).toBe(false);
	},
);

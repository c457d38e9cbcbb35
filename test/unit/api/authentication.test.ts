import fc from 'fast-check';

import { OutreachServiceApi } from '../../../credentials/OutreachServiceApi.credentials';

/** n8n's HTTP Request node calls this too, with the credential as the user typed it. */
const authenticate = new OutreachServiceApi().authenticate;
const request = { url: 'https://api.test/api/hooks', headers: { Accept: 'text/plain' } };

it('A request is sent with an empty username and the API key as password, and keeps its other headers', async () => {
	const whitespace = fc.stringMatching(/^\s{0,3}$/);
	await fc.assert(
		fc.asyncProperty(fc.string({ unit: 'grapheme' }), whitespace, async (text, space) => {
			const apiKey = text.trim();
			const authenticated = await authenticate({ apiKey: space + apiKey + space }, request);
			const { Authorization, ...headers } = authenticated.headers ?? {};
			expect({ ...authenticated, headers }).toEqual(request);
			expect(Authorization).toBe(`Basic ${Buffer.from(`:${apiKey}`).toString('base64')}`);
		}),
	);
});

it.each([undefined, 42, true])('An API key that is %j counts as empty', async (apiKey) => {
	const { headers } = await authenticate(apiKey === undefined ? {} : { apiKey }, request);
	expect(headers?.Authorization).toBe('Basic Og==');
});

import fc from 'fast-check';

import { OutreachServiceApi } from '../../../credentials/OutreachServiceApi.credentials';

/** n8n's HTTP Request node uses this, too, with the credential as the user typed it. */
const authenticate = new OutreachServiceApi().authenticate;
const request = { url: 'https://api.test/api/hooks', headers: { Accept: 'text/plain' } };

it('A request gets an empty login with the API key as the password, and keeps what it has', async () => {
	const blank = fc.stringMatching(/^\s{0,3}$/);
	await fc.assert(
		fc.asyncProperty(fc.string({ unit: 'grapheme' }), blank, async (text, around) => {
			const apiKey = text.trim();
			const signed = await authenticate({ apiKey: around + apiKey + around }, request);
			const { Authorization, ...headers } = signed.headers ?? {};
			expect({ ...signed, headers }).toEqual(request);
			expect(Authorization).toBe(`Basic ${Buffer.from(`:${apiKey}`).toString('base64')}`);
		}),
	);
});

it.each([undefined, 42, true])('A key that is %j is no key', async (apiKey) => {
	const { headers } = await authenticate(apiKey === undefined ? {} : { apiKey }, request);
	expect(headers?.Authorization).toBe('Basic Og==');
});

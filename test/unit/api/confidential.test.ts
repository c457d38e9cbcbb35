/** What the error of an item must not show. */
import { withoutConfidential } from '../../../nodes/OutreachService/api/confidential';

it('The parameters that an error shows hold no secret, and everything else', () => {
	const fields = { campaignId: 'cam_1', isFirst: true };
	const given = { secret: 's3cret', event: '*', additionalFields: { ...fields, secret: 7 } };
	expect(withoutConfidential(given)).toEqual({
		secret: '(hidden)',
		event: '*',
		additionalFields: { ...fields, secret: '(hidden)' },
	});
	expect(given.secret).toBe('s3cret');
	const query = { parameters: [{ name: 'limit', value: '5' }] };
	const without = {
		event: '*',
		operation: 'rotateSecret',
		body: '{"a": 1}',
		secret: '',
		path: '/secrets/token',
		targetUrl: 'https://secret.test/in?a=b',
		queryParameters: query,
		additionalFields: fields,
	};
	expect(withoutConfidential(without)).toEqual(without);
});

it.each([
	['{"Secret": "x"}'],
	['{"hook": "{\\"secret\\": 7}"}'],
	['[{"name": "token", "value": "x"}]'],
	['{"secrets": {"main": ["x"]}}'],
	["{ secret: 'x' }"],
	['={{ { name: "apiKey", value: "x" } }}'],
	['https://crm.test/in?a=b&auth%5Btoken%5D=x'],
	['X-Api-Key: x'],
])('A parameter with something confidential in it is hidden completely: %s', (text) => {
	expect(withoutConfidential({ value: text })).toEqual({ value: '(hidden)' });
});

it.each(['secret', 'userPassword', 'passwd', 'csrf-token', 'api_key', 'api-key', 'apikey'])(
	'The value of a query parameter with the name of a secret is hidden: %s',
	(name) => {
		const parameters = { parameters: [{ name, value: 'x' }] };
		expect(withoutConfidential(parameters)).toEqual({
			parameters: [{ name, value: '(hidden)' }],
		});
	},
);

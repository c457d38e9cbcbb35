/** Authentication and errors of the local service (§5, §7). Against a local service that the test starts. */
import { call, callApi } from '../testing/apiClient';
import { service } from '../testing/fixture';

const basic = (credential: string) => `Basic ${Buffer.from(credential).toString('base64')}`;

describe('§5 authentication', () => {
	it('§5.3 accepts the base64 encoding of a colon and the key, with the scheme in any case', async () => {
		const running = await service({ apiKeys: ['key:with:colons'] });
		const authorization = basic(':key:with:colons').replace('Basic', 'basic');
		const response = await call(`${running.baseUrl}/hooks`, 'GET', { headers: { authorization } });
		expect(response.status).toBe(200);
	});

	it.each([
		['no header', undefined],
		['an unknown key', basic(':wrong')],
		['the key without the colon', basic('right')],
		['a login before the key', basic('me:right')],
		['an empty key', basic(':')],
		['another scheme', 'Bearer right'],
		['the key without base64', 'Basic :right'],
		['text after the credential', `${basic(':right')} more`],
	])('§5.4 responds with 401 and no body to %s', async (_what, authorization) => {
		const running = await service({ apiKeys: ['right'] });
		const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
		for (const path of ['/hooks', '/no/such/route']) {
			const response = await call(`${running.baseUrl}${path}`, 'GET', { headers });
			expect(response).toMatchObject({ status: 401, text: '' });
			expect(response.headers['content-type']).toBeUndefined();
		}
	});
});

describe('§7 errors', () => {
	it.each([
		['GET', '/hooks'],
		['POST', '/hooks'],
		['DELETE', '/hooks/hoo_1'],
	] as const)(
		'%s %s responds with Bad team as plain text if the team of the caller is invalid',
		async (method, path) => {
			const running = await service();
			running.addApiKey('stray', null);
			const body = method === 'POST' ? { targetUrl: 'https://n8n.example' } : undefined;
			const response = await callApi(running, method, path, { key: 'stray', body });
			expect(response).toMatchObject({ status: 400, text: 'Bad team' });
			expect(response.headers['content-type']).toMatch(/^text\/plain/);
		},
	);

	it('an unknown route or method returns 404, and a malformed path 400; each is in the log', async () => {
		const running = await service();
		expect(await callApi(running, 'GET', '/no/such')).toMatchObject({ status: 404 });
		expect(await callApi(running, 'PUT', '/hooks')).toMatchObject({ status: 404 });
		expect(await callApi(running, 'GET', '/%zz')).toMatchObject({ status: 400 });
		expect(running.requests.map(({ path, status }) => ({ path, status }))).toEqual([
			{ path: '/no/such', status: 404 },
			{ path: '/hooks', status: 404 },
			{ path: '/%zz', status: 400 },
		]);
	});
});

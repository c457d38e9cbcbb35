import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { Client, request } from 'undici';
import { basicAuth } from './testing/apiClient';
import { service } from './testing/fixture';
import { EVENT_TYPES, type RunningService } from '../../tools/service/index';

const RUNS = 500;

const oddText = fc.oneof(
	fc.string({ unit: 'binary', maxLength: 60 }),
	fc.constantFrom(
		'',
		'%',
		'%00',
		'%zz',
		'../..',
		'__proto__',
		'constructor',
		'hoo_1',
		' ',
		'\u0000',
	),
);
const segment = fc.oneof(
	oddText.map(encodeURIComponent),
	oddText.map((odd) => odd.replace(/[^!-~]/g, '%')),
);
const path = fc.oneof(
	fc.constantFrom(
		'/hooks',
		'/hooks/',
		'/hooks/hoo_1',
		'/schema/people',
		'/',
		'//',
		'/hooks/%E0%A4%A',
	),
	fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`),
	segment.map(
		(query) => `/hooks?campaignId=${query}&toolLinkId=${query}&isFirst=true&isFirst=${query}`,
	),
);
const authorization = fc.oneof(
	{ weight: 3, arbitrary: fc.constant(basicAuth('right')) },
	fc.constantFrom(
		undefined,
		'Basic',
		'Basic ',
		'Bearer right',
		basicAuth('wrong'),
		'Basic Og==',
		'Basic ====',
	),
	fc.string({ maxLength: 80 }).map((odd) => odd.replace(/[^ -~]/g, '')),
	fc.base64String().map((odd) => `Basic ${odd}`),
);
const nearlyRight = fc.record(
	{
		targetUrl: fc.oneof(
			fc.webUrl(),
			oddText,
			fc.constantFrom('javascript:1', 'http://', 'file:///etc/passwd'),
		),
		type: fc.oneof(
			fc.constantFrom(...EVENT_TYPES, 'skipped', 'constructor'),
			oddText,
			fc.integer(),
		),
		secret: fc.oneof(oddText, fc.jsonValue()),
		campaignId: fc.oneof(oddText, fc.jsonValue()),
		isFirst: fc.oneof(fc.boolean(), fc.jsonValue()),
		toolLinkId: fc.oneof(fc.double(), fc.maxSafeInteger(), fc.jsonValue()),
		['__proto__']: fc.jsonValue(),
	},
	{ requiredKeys: [] },
);
const body = fc.oneof(
	fc.constant(undefined),
	nearlyRight.map((value) => JSON.stringify(value)),
	fc.json({ maxDepth: 5 }),
	oddText,
	fc.integer({ min: 2, max: 400 }).map((depth) => '['.repeat(depth * 100)),
	fc.constant(`{"targetUrl":"http://a.example","secret":"${'x'.repeat(1024 * 1024)}"}`),
);
const contentType = fc.oneof(
	{ weight: 3, arbitrary: fc.constant('application/json') },
	fc.constantFrom(
		undefined,
		'text/plain',
		'application/json; charset=utf-8',
		'nonsense',
		';',
		'multipart/form-data',
	),
);
const method = fc.constantFrom(
	'GET',
	'POST',
	'POST',
	'POST',
	'DELETE',
	'PUT',
	'PATCH',
	'OPTIONS',
	'HEAD' as const,
);

async function isAlive(running: RunningService): Promise<boolean> {
	const headers = { authorization: basicAuth('right') };
	const response = await request(`${running.baseUrl}/schema/people`, { headers });
	await response.body.dump();
	return response.statusCode === 200;
}

describe('the API', () => {
	it(`responds to ${RUNS} random requests with documented statuses, and keeps running`, async () => {
		const running = await service({ apiKeys: ['right'] });
		const client = new Client(new URL(running.baseUrl).origin);
		const seen = new Map<number, number>();
		await fc.assert(
			fc.asyncProperty(
				path,
				method,
				authorization,
				contentType,
				body,
				async (odd, how, auth, type, sent) => {
					const response = await client.request({
						path: `/api${odd}`,
						method: how,
						headers: {
							...(auth !== undefined && { authorization: auth }),
							...(type !== undefined && { 'content-type': type }),
						},
						...(sent !== undefined && how !== 'GET' && how !== 'HEAD' && { body: sent }),
					});
					await response.body.dump();
					seen.set(response.statusCode, (seen.get(response.statusCode) ?? 0) + 1);
					expect([200, 400, 401, 404, 413, 415]).toContain(response.statusCode);
				},
			),
			{ numRuns: RUNS },
		);
		await client.close();
		expect(await isAlive(running)).toBe(true);
		// The run is meaningful only if every kind of response occurred.
		for (const status of [200, 400, 401, 404, 413, 415]) expect([...seen.keys()]).toContain(status);
	}, 180_000);

	it('responds with 400 or disconnects if the input is not HTTP, and keeps running', async () => {
		const running = await service({ apiKeys: ['right'] });
		const { hostname, port } = new URL(running.baseUrl);
		const send = async (data: string) => {
			const socket = connect(Number(port), hostname);
			socket.end(data);
			return text(socket).catch(() => '');
		};
		const responses = await Promise.all([
			send('hello\r\n\r\n'),
			send('GET /api/hooks HTTP/9.9\r\n\r\n'),
			send(`GET /api/hooks HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`),
			send(
				'POST /api/hooks HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello',
			),
		]);
		for (const response of responses) expect(response).toMatch(/^(HTTP\/1\.1 (400|431|505)|$)/);
		expect(await isAlive(running)).toBe(true);
	});
});

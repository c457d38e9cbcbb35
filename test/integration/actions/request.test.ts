/**
 * D99: any route of the service. The world is a local service, the action node in one process of n8n, and servers at
 * target URLs.
 */
import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import { withExactIntegers } from '../../../nodes/OutreachService/actions/api/request.operation';
import { pathSchema } from '../../../nodes/OutreachService/actions/api/request.operation';
import { tries } from '../../propertyRuns';
import { jsonOf } from '../support/action';
import { respondWith, useTargets, type Handler } from '../support/targets';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();
const targets = useTargets();

const API_KEY = 'key-Zx81-confidential';

/** A service that handles any route in one way. */
async function serviceWith(handle: Handler) {
	const { url, asked } = await targets.start(handle);
	const credential = { baseUrl: `${url}/api`, apiKey: API_KEY };
	const node = (parameters: INodeParameters) => ({
		resource: 'api',
		operation: 'request',
		path: '/leads',
		...parameters,
	});
	return {
		asked,
		run: async (parameters: INodeParameters = {}, more = {}) =>
			jsonOf(await world.runNode(node(parameters), { credential, ...more })),
		fail: async (parameters: INodeParameters = {}, more = {}) =>
			await world.failNode(node(parameters), { credential, ...more }),
	};
}

const json = (value: unknown, status = 200): Handler =>
	respondWith(status, { 'content-type': 'application/json' }, JSON.stringify(value));

describe('A request', () => {
	it('goes to the path below the Base URL with its query and body, signed with the key', async () => {
		const { run, asked } = await serviceWith(json({ ok: true }));
		const parameter = (name: string, value: unknown) => ({ name, value });
		await run({
			method: 'PATCH',
			path: '/leads/a%40b.test/state',
			queryParameters: {
				parameters: [parameter('a', 'x y&z'), parameter('a', '2'), parameter('empty', '')],
			} as unknown as INodeParameters,
			body: '{"state": "paused", "tags": ["a", null]}',
		});
		expect(asked).toHaveLength(1);
		const [{ method, url, headers, body }] = asked as [(typeof asked)[0]];
		expect([method, url]).toEqual(['PATCH', '/api/leads/a%40b.test/state?a=x+y%26z&a=2']);
		expect(JSON.parse(body)).toEqual({ state: 'paused', tags: ['a', null] });
		expect(headers).toMatchObject({
			authorization: `Basic ${Buffer.from(`:${API_KEY}`).toString('base64')}`,
			'content-type': 'application/json',
		});
	});

	it('can have a date of an expression in its query, as in other nodes', async () => {
		const { run, asked } = await serviceWith(json({}));
		const dates = [
			"DateTime.fromISO('2026-03-02T08:15Z').toUTC()",
			'new Date(Date.UTC(2026, 2, 2))',
		];
		const parameters = dates.map((date) => ({ name: 'since', value: `={{ ${date} }}` }));
		await run({ queryParameters: { parameters } as unknown as INodeParameters });
		expect(new URL(asked[0]?.url ?? '', 'http://any').searchParams.getAll('since')).toEqual([
			'2026-03-02T08:15:00.000Z',
			'2026-03-02T00:00:00.000Z',
		]);
	});

	it('has the values of its query as they are, or an error says what they must be', async () => {
		const { run, asked } = await serviceWith(json({}));
		const parameters = [{ name: 'a', value: '={{ $json.cell }}' }];
		await fc.assert(
			fc.asyncProperty(fc.jsonValue({ maxDepth: 1 }), async (cell) => {
				const before = asked.length;
				const [item] = await run(
					{ queryParameters: { parameters } as unknown as INodeParameters },
					{ items: [{ cell }], continueOnFail: true },
				);
				const sent = asked.slice(before).map(({ url }) => new URL(url, 'http://any').searchParams);
				if (item?.error === undefined) {
					const text = typeof cell === 'string' ? cell : JSON.stringify(cell);
					expect(sent.map((query) => query.get('a'))).toEqual([text]);
					return;
				}
				expect(sent).toEqual([]);
				expect(item.error).toMatch(
					/^The value of 'Value' cannot be used\. Its expression returns nothing\.$|^The value of 'Query Parameters' cannot be used\. The value of 'a': (It must be text, a number, a date, or true or false\.|It has an integer beyond|A part of it is undefined)/,
				);
			}),
			{ numRuns: tries(20) },
		);
	});

	it('is not answered with a part of a file, or of a text in another encoding', async () => {
		const bodies = [Buffer.from([0xff, 0xfb, 0x90, 0x64, 0x00]), Buffer.from('Müller', 'latin1')];
		for (const body of bodies) {
			const { fail } = await serviceWith((response) => response.end(body));
			const error = await fail();
			expect(error.message).toBe('The response is not text');
			expect(error.description).toContain('the HTTP Request node, which can use this credential');
		}
		const { run } = await serviceWith((response) => response.end('Müller 🎉'));
		expect(await run()).toEqual([{ text: 'Müller 🎉' }]);
	});

	it('is not said to have a wrong Base URL if the service redirects it', async () => {
		const { fail } = await serviceWith((response) =>
			response.writeHead(302, { location: 'https://files.test/recording.mp3' }).end(),
		);
		const error = await fail();
		expect(error.message).toBe('The service redirects the request to another URL (status 302)');
		const changing = await fail({ method: 'POST', body: '{}' });
		expect(changing.description).toContain('Whether the service has carried out the request');
	});

	it.each(['undefined', 'null', 'NaN', '[object Object]'])(
		'does not have %s in its query, which an expression leaves, unless somebody has typed it',
		async (left) => {
			const { run, fail, asked } = await serviceWith(json({}));
			const queryWith = (value: string) => ({
				queryParameters: { parameters: [{ name: 'email', value }] } as unknown as INodeParameters,
			});
			const error = await fail(queryWith(`={{ '${left}' }}`));
			expect(error.description).toContain(
				"The value of 'email': A part of it is undefined, null or NaN, which an expression leaves when it returns nothing",
			);
			expect(asked).toEqual([]);
			await run(queryWith(left));
			expect(new URL(asked[0]!.url, 'http://any').searchParams.get('email')).toBe(left);
		},
	);

	it('has no date in its query that is none', async () => {
		const { fail, asked } = await serviceWith(json({}));
		const parameters = [{ name: 'since', value: "={{ DateTime.fromISO('never') }}" }];
		const error = await fail({ queryParameters: { parameters } as unknown as INodeParameters });
		expect(error.description).toContain("The value of 'since': It must be text, a number, a date");
		expect(asked).toEqual([]);
	});

	it('can end with a slash that somebody has typed', async () => {
		const { run, asked } = await serviceWith(json({}));
		await run({ path: ' /leads/ ' });
		expect(asked[0]?.url).toMatch(/\/leads\/$/);
	});

	it('can have an empty list as its body, which an expression returns', async () => {
		const { run, asked } = await serviceWith(json({}));
		await run({ method: 'POST', body: '={{ [] }}' });
		expect(asked[0]?.body).toBe('[]');
	});

	it('can have a list as its body, also where the service refuses it', async () => {
		const handlers: Handler[] = [json({ ok: true }), json({ error: 'No list here' }, 400)];
		const list = { method: 'POST', body: '[{"leadId": "lea_1"}, {"leadId": "lea_2"}]' };
		const [accepting, refusing] = await Promise.all(handlers.map(serviceWith));
		expect(await accepting?.run(list)).toEqual([{ ok: true }]);
		expect(accepting?.asked.map(({ body }) => body)).toEqual([
			'[{"leadId":"lea_1"},{"leadId":"lea_2"}]',
		]);
		expect((await refusing?.fail(list))?.message).toMatch('The service refused the request');
	});

	it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
		'has the body that was entered, also an empty one, and none without it: %s',
		async (method) => {
			const { run, asked } = await serviceWith(json({}));
			for (const body of ['{}', '[]', '={{ ({}) }}', '[[]]', '{"a":{}}', '']) {
				await run({ method, body });
			}
			expect(asked.map(({ body, headers }) => [body, headers['content-type']])).toEqual([
				...['{}', '[]', '{}', '[[]]', '{"a":{}}'].map((sent) => [sent, 'application/json']),
				['', undefined],
			]);
		},
	);

	it('is sent for each item, with the values of its expressions', async () => {
		const { run, asked } = await serviceWith(json({}));
		const items = ['lea_1', 'lea_2'].map((lead) => ({ lead }));
		const parameters = {
			method: 'POST',
			path: '=/leads/{{ $json.lead }}/pause',
			body: '={{ { lead: $json.lead } }}',
		};
		await run(parameters, { items });
		expect(asked.map(({ url, body }) => [url, body]).sort()).toEqual([
			['/api/leads/lea_1/pause', '{"lead":"lea_1"}'],
			['/api/leads/lea_2/pause', '{"lead":"lea_2"}'],
		]);
	});

	it.each(['GET', 'PUT', 'DELETE'])('is sent again after a 500: %s', async (method) => {
		let count = 0;
		const { run } = await serviceWith((response, asked) => {
			count += 1;
			(count === 1 ? respondWith(500) : json({ count }))(response, asked);
		});
		expect(await run({ method })).toEqual([{ count: 2 }]);
	});

	it.each(['POST', 'PATCH'])(
		'is never sent again after a failure, and the error says what is not known: %s',
		async (method) => {
			const failures: Handler[] = [respondWith(500), (response) => response.destroy()];
			for (const handle of failures) {
				const { fail, asked } = await serviceWith(handle);
				const { description } = await fail({ method });
				expect(description).toMatch(
					/^Whether the service has carried out the request is not known: check that before you send it again\./,
				);
				expect(asked).toHaveLength(1);
			}
		},
	);

	it('that the rate limit refuses was not carried out, and is sent again', async () => {
		let count = 0;
		const { run } = await serviceWith((response, asked) => {
			count += 1;
			(count === 1 ? respondWith(429, { 'retry-after': '1' }) : json({ count }))(response, asked);
		});
		expect(await run({ method: 'POST' })).toEqual([{ count: 2 }]);
	});

	it('runs to its end when the execution is stopped, if it is a POST, and is in the log', async () => {
		const { fail, asked } = await serviceWith((response) => {
			setTimeout(() => response.end('{}'), 300);
		});
		const warn = world.spyOnWarnings();
		const stop = new AbortController();
		const items = [{}, {}, {}, {}, {}, {}, {}];
		const stopped = fail(
			{ method: 'POST', path: '/leads/lea_1/pause' },
			{ items, signal: stop.signal },
		);
		await until(() => asked.length === 5);
		stop.abort();
		await stopped;
		expect(asked).toHaveLength(5);
		expect(warn.mock.calls[0]?.[0]).toContain('item 0 (POST /leads/lea_1/pause)');
	});
});

it('Requests of any route share the rate limit of the key with all others', async () => {
	const { baseUrl, apiKey } = world.service;
	const credential = { baseUrl, apiKey };
	const request = { resource: 'api', operation: 'request', path: '/hooks' };
	const items = Array.from({ length: 45 }, () => ({}));
	await world.runNode(request, { credential, items });
	expect(world.service.stats()).toMatchObject({ refused: 0, requests: 45 });
});

describe('The items are', () => {
	it.each<[string, Handler, object[]]>([
		[
			'the elements of a list',
			json([{ a: 1 }, 'b', 3, null]),
			[{ a: 1 }, { text: 'b' }, { value: 3 }, { status: 200 }],
		],
		['an object', json({ status: 'ok', message: 'Done' }), [{ status: 'ok', message: 'Done' }]],
		[
			'data in which an error of the API is quoted',
			json([{ hookId: 'hoo_1', error: 'Webhook not found' }, { message: 'Bad team' }]),
			[{ hookId: 'hoo_1', error: 'Webhook not found' }, { message: 'Bad team' }],
		],
		['a text', respondWith(200, {}, 'Paused'), [{ text: 'Paused' }]],
		[
			'XML',
			respondWith(200, {}, '<?xml version="1.0"?><a/>'),
			[{ text: '<?xml version="1.0"?><a/>' }],
		],
		['the status of an empty response', respondWith(204), [{ status: 204 }]],
		['none for an empty list', json([]), []],
	])('%s', async (_, handle, expected) => {
		const { run } = await serviceWith(handle);
		expect(await run()).toEqual(expected);
	});

	it('none but an error for more than 100,000 of all input items together', async () => {
		const { fail } = await serviceWith(json(Array.from({ length: 50_001 }, () => 1)));
		const error = await fail({}, { items: [{}, {}] });
		expect(error.message).toBe('The output of the node is too large');
	});

	it('a text for each integer that JavaScript cannot hold, wherever it is, and all else as it came', async () => {
		const body =
			'{"id":7615917337495251231,"ids":[-9007199254740993,9007199254740991,1.5e20],"text":"\\"7615917337495251231, \\\\","nested":{"7615917337495251231":0.12345678901234567}}';
		const { run } = await serviceWith(respondWith(200, {}, body));
		expect(await run()).toEqual([
			{
				id: '7615917337495251231',
				ids: ['-9007199254740993', 9007199254740991, 1.5e20],
				text: '"7615917337495251231, \\',
				nested: { '7615917337495251231': 0.12345678901234567 },
			},
		]);
	});

	it('any JSON without such integers as it is', () => {
		fc.assert(
			fc.property(fc.json(), (text) => {
				const hasLarge = (text.match(/\d{16,}/g) ?? []).length > 0;
				fc.pre(!hasLarge);
				expect(JSON.parse(withExactIntegers(text))).toEqual(JSON.parse(text));
			}),
		);
	});
});

it('A web page is a text, with a hint', async () => {
	const { url } = await targets.start(respondWith(200, {}, '<!DOCTYPE html><p>Sign in'));
	const parameters = { resource: 'api', operation: 'request', path: '/leads' };
	const execution = world.execution(parameters, { credential: { baseUrl: url, apiKey: API_KEY } });
	expect(jsonOf(await execution.run())).toEqual([{ text: '<!DOCTYPE html><p>Sign in' }]);
	expect(execution.context.hints).toEqual([
		{ message: expect.stringMatching(/^A web page came\./) as string, location: 'outputPane' },
	]);
});

describe('An error', () => {
	it.each<[string, Handler, RegExp]>([
		[
			'a route that the service does not have',
			respondWith(404, {}, 'Lead not found'),
			/^The service refused the request with status 404: "Lead not found"$/,
		],
		[
			'a conflict',
			json({ error: 'already paused' }, 409),
			/^The service refused the request with status 409: /,
		],
		['an unknown team', respondWith(200, {}, 'Bad team'), /^The service does not know the team/],
		[
			'an unknown team in JSON',
			json({ success: false, error: { message: 'Bad team' } }),
			/^The service does not know the team/,
		],
		['a refused key', respondWith(401), /^The service did not accept the API key$/],
		[
			'a server that repeats the key',
			json({
				headers: { authorization: `Basic ${Buffer.from(`:${API_KEY}`).toString('base64')}` },
			}),
			/^The response contains the API key, so the node shows no part of it$/,
		],
		[
			'a body of millions of values',
			respondWith(200, {}, `[${'{},'.repeat(1_000_000)}{}]`),
			/^The response is too large to be read$/,
		],
		[
			'a body with thousands of levels',
			respondWith(200, {}, `${'['.repeat(3_000)}${']'.repeat(3_000)}`),
			/^The response has too many levels to be read$/,
		],
	])('for %s says so', async (_, handle, message) => {
		const { fail } = await serviceWith(handle);
		const error = await fail({ method: 'POST', path: '/leads/lea_1/pause' });
		expect(error.message).toMatch(message);
		expect(error.description).not.toContain(API_KEY);
	});

	it.each([
		['a URL', 'https://other.test/api/leads'],
		['two slashes', '//other.test/leads'],
		['no slash', 'leads'],
		['a query', '/leads?x=1'],
		['an empty part', '/leads//pause'],
		['nothing at the end', '=/leads/{{ [].join() }}'],
		['a part that an expression left', '/leads/undefined/pause'],
		['a blank ID', "=/leads/{{ encodeURIComponent('\u00a0 ') }}"],
		['a list without IDs', '=/leads/{{ encodeURIComponent([null, undefined]) }}'],
		['a way up', '/leads/../hooks'],
		['an encoded way up', '/leads/%2E%2e/hooks'],
		['a way up between encoded slashes', '/leads/lea_1%2F..%2F..%2Fhooks'],
		['a way up that is encoded twice', '/leads/%252e%252e/hooks'],
		['a way up before a semicolon', '/leads/..;/hooks'],
		['a way up before an encoded semicolon', '/leads/..%3bx=1/hooks'],
		['an ID that an expression left', '/leads/lea_undefined'],
		['a space', '/leads/a b'],
		['a backslash', '/leads\\..\\hooks'],
		['half an encoding', '/leads/%4'],
	])('names the path, and nothing is sent, for %s', async (_, path) => {
		const { fail, asked } = await serviceWith(json({}));
		expect((await fail({ method: 'DELETE', path })).message).toBe(
			"The value of 'Path' cannot be used",
		);
		expect(asked).toEqual([]);
	});

	it.each([
		['is no JSON', { body: '{' }, 'Body'],
		['is no object', { body: '"text"' }, 'Body'],
		['has an integer that would change', { body: '{"id": 7615917337495251231}' }, 'Body'],
		['has such an integer from an expression', { body: '={{ { id: 2 ** 60 } }}' }, 'Body'],
		['is nested 3,000 levels deep', { body: `${'['.repeat(3_000)}${']'.repeat(3_000)}` }, 'Body'],
		['comes from an expression that returned nothing', { body: '={{ $json.missing }}' }, 'Body'],
		[
			'is nested so deeply by an expression',
			{ body: '={{ JSON.parse("[".repeat(3000) + "]".repeat(3000)) }}' },
			'Body',
		],
		['has an unknown method', { method: 'TRACE' }, 'Method'],
	])('names the field when its value %s', async (_, parameters, field) => {
		const { fail, asked } = await serviceWith(json({}));
		const { message } = await fail({ method: 'POST', ...parameters });
		expect(message).toBe(`The value of '${field}' cannot be used`);
		expect(asked).toEqual([]);
	});
});

it('Whatever a path is, a request stays below the Base URL', () => {
	const part = fc.oneof(
		fc.string(),
		fc.constantFrom('..', '.', '%2e%2e', '%2F..', '\\', '@other.test', ':', '//', '?', '#', '%'),
	);
	const base = 'https://api.test/api';
	fc.assert(
		fc.property(
			fc.array(part).map((parts) => `/${parts.join('/')}`),
			(path) => {
				if (!pathSchema.safeParse(path).success) return;
				const { origin, pathname } = new URL(`${base}${path.trim()}`);
				expect(origin).toBe('https://api.test');
				expect(pathname.startsWith('/api/')).toBe(true);
				expect(pathname.split('/')).toHaveLength(path.trim().split('/').length + 1);
			},
		),
		{ numRuns: tries(500) },
	);
});

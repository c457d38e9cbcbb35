/**
 * *Make an API Request* (D99): any route of the service. The world is a local service, the action node in one process of
 * n8n, and servers at target URLs. Which paths it refuses: `test/unit/actions/request.test.ts`.
 */
import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import { jsonOf } from '../support/action';
import { respondWith, useTargets, type Handler } from '../support/targets';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();
const targets = useTargets();

/** A service that handles any route in one way. */
async function serviceWith(handle: Handler) {
	const { url, asked } = await targets.start(handle);
	const credential = { baseUrl: `${url}/api`, apiKey: 'key-Zx81-confidential' };
	const node = (parameters: INodeParameters) => ({
		resource: 'api',
		operation: 'request',
		path: '/leads',
		...parameters,
	});
	const execution = (parameters: INodeParameters = {}, more = {}) =>
		world.execution(node(parameters), { credential, ...more });
	return {
		asked,
		execution,
		run: async (parameters?: INodeParameters, more?: object) =>
			jsonOf(await execution(parameters, more).run()),
		fail: async (parameters: INodeParameters = {}, more = {}) =>
			await world.failNode(node(parameters), { credential, ...more }),
	};
}

const json = (value: unknown, status = 200): Handler =>
	respondWith(status, { 'content-type': 'application/json' }, JSON.stringify(value));

/** The parameter with a query of one value. */
const queryWith = (value: string) => ({
	queryParameters: { parameters: [{ name: 'a', value }] } as unknown as INodeParameters,
});
const queryOf = ({ url }: { url: string }) => new URL(url, 'http://any').searchParams;

describe('A request', () => {
	it('has up to 2,000 characters of query parameters', async () => {
		const { run, asked } = await serviceWith(json({}));
		await run(queryWith('x'.repeat(1_998)));
		expect(asked[0]?.url).toBe(`/api/leads?a=${'x'.repeat(1_998)}`);
	});

	it('goes to the path below the Base URL with its query and body, signed with the key, for each item', async () => {
		const { run, asked } = await serviceWith(json({ ok: true }));
		const parameter = (name: string, value: string) => ({ name, value });
		const parameters = {
			method: 'PATCH',
			path: '=/leads/{{ encodeURIComponent($json.lead) }}/state/',
			queryParameters: {
				parameters: [parameter('a', 'x y&z'), parameter('a', '2'), parameter('empty', '')],
			} as unknown as INodeParameters,
			body: '={{ { state: $json.state, tags: ["a", null] } }}',
		};
		await run(parameters, { items: [{ lead: 'a@b.test', state: 'paused' }] });
		expect(asked).toMatchObject([
			{
				method: 'PATCH',
				url: '/api/leads/a%40b.test/state/?a=x+y%26z&a=2',
				body: '{"state":"paused","tags":["a",null]}',
				headers: {
					authorization: `Basic ${Buffer.from(':key-Zx81-confidential').toString('base64')}`,
					'content-type': 'application/json',
				},
			},
		]);
	});

	it('has the body that was entered, also an empty one, and none without it', async () => {
		const { run, asked } = await serviceWith(json({}));
		for (const body of ['{}', '[]', '={{ [] }}', '[[]]', '{"a":{}}', '']) {
			await run({ method: 'DELETE', body });
		}
		expect(asked.map(({ body, headers }) => [body, headers['content-type']])).toEqual([
			...['{}', '[]', '[]', '[[]]', '{"a":{}}'].map((sent) => [sent, 'application/json']),
			['', undefined],
		]);
	});

	it('has the values of its query as they are, or an error says what they must be', async () => {
		const { run, asked } = await serviceWith(json({}));
		await fc.assert(
			fc.asyncProperty(fc.jsonValue({ maxDepth: 1 }), async (cell) => {
				const before = asked.length;
				const options = { items: [{ cell }], continueOnFail: true };
				const [item] = await run(queryWith('={{ $json.cell }}'), options);
				const sent = asked.slice(before).map(queryOf);
				if (item?.error === undefined) {
					const text = typeof cell === 'string' ? cell : JSON.stringify(cell);
					expect(sent.map((query) => query.get('a'))).toEqual([text]);
					return;
				}
				expect(sent).toEqual([]);
				expect(item.error).toMatch(
					/^The value of 'Value' cannot be used\. (Its expression returns nothing\.$|A part of it is undefined)|^The value of 'Query Parameters' cannot be used\. The value of 'a': (It must be text, a number, a date, or true or false\.|It has a number beyond)/,
				);
			}),
			{ examples: [[0], [false]] },
		);
	});

	it('has a date of an expression in its query as ISO 8601, and what a missing value leaves only if somebody has typed it', async () => {
		const { run, fail, asked } = await serviceWith(json({}));
		await run(queryWith("={{ DateTime.fromISO('2026-03-02T08:15Z').toUTC() }}"));
		await run(queryWith('undefined'));
		expect(asked.map((one) => queryOf(one).get('a'))).toEqual([
			'2026-03-02T08:15:00.000Z',
			'undefined',
		]);
		const invalidDate = await fail(queryWith("={{ DateTime.fromISO('never') }}"));
		expect(invalidDate.description).toBe('Its expression returns nothing.');
		const { message, description } = await fail(queryWith("={{ 'undefined' }}"));
		expect(message).toBe("The value of 'Value' cannot be used");
		expect(description).toMatch(/^A part of it is undefined, null or NaN/);
		expect(asked).toHaveLength(2);
	});

	it.each([
		['a way up', { path: '/leads/../hooks' }, 'Path'],
		['a query of 2,001 characters', queryWith('x'.repeat(1_999)), 'Query Parameters'],
		['a body that is no object', { body: '"text"' }, 'Body'],
		['an integer that would change', { body: '{"id": 7615917337495251231}' }, 'Body'],
		['such an integer from an expression', { body: '={{ { id: 2 ** 60 } }}' }, 'Body'],
		['a number beyond that in another notation', { body: '{"id": 7.6e18}' }, 'Body'],
		['such a number from an expression', { body: '={{ { id: 2 ** 80 } }}' }, 'Body'],
		['a number that is too large', { body: '[1e999]' }, 'Body'],
		['a number that is infinite', { body: '={{ { a: [1 / 0] } }}' }, 'Body'],
		['a date', { body: '={{ new Date(0) }}' }, 'Body'],
		['thousands of levels', { body: `${'['.repeat(4_000)}${']'.repeat(4_000)}` }, 'Body'],
		['no body of an expression', { body: '={{ $json.missing }}' }, 'Body'],
	])('is not sent with %s, and the error names the field', async (_, parameters, field) => {
		const { fail, asked } = await serviceWith(json({}));
		const { message } = await fail({ method: 'POST', ...parameters });
		expect(message).toBe(`The value of '${field}' cannot be used`);
		expect(asked).toEqual([]);
	});

	it.each<[string, Handler]>([
		['a 500', respondWith(500)],
		['a cut connection', (response) => response.destroy()],
		['a redirect', respondWith(302, { location: 'https://files.test/recording.mp3' })],
	])(
		'that may have changed something is sent once, and the error says so: %s',
		async (_, handle) => {
			const { fail, asked } = await serviceWith(handle);
			const { description } = await fail({ method: 'POST' });
			expect(description).toMatch(
				/^Whether the service has carried out the request is not known: check that before you send it again\./,
			);
			expect(asked).toHaveLength(1);
			expect((await fail()).description).not.toContain('is not known');
		},
	);

	it('runs to its end when the execution is stopped, if it is a POST, and is in the log', async () => {
		const { fail, asked } = await serviceWith((response) => {
			setTimeout(() => response.end('{}'), 300);
		});
		const warn = world.spyOnWarnings();
		const stop = new AbortController();
		const items = [{}, {}, {}, {}, {}, {}, {}];
		const parameters = { method: 'POST', path: '/leads/lea_1/pause' };
		const stopped = fail(parameters, { items, signal: stop.signal });
		await until(() => asked.length === 5);
		stop.abort();
		await stopped;
		expect(asked).toHaveLength(5);
		expect(warn.mock.calls[0]?.[0]).toContain('item 0 (POST /leads/lea_1/pause)');
	});
});

describe('The items are', () => {
	const LARGE = '{"id":7615917337495251231}';
	it.each<[string, Handler, object[]]>([
		[
			'the elements of a list',
			json([{ a: 1 }, 'b', 3, null]),
			[{ a: 1 }, { text: 'b' }, { value: 3 }, { status: 200 }],
		],
		[
			'data in which an error of the API is quoted',
			json([{ hookId: 'hoo_1', error: 'Webhook not found' }]),
			[{ hookId: 'hoo_1', error: 'Webhook not found' }],
		],
		['a text for a large integer', respondWith(200, {}, LARGE), [{ id: '7615917337495251231' }]],
		['a text', respondWith(200, {}, 'Müller 🎉'), [{ text: 'Müller 🎉' }]],
		['the status of an empty response', respondWith(204), [{ status: 204 }]],
		['none for an empty list', json([]), []],
	])('%s', async (_, handle, expected) => {
		const { run } = await serviceWith(handle);
		expect(await run()).toEqual(expected);
	});

	it('a text for a web page, with a hint', async () => {
		const { execution } = await serviceWith(respondWith(200, {}, '<!DOCTYPE html><p>Sign in'));
		const { context, run } = execution();
		expect(jsonOf(await run())).toEqual([{ text: '<!DOCTYPE html><p>Sign in' }]);
		expect(context.hints).toEqual([
			{ message: expect.stringMatching(/^A web page came\./) as string, location: 'outputPane' },
		]);
	});

	it('none but an error for more than 100,000 of all input items together', async () => {
		const { run } = await serviceWith(json(Array.from({ length: 50_000 }, () => 1)));
		expect(await run({}, { items: [{}, {}] })).toHaveLength(100_000);
		const more = await run({}, { items: [{}, {}, {}], continueOnFail: true });
		expect(more.at(-1)?.error).toMatch(/^The output of the node is too large/);
	});
});

it('An error says that the service does not have the route, or refuses the team', async () => {
	const lost = await serviceWith(respondWith(404, {}, 'Lead not found'));
	expect((await lost.fail({ path: '/leads/lea_1' })).message).toBe(
		'The service refused the request with status 404: "Lead not found"',
	);
	const unknown = await serviceWith(respondWith(200, {}, 'Bad team'));
	expect((await unknown.fail()).message).toBe('The service did not accept the API key');
});

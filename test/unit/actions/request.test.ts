/** What *Make an API Request* accepts as a path (D99), and how it reads JSON. */
import fc from 'fast-check';

import {
	pathSchema,
	withExactNumbers,
} from '../../../nodes/OutreachService/actions/api/request.operation';
import { tries } from '../../propertyRuns';

const NO_SLASH = 'begins with one slash';
const QUERY = 'contains ? or #';
const NOT_ENCODED = 'Encode values';
const BLANK = 'A part of it is empty';
const UPWARDS = 'must not contain . or ..';

it.each([
	['a URL', 'https://other.test/api/leads', NO_SLASH],
	['two slashes', '//other.test/leads', NO_SLASH],
	['no slash', 'leads', NO_SLASH],
	['a query', '/leads?x=1', QUERY],
	['an empty part', '/leads//pause', BLANK],
	['a blank ID', '/leads/%C2%A0%20', BLANK],
	['a list without IDs', '/leads/%2C', BLANK],
	['a way up', '/leads/../hooks', UPWARDS],
	['an encoded way up', '/leads/%2E%2e/hooks', UPWARDS],
	['a way up between encoded slashes', '/leads/lea_1%2F..%2F..%2Fhooks', UPWARDS],
	['a way up that is encoded twice', '/leads/%252e%252e/hooks', UPWARDS],
	['a way up before an encoded semicolon', '/leads/..%3bx=1/hooks', UPWARDS],
	['a space', '/leads/a b', NOT_ENCODED],
	['a backslash', '/leads\\..\\hooks', NOT_ENCODED],
	['half an encoding', '/leads/%4', NOT_ENCODED],
	['more than 2,000 characters', `/${'x'.repeat(2_000)}`, '2000 characters'],
])('A path cannot be or have %s, and the error says why', (_, path, message) => {
	const issues = pathSchema.safeParse(path).error?.issues ?? [];
	expect(issues.map((issue) => issue.message)).toContainEqual(expect.stringContaining(message));
});

it('A path may have 2,000 characters, and a slash at its end', () => {
	for (const path of [`/${'x'.repeat(1_999)}`, '/leads/'])
		expect(pathSchema.parse(path)).toBe(path);
});

it('Whatever a path is, a request stays below the Base URL', () => {
	const part = fc.oneof(
		fc.string(),
		fc.constantFrom('..', '.', '%2e%2e', '%2F..', '\\', '@other.test', ':', '//', '?', '#', '%'),
	);
	fc.assert(
		fc.property(
			fc.array(part).map((parts) => `/${parts.join('/')}`),
			(path) => {
				if (!pathSchema.safeParse(path).success) return;
				const { origin, pathname } = new URL(`https://api.test/api${path.trim()}`);
				expect(origin).toBe('https://api.test');
				expect(pathname.startsWith('/api/')).toBe(true);
				expect(pathname.split('/')).toHaveLength(path.trim().split('/').length + 1);
			},
		),
		{ numRuns: tries(300) },
	);
});

describe('JSON is read', () => {
	it('with a text for each integer that JavaScript cannot hold exactly, wherever it is, and all else as it came', () => {
		const json =
			'{"id":7615917337495251231,"ids":[-9007199254740993,9007199254740991,1.5e20],"text":"\\"7615917337495251231, \\\\","nested":{"7615917337495251231":0.12345678901234567}}';
		expect(JSON.parse(withExactNumbers(json))).toEqual({
			id: '7615917337495251231',
			ids: ['-9007199254740993', 9007199254740991, 1.5e20],
			text: '"7615917337495251231, \\',
			nested: { '7615917337495251231': 0.12345678901234567 },
		});
		expect(withExactNumbers('[9007199254740993]')).toBe('["9007199254740993"]');
	});

	it('as it is without such integers', () => {
		fc.assert(
			fc.property(fc.json(), (text) => {
				fc.pre(!/\d{16}/.test(text));
				expect(JSON.parse(withExactNumbers(text))).toEqual(JSON.parse(text));
			}),
		);
	});
});

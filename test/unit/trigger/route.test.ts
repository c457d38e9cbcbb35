/** A lost route is an alarm: there must never be a false one. */
import fc from 'fast-check';

import { routeIn } from '../../../nodes/OutreachService/trigger/registration/route';

const PATH = '8f2c9c0e-0000-4000-8000-000000000001/webhook';
const BASE = `https://n8n.test/automation/webhook/${PATH}`;

/** What n8n sends, with the hint that it adds. */
const body = (message: string, more: object = { hint: 'The workflow must be active' }): string =>
	JSON.stringify({ code: 404, message, ...more });

const LOST = `The requested webhook "GET ${PATH}" is not registered.`;
const LIVE =
	'This webhook is not registered for GET requests. Did you mean to make a POST request?';

describe("n8n's response to a GET of the node's webhook URL", () => {
	it.each([
		['live', LIVE],
		['live', LIVE.replace('POST', 'DELETE or POST')],
		['lost', LOST],
	])('says that the route is %s: %s', (route, message) => {
		expect(routeIn(BASE, { status: 404, text: body(message) })).toBe(route);
		expect(routeIn(BASE, { status: 404, text: body(message, {}) })).toBe(route);
	});

	it.each([
		['another path', LOST.replace('8f2c', '8f2d')],
		['the end of the path', LOST.replace(PATH, 'webhook')],
		['another method', LOST.replace('GET', 'POST')],
		['no method', LOST.replace('GET ', '')],
		['a longer path', LOST.replace(PATH, `other/${PATH}`)],
		['more words', `${LOST} Really.`],
	])('says nothing when it names %s', (_, message) => {
		expect(routeIn(BASE, { status: 404, text: body(message) })).toBe('unknown');
	});
});

it('No other response says that the route is lost, whatever its status and body', () => {
	const anyBody = fc.oneof(
		fc.string(),
		fc.json(),
		fc.constantFrom(
			LOST,
			LIVE,
			`<html>${LOST}</html>`,
			body(LOST),
			body(LIVE),
			body(LOST).slice(0, -1),
		),
		fc
			.record({ code: fc.constantFrom(404, '404', 500), message: fc.constantFrom(LOST, LIVE) })
			.map((json) => JSON.stringify(json)),
		fc.webPath().map((path) => body(`The requested webhook "GET ${path}" is not registered.`)),
		fc.string().map((text) => body(`The requested webhook "GET ${text}" is not registered.`)),
	);
	const status = fc.oneof(fc.constant(404), fc.integer({ min: 100, max: 599 }));
	fc.assert(
		fc.property(status, anyBody, fc.constantFrom(BASE, '', 'n8n'), (code, text, base) => {
			const isOwn = base === BASE && code === 404 && /^\{"code":404,/.test(text);
			const saysLost =
				isOwn &&
				(JSON.parse(text.endsWith('}') ? text : 'null') as { message?: string } | null)?.message ===
					LOST;
			expect(routeIn(base, { status: code, text }) === 'lost').toBe(saysLost);
		}),
		{ numRuns: 1_000 },
	);
});

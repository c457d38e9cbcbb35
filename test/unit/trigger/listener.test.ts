/** A lost listener is an alarm: there must never be a false one. */
import { Readable } from 'node:stream';
import fc from 'fast-check';
import type { ITriggerFunctions } from 'n8n-workflow';

import { webhookBase } from '../../../nodes/OutreachService/domain/triggerUrl';
import { isListenerLost } from '../../../nodes/OutreachService/trigger/registration/listenerCheck';
import { anyPath } from '../../anyText';
import { tries } from '../../propertyRuns';

const PATH = '8f2c9c0e-0000-4000-8000-000000000001/webhook';
const BASE = `https://n8n.test/automation/webhook/${PATH}`;

/** What n8n responds with to OPTIONS where it has webhooks for these methods. */
const listing = (...methods: string[]) => ({
	statusCode: 204,
	body: '',
	headers: {
		etag: 'W/"2-vyGp6PvFo4RvsFtPoIWeCReyIC8"',
		'access-control-allow-methods': ['OPTIONS', ...methods].join(', '),
	},
});

type Given = { statusCode: number; body: string; headers?: object };

/** Whether the listener counts as lost where OPTIONS and GET are responded to so. */
async function isLostWith(ofOptions: Given, ofGet: Given, base = BASE) {
	const httpRequest = async ({ method }: { method: string }) => {
		const { statusCode, body, headers = {} } = method === 'OPTIONS' ? ofOptions : ofGet;
		return {
			statusCode,
			headers,
			body: body === '' ? undefined : Readable.from([Buffer.from(body)]),
		};
	};
	const ctx = { helpers: { httpRequest }, logger: { debug: () => undefined } };
	const { signal } = new AbortController();
	return await isListenerLost(ctx as unknown as ITriggerFunctions, webhookBase(base), signal);
}

/** What n8n sends, with the hint that it adds. */
const body = (message: string, more: object = { hint: 'The workflow must be active' }): string =>
	JSON.stringify({ code: 404, message, ...more });

const LOST = `The requested webhook "GET ${PATH}" is not registered.`;

it("The listener is lost in n8n's own words for the path, unless n8n lists POST", async () => {
	const get = { statusCode: 404, body: body(LOST) };
	expect(await isLostWith(listing('POST'), get)).toBe(false);
	expect(await isLostWith(listing(), get)).toBe(true);
	expect(await isLostWith(listing(), { statusCode: 404, body: body(LOST, {}) })).toBe(true);
	// A proxy responds to OPTIONS.
	expect(await isLostWith({ statusCode: 405, body: '' }, get)).toBe(false);
	expect(await isLostWith({ statusCode: 410, body: '' }, get)).toBe(false);
	expect(await isLostWith(listing('GET'), get)).toBe(false);
});

it('No other response says that the listener is lost, whatever its status and body', async () => {
	const anyBody = fc.oneof(
		fc.string(),
		fc.json(),
		fc.constantFrom(LOST, `<html>${LOST}</html>`, body(LOST), body(LOST).slice(0, -1)),
		fc
			.record({ code: fc.constantFrom(404, '404', 500), message: fc.constant(LOST) })
			.map((json) => JSON.stringify(json)),
		anyPath
			.filter((path) => !`/${PATH}`.endsWith(`/${path}`))
			.map((path) => body(`The requested webhook "GET ${path}" is not registered.`)),
	);
	const status = fc.oneof(fc.constant(404), fc.integer({ min: 200, max: 599 }));
	await fc.assert(
		fc.asyncProperty(
			status,
			anyBody,
			fc.constantFrom(BASE, '', 'n8n'),
			async (code, text, base) => {
				const isOwn = base === BASE && code === 404 && /^\{"code":404,/.test(text);
				const saysLost =
					isOwn &&
					(JSON.parse(text.endsWith('}') ? text : 'null') as { message?: string } | null)
						?.message === LOST;
				const isLost = await isLostWith(listing(), { statusCode: code, body: text }, base);
				expect(isLost).toBe(saysLost);
			},
		),
		{ numRuns: tries(75) },
	);
});

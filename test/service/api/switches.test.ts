/**
 * Each switch of the local service changes what it says, and nothing else. Against a local service that the test
 * starts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { SwitchChanges } from '../../../tools/service';
import { SWITCHES } from '../../../tools/service/switches';
import { callApi } from '../testing/apiClient';
import { service } from '../testing/fixture';

const targetUrl = 'https://n8n.example/webhook/1';
const hook = { targetUrl };
/** The webhook that is already there. */
const there = { targetUrl: 'http://there.example' };

const without = (pattern: RegExp) => expect.not.stringMatching(pattern) as string;

const inQuery = '?campaignId=cam_q&isFirst=true&toolLinkId=1';
const fromQuery = { campaignId: 'cam_q', isFirst: true, toolLinkId: 1 };
const inBody = { campaignId: 'cam_b', isFirst: false, toolLinkId: 2 };

/** A request with switches set, and its response. */
type Case = [
	switches: SwitchChanges,
	request: ['GET' | 'POST' | 'DELETE', path: string, body?: object],
	response: object,
];

const CASES: Case[] = [
	[{}, ['POST', `/hooks${inQuery}`, hook], { json: fromQuery }],
	[{}, ['POST', '/hooks', { ...hook, ...inBody }], { json: inBody }],
	[{}, ['POST', `/hooks${inQuery}`, { ...hook, ...inBody }], { json: inBody }],
	[
		{ createParameters: 'query' },
		['POST', `/hooks${inQuery}`, { ...hook, ...inBody }],
		{ json: fromQuery },
	],
	[
		{ createParameters: 'query' },
		['POST', '/hooks', { ...hook, ...inBody }],
		{ text: without(/cam_b/) },
	],
	[
		{ createParameters: 'body' },
		['POST', `/hooks${inQuery}`, { ...hook, ...inBody }],
		{ json: inBody },
	],
	[
		{ createParameters: 'body' },
		['POST', '/hooks?toolLinkId=abc', hook],
		{ status: 200, text: without(/toolLinkId/) },
	],
	[
		{},
		['POST', '/hooks?campaignId=&isFirst=&toolLinkId=', hook],
		{ status: 200, text: without(/campaignId|isFirst|toolLinkId/) },
	],
	[{}, ['POST', '/hooks?toolLinkId=abc', hook], { status: 400 }],
	[{}, ['POST', '/hooks?isFirst=maybe', hook], { status: 400 }],
	[{}, ['POST', '/hooks?campaignId=a&campaignId=b', hook], { status: 400 }],
	[{ createStatus: 201 }, ['POST', '/hooks', hook], { status: 201, json: { targetUrl } }],
	[{ createStatus: 204 }, ['POST', '/hooks', hook], { status: 204, text: '' }],
	[{ createdAt: 'absent' }, ['GET', '/hooks'], { status: 200, text: without(/createdAt/) }],
	[
		{ targetUrlForm: 'normalized' },
		['POST', '/hooks', { targetUrl: 'HTTPS://N8N.example?event=*' }],
		{ json: { targetUrl: 'https://n8n.example/?event=%2A' } },
	],
	[
		{ unknownTypes: 'accept' },
		['POST', '/hooks', { ...hook, type: 'telepathySent' }],
		{ status: 200, json: { type: 'telepathySent' } },
	],
	[{ unknownTypes: 'accept' }, ['POST', '/hooks', { ...hook, type: 'skipped' }], { status: 400 }],
	[{ hookUrls: 'shared' }, ['POST', '/hooks', there], { status: 200 }],
	[{ hookUrls: 'oncePerTeam' }, ['POST', '/hooks', { ...there, type: 'smsSent' }], { status: 409 }],
	[{ maxHooks: 1 }, ['POST', '/hooks', hook], { status: 400 }],
	[{ maxHooks: 2 }, ['POST', '/hooks', hook], { status: 200 }],
	[{}, ['DELETE', '/hooks/ID'], { status: 200, json: there }],
	[{ deleteBody: 'empty' }, ['DELETE', '/hooks/ID'], { status: 200, text: '' }],
	[{ notFoundStatus: 410 }, ['DELETE', '/hooks/hoo_1'], { status: 410, text: 'Webhook not found' }],
	[{ emptyList: 'notFound' }, ['GET', '/hooks'], { status: 200 }],
];

it.each(CASES)('with %j, %j is %j', async (switches, [method, path, body], response) => {
	const running = await service({ switches });
	const { _id } = running.addHook(there);
	const seen = await callApi(running, method, path.replace('ID', _id), { body });
	expect(seen).toMatchObject(response);
});

it('§7 with emptyList notFound, GET /hooks responds with Webhook not found if there are no webhooks', async () => {
	const running = await service({ switches: { emptyList: 'notFound' } });
	const empty = await callApi(running, 'GET', '/hooks');
	expect(empty).toMatchObject({ status: 404, text: 'Webhook not found' });
});

it('§8.4 maxHooks counts the webhooks of a team', async () => {
	const running = await service({ switches: { maxHooks: 1 } });
	running.addApiKey('other', 'tea_other');
	for (const key of [running.apiKey, 'other']) {
		expect((await callApi(running, 'POST', '/hooks', { key, body: hook })).status).toBe(200);
		expect((await callApi(running, 'POST', '/hooks', { key, body: hook })).status).toBe(400);
	}
});

it('an unknown switch or an invalid value throws, and changes nothing', async () => {
	const running = await service();
	const before = running.switches;
	for (const wrong of [
		{ createStatus: 201, maxHooks: -1 },
		{ createStatus: 201, nonsense: true },
	]) {
		expect(() => {
			running.setSwitches(wrong);
		}).toThrow(/maxHooks|nonsense/);
	}
	expect(running.switches).toEqual(before);
});

it('each switch is set by some test, here or against the nodes', () => {
	const folder = join(__dirname, '..', '..');
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
	const tests = files
		.filter((file) => file.endsWith('.test.ts'))
		.map((file) => readFileSync(join(folder, file), 'utf8'))
		.join('\n');
	for (const { name } of SWITCHES) expect(tests).toMatch(new RegExp(`\\b${name}\\b`));
});

it('each switch has its default first, and says what it decides', () => {
	for (const { values, initial, text } of SWITCHES) {
		expect(values?.[0] ?? initial).toBe(initial);
		expect(text).toMatch(/^§\d/);
	}
});

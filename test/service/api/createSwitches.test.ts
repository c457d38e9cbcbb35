import type { SwitchChanges } from '../../../tools/service/index';
import { callApi } from '../testing/apiClient';
import { service } from '../testing/fixture';

const targetUrl = 'https://n8n.example/webhook/1';
const createWith = async (switches: SwitchChanges, query: string, body: object = {}) => {
	const running = await service({ switches });
	const answer = await callApi(running, 'POST', `/hooks${query}`, { body: { targetUrl, ...body } });
	return { running, answer, hook: running.hooks()[0] };
};
const inQuery = '?campaignId=cam_q&isFirst=true&toolLinkId=1';
const inBody = { campaignId: 'cam_b', isFirst: false, toolLinkId: 2 };
const fromQuery = { campaignId: 'cam_q', isFirst: true, toolLinkId: 1 };

describe('§4.2 switch createParameters', () => {
	it('both: takes them from either, the body first', async () => {
		expect((await createWith({}, inQuery)).hook).toMatchObject(fromQuery);
		expect((await createWith({}, '', inBody)).hook).toMatchObject(inBody);
		expect((await createWith({}, inQuery, inBody)).hook).toMatchObject(inBody);
	});

	it('query: ignores them in the body', async () => {
		const switches = { createParameters: 'query' } as const;
		expect((await createWith(switches, inQuery, inBody)).hook).toMatchObject(fromQuery);
		expect((await createWith(switches, '', inBody)).hook).not.toHaveProperty('campaignId');
	});

	it('body: ignores them in the query, even malformed ones', async () => {
		const switches = { createParameters: 'body' } as const;
		expect((await createWith(switches, inQuery, inBody)).hook).toMatchObject(inBody);
		expect((await createWith(switches, '?toolLinkId=abc')).hook).not.toHaveProperty('toolLinkId');
	});

	it('takes an empty query value as not given, and refuses a malformed one', async () => {
		const { hook } = await createWith({}, '?campaignId=&isFirst=&toolLinkId=');
		expect(hook).not.toHaveProperty('toolLinkId');
		expect((await createWith({}, '?toolLinkId=abc')).answer.status).toBe(400);
		expect((await createWith({}, '?isFirst=maybe')).answer.status).toBe(400);
		expect((await createWith({}, '?campaignId=a&campaignId=b')).answer.status).toBe(400);
	});
});

describe('§4.2 what create answers', () => {
	it('createStatus, with no body for 204', async () => {
		expect((await createWith({ createStatus: 201 }, '')).answer).toMatchObject({
			status: 201,
			json: { targetUrl },
		});
		const { answer, hook } = await createWith({ createStatus: 204 }, '');
		expect(answer).toMatchObject({ status: 204, text: '' });
		expect(hook).toMatchObject({ targetUrl });
	});

	it('invalidStatus', async () => {
		const { answer } = await createWith({ invalidStatus: 422 }, '', { type: 'skipped' });
		expect(answer.status).toBe(422);
	});

	it('unknownTypes accept: a type of a later version, but still none that was removed', async () => {
		const switches = { unknownTypes: 'accept' } as const;
		const later = await createWith(switches, '', { type: 'telepathySent' });
		expect(later.answer).toMatchObject({ status: 200, json: { type: 'telepathySent' } });
		expect((await createWith(switches, '', { type: 'skipped' })).answer.status).toBe(400);
	});

	it.each([
		['shared', 200, 200],
		['oncePerTeam', 409, 409],
		['oncePerType', 409, 200],
	] as const)(
		'hookUrls %s: %i for the same URL and type, %i for another type',
		async (hookUrls, again, otherType) => {
			const { running } = await createWith({ hookUrls }, '', { type: 'smsSent' });
			const create = async (type: string) =>
				callApi(running, 'POST', '/hooks', { body: { targetUrl, type } });
			expect((await create('smsSent')).status).toBe(again);
			expect((await create('smsReplied')).status).toBe(otherType);
		},
	);

	it('duplicateStatus', async () => {
		const { running } = await createWith({ hookUrls: 'oncePerTeam', duplicateStatus: 422 }, '');
		expect((await callApi(running, 'POST', '/hooks', { body: { targetUrl } })).status).toBe(422);
	});

	it('§8.4 maxHooks and maxHooksStatus: a cap for each team', async () => {
		const { running } = await createWith({ maxHooks: 1, maxHooksStatus: 403 }, '');
		running.addApiKey('other', 'tea_other');
		const create = async (key: string) =>
			callApi(running, 'POST', '/hooks', { key, body: { targetUrl } });
		expect((await create(running.apiKey)).status).toBe(403);
		expect((await create('other')).status).toBe(200);
	});
});

describe('switches of the other routes', () => {
	it('§4.3 deleteStatus and deleteAnswer', async () => {
		const running = await service();
		const remove = async (switches: SwitchChanges) => {
			running.setSwitches(switches);
			return callApi(running, 'DELETE', `/hooks/${running.addHook({ targetUrl })._id}`);
		};
		expect(await remove({ deleteStatus: 202 })).toMatchObject({ status: 202, json: { targetUrl } });
		expect(await remove({ deleteAnswer: 'empty' })).toMatchObject({ status: 202, text: '' });
		const noContent = await remove({ deleteAnswer: 'hook', deleteStatus: 204 });
		expect(noContent).toMatchObject({ status: 204, text: '' });
		expect(running.hooks()).toEqual([]);
	});

	it('§7 notFoundStatus and badTeamStatus change the status and not the text', async () => {
		const switches = { notFoundStatus: 410, badTeamStatus: 403 };
		const running = await service({ switches });
		running.addApiKey('stray', null);
		const unknown = await callApi(running, 'DELETE', '/hooks/hoo_1');
		expect(unknown).toMatchObject({ status: 410, text: 'Webhook not found' });
		const stray = await callApi(running, 'GET', '/hooks', { key: 'stray' });
		expect(stray).toMatchObject({ status: 403, text: 'Bad team' });
	});

	it('§7 emptyList notFound: GET /hooks answers Webhook not found when there are none', async () => {
		const running = await service({ switches: { emptyList: 'notFound' } });
		const empty = await callApi(running, 'GET', '/hooks');
		expect(empty).toMatchObject({ status: 404, text: 'Webhook not found' });
		running.addHook({ targetUrl });
		expect((await callApi(running, 'GET', '/hooks')).status).toBe(200);
	});

	it('an unknown switch or value is refused, and nothing is changed', async () => {
		const running = await service();
		const before = running.switches;
		const wrong = { createStatus: 201, maxHooks: -1 };
		expect(() => {
			running.setSwitches(wrong);
		}).toThrow(/maxHooks/);
		const unknown = { createStatus: 201, nonsense: true };
		expect(() => {
			running.setSwitches(unknown);
		}).toThrow(/nonsense/);
		expect(running.switches).toEqual(before);
	});
});

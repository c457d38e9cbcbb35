import type { SwitchChanges } from '../../../tools/service/index';
import { callApi } from '../testing/apiClient';
import { service } from '../testing/fixture';

const targetUrl = 'https://n8n.example/webhook/1';
const createWith = async (switches: SwitchChanges, query: string, body: object = {}) => {
	const running = await service({ switches });
	const response = await callApi(running, 'POST', `/hooks${query}`, {
		body: { targetUrl, ...body },
	});
	return { running, response, hook: running.hooks()[0] };
};
const inQuery = '?campaignId=cam_q&isFirst=true&toolLinkId=1';
const inBody = { campaignId: 'cam_b', isFirst: false, toolLinkId: 2 };
const fromQuery = { campaignId: 'cam_q', isFirst: true, toolLinkId: 1 };

describe('§4.2 createParameters', () => {
	it('both reads the query and the body, which takes precedence', async () => {
		expect((await createWith({}, inQuery)).hook).toMatchObject(fromQuery);
		expect((await createWith({}, '', inBody)).hook).toMatchObject(inBody);
		expect((await createWith({}, inQuery, inBody)).hook).toMatchObject(inBody);
	});

	it('query ignores the parameters in the body', async () => {
		const switches = { createParameters: 'query' } as const;
		expect((await createWith(switches, inQuery, inBody)).hook).toMatchObject(fromQuery);
		expect((await createWith(switches, '', inBody)).hook).not.toHaveProperty('campaignId');
	});

	it('body ignores the parameters in the query, even malformed ones', async () => {
		const switches = { createParameters: 'body' } as const;
		expect((await createWith(switches, inQuery, inBody)).hook).toMatchObject(inBody);
		expect((await createWith(switches, '?toolLinkId=abc')).hook).not.toHaveProperty('toolLinkId');
	});

	it('treats an empty query value as absent, and rejects a malformed one', async () => {
		const { hook } = await createWith({}, '?campaignId=&isFirst=&toolLinkId=');
		expect(hook).not.toHaveProperty('toolLinkId');
		expect((await createWith({}, '?toolLinkId=abc')).response.status).toBe(400);
		expect((await createWith({}, '?isFirst=maybe')).response.status).toBe(400);
		expect((await createWith({}, '?campaignId=a&campaignId=b')).response.status).toBe(400);
	});
});

describe('§4.2 the response of POST /hooks', () => {
	it('has the status of createStatus, and no body with 204', async () => {
		expect((await createWith({ createStatus: 201 }, '')).response).toMatchObject({
			status: 201,
			json: { targetUrl },
		});
		const { response, hook } = await createWith({ createStatus: 204 }, '');
		expect(response).toMatchObject({ status: 204, text: '' });
		expect(hook).toMatchObject({ targetUrl });
	});

	it('with unknownTypes accept, accepts a type of a later version but no removed type', async () => {
		const switches = { unknownTypes: 'accept' } as const;
		const later = await createWith(switches, '', { type: 'telepathySent' });
		expect(later.response).toMatchObject({ status: 200, json: { type: 'telepathySent' } });
		expect((await createWith(switches, '', { type: 'skipped' })).response.status).toBe(400);
	});

	it.each([
		['shared', 200, 200],
		['oncePerTeam', 409, 409],
		['oncePerType', 409, 200],
	] as const)(
		'with hookUrls %s, is %i for the same target URL and type, and %i for another type',
		async (hookUrls, again, otherType) => {
			const { running } = await createWith({ hookUrls }, '', { type: 'smsSent' });
			const create = async (type: string) =>
				callApi(running, 'POST', '/hooks', { body: { targetUrl, type } });
			expect((await create('smsSent')).status).toBe(again);
			expect((await create('smsReplied')).status).toBe(otherType);
		},
	);

	it('has the status of duplicateStatus if the target URL is a duplicate', async () => {
		const { running } = await createWith({ hookUrls: 'oncePerTeam', duplicateStatus: 422 }, '');
		expect((await callApi(running, 'POST', '/hooks', { body: { targetUrl } })).status).toBe(422);
	});

	it('§8.4 is a 400 once a team has maxHooks webhooks', async () => {
		const { running } = await createWith({ maxHooks: 1 }, '');
		running.addApiKey('other', 'tea_other');
		const create = async (key: string) =>
			callApi(running, 'POST', '/hooks', { key, body: { targetUrl } });
		expect((await create(running.apiKey)).status).toBe(400);
		expect((await create('other')).status).toBe(200);
	});
});

describe('the switches of the other routes', () => {
	it('§4.3 deleteStatus and deleteBody set the response of DELETE', async () => {
		const running = await service();
		const remove = async (switches: SwitchChanges) => {
			running.setSwitches(switches);
			return callApi(running, 'DELETE', `/hooks/${running.addHook({ targetUrl })._id}`);
		};
		expect(await remove({ deleteStatus: 202 })).toMatchObject({ status: 202, json: { targetUrl } });
		expect(await remove({ deleteBody: 'empty' })).toMatchObject({ status: 202, text: '' });
		const noContent = await remove({ deleteBody: 'hook', deleteStatus: 204 });
		expect(noContent).toMatchObject({ status: 204, text: '' });
		expect(running.hooks()).toEqual([]);
	});

	it('§7 notFoundStatus and badTeamStatus change the status but not the text', async () => {
		const switches = { notFoundStatus: 410, badTeamStatus: 403 };
		const running = await service({ switches });
		running.addApiKey('stray', null);
		const unknown = await callApi(running, 'DELETE', '/hooks/hoo_1');
		expect(unknown).toMatchObject({ status: 410, text: 'Webhook not found' });
		const stray = await callApi(running, 'GET', '/hooks', { key: 'stray' });
		expect(stray).toMatchObject({ status: 403, text: 'Bad team' });
	});

	it('§7 with emptyList notFound, GET /hooks responds with Webhook not found if there are no webhooks', async () => {
		const running = await service({ switches: { emptyList: 'notFound' } });
		const empty = await callApi(running, 'GET', '/hooks');
		expect(empty).toMatchObject({ status: 404, text: 'Webhook not found' });
		running.addHook({ targetUrl });
		expect((await callApi(running, 'GET', '/hooks')).status).toBe(200);
	});

	it('an unknown switch or an invalid value throws, and changes nothing', async () => {
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

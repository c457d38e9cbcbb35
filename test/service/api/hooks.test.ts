/**
 * The webhooks of the local service: what clients create, list and delete (§2.1, §4). Against a local service that the
 * test starts.
 */
import { EVENT_TYPES, REMOVED_EVENT_TYPES } from '../../../tools/service/model/eventGroups';
import { callApi } from '../testing/apiClient';
import { service } from '../testing/fixture';

const targetUrl = 'https://n8n.example/webhook/1';
const fieldsOf = (value: unknown) =>
	typeof value === 'object' && value !== null ? Object.keys(value) : [];

describe('§2.1 the webhook', () => {
	it('always has _id, targetUrl and createdAt, and no field that was not set', async () => {
		const running = await service();
		const { json, text } = await callApi(running, 'POST', '/hooks', { body: { targetUrl } });
		expect(fieldsOf(json)).toEqual(['_id', 'targetUrl', 'createdAt']);
		expect(text).toMatch(/"_id":"hoo_[A-Za-z0-9]{17}"/);
		expect(text).toMatch(/"createdAt":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/);
		expect(json).toMatchObject({ targetUrl });
	});

	it('belongs to the team of the key, and other teams can neither list nor delete it', async () => {
		const running = await service();
		running.addApiKey('two', 'tea_2');
		const hook = running.addHook({ targetUrl });
		expect((await callApi(running, 'GET', '/hooks', { key: 'two' })).json).toEqual([]);
		const refused = await callApi(running, 'DELETE', `/hooks/${hook._id}`, { key: 'two' });
		expect(refused.status).toBe(404);
		expect(running.hooks()).toHaveLength(1);
	});
});

describe('§4.1 GET /hooks', () => {
	it('returns an array, oldest first', async () => {
		const running = await service();
		const ids = [1, 2, 3].map((n) => running.addHook({ targetUrl: `${targetUrl}/${n}` })._id);
		const response = await callApi(running, 'GET', '/hooks');
		expect(response.status).toBe(200);
		expect(response.headers['content-type']).toMatch(/^application\/json/);
		expect(response.json).toHaveLength(3);
		expect(response.json).toMatchObject(ids.map((_id) => ({ _id })));
	});
});

describe('§4.2 POST /hooks', () => {
	it('§6.1 accepts each of the 75 event types', async () => {
		const running = await service();
		for (const type of EVENT_TYPES) {
			const response = await callApi(running, 'POST', '/hooks', { body: { targetUrl, type } });
			expect(response).toMatchObject({ status: 200, json: { type } });
		}
		expect(EVENT_TYPES).toHaveLength(75);
	});

	it.each([...REMOVED_EVENT_TYPES])(
		'§6.2 rejects the removed type %s',
		async (type, replacement) => {
			const running = await service();
			const response = await callApi(running, 'POST', '/hooks', { body: { targetUrl, type } });
			expect(response.status).toBe(400);
			expect(response.text).toContain(replacement ?? 'without a replacement');
			expect(running.hooks()).toEqual([]);
		},
	);

	it.each([
		['a missing targetUrl', {}, 'targetUrl'],
		['a targetUrl that is not a URL', { targetUrl: 'not a url' }, 'targetUrl'],
		['a targetUrl that is neither http nor https', { targetUrl: 'ftp://a.example/' }, 'targetUrl'],
		['a type that §6.1 does not list', { targetUrl, type: 'somethingNew' }, 'somethingNew'],
		['a type that is not a string', { targetUrl, type: 5 }, 'type'],
		['a type that an object has as a property', { targetUrl, type: 'constructor' }, 'constructor'],
		['a secret that is not a string', { targetUrl, secret: ['x'] }, 'secret'],
		['an isFirst that is not a boolean', { targetUrl, isFirst: 'maybe' }, 'isFirst'],
		['a toolLinkId that is not an integer', { targetUrl, toolLinkId: 1.5 }, 'toolLinkId'],
		['an array', [{ targetUrl }], 'body'],
		['null', null, 'body'],
	])('rejects %s with plain text that names it, and stores nothing', async (_what, body, named) => {
		const running = await service();
		const response = await callApi(running, 'POST', '/hooks', { body });
		expect(response.status).toBe(400);
		expect(response.headers['content-type']).toMatch(/^text\/plain/);
		expect(response.text).toContain(named);
		expect(running.hooks()).toEqual([]);
	});
});

describe('§6.4 the shared secret', () => {
	it('§6.4.3 is in no response, view or log', async () => {
		const running = await service({ switches: { hookUrls: 'oncePerTeam' } });
		const body = { targetUrl, secret: 'open sesame' };
		const created = await callApi(running, 'POST', '/hooks?secret=open%20sesame', { body });
		const refused = await callApi(running, 'POST', '/hooks', { body });
		const listed = await callApi(running, 'GET', '/hooks');
		const deleted = await callApi(running, 'DELETE', `/hooks/${running.hooks()[0]!._id}`);
		running.addHook(body);
		const seen = [created, refused, listed, deleted, running.hooks(), running.requests];
		expect(JSON.stringify(seen)).not.toContain('sesame');
		expect(running.hooks()[0]).toMatchObject({ hasSecret: true });
		expect(running.requests[0]).toMatchObject({ body: { secret: '(set)' } });
	});
});

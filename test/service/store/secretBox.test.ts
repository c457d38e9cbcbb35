import { inspect } from 'node:util';
import { callApi } from '../testing/apiClient';
import { service } from '../testing/fixture';
import { HookStore } from '../../../tools/service/store/hookStore';
import { SecretBox } from '../../../tools/service/store/secretBox';

describe('§6.4 the shared secret', () => {
	it.each(['short', '', 'é "quotes" \u0000', 'x'.repeat(10_000)])(
		'is the same after encryption and decryption: %#',
		(secret) => {
			const box = new SecretBox();
			expect(box.open(box.seal(secret))).toBe(secret);
		},
	);

	it('§6.4.2 is not in the store in plain text, and equal secrets have different ciphertexts', () => {
		const store = new HookStore();
		const hooks = [1, 2].map(() =>
			store.add('tea_1', { targetUrl: 'http://n8n.example', secret: 'open sesame' }),
		);
		expect(inspect(store, { depth: null, showHidden: true })).not.toContain('open sesame');
		expect(hooks[0]?.secret?.sealed).not.toBe(hooks[1]?.secret?.sealed);
		expect(hooks.map((hook) => store.secretOf(hook))).toEqual(['open sesame', 'open sesame']);
	});

	it('§6.4.2 cannot be decrypted if it was changed or encrypted with another key', () => {
		const box = new SecretBox();
		const sealed = box.seal('open sesame');
		expect(() =>
			box.open({ ...sealed, sealed: Buffer.from('other').toString('base64url') }),
		).toThrow();
		expect(() => new SecretBox().open(sealed)).toThrow();
	});

	it('§6.4.3 is in no response, list, view or log', async () => {
		const running = await service({ switches: { hookUrls: 'oncePerTeam' } });
		const body = { targetUrl: 'http://n8n.example', secret: 'open sesame' };
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

	it('§6.4.4 cannot be changed, because no route changes a webhook', async () => {
		const running = await service();
		const { _id } = running.addHook({ targetUrl: 'http://n8n.example', secret: 'a' });
		for (const method of ['PUT', 'PATCH', 'POST'] as const) {
			const response = await callApi(running, method, `/hooks/${_id}`, { body: { secret: 'b' } });
			expect(response.status).toBe(404);
		}
	});
});

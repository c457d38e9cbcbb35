import { createHash } from 'node:crypto';

import type { TriggerHost } from '../support/trigger';
import { World } from './world';

let world: World;
beforeEach(async () => {
	world = await World.start();
});
afterEach(async () => {
	await world.end();
});

const url = () => world.service.hooks()[0]!.targetUrl;

async function post(body: unknown, headers: Record<string, string> = {}): Promise<number> {
	const response = await fetch(url(), {
		method: 'POST',
		headers: { 'content-type': 'application/json', ...headers },
		...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
	});
	expect(await response.text()).toBe('');
	return response.status;
}

/** The secret of the first webhook, as the service sends it. */
async function secretOf(host: TriggerHost): Promise<string> {
	await world.service.emit({ type: 'emailsReplied' });
	host.started.pop();
	return (JSON.parse(host.bodies.at(-1)!) as { secret: string }).secret;
}

describe('A forged call', () => {
	it.each<[string, unknown]>([
		['without a secret', { _id: 'act_1', type: 'emailsReplied' }],
		['with a wrong secret', { _id: 'act_1', secret: 'a'.repeat(64) }],
		['with an empty secret', { secret: '' }],
		['with a secret of a wrong type', { secret: 42 }],
		['with a secret that is a list', { secret: ['a'] }],
		['with a secret that is an object', { secret: { length: 64 } }],
		['with a very long secret', { secret: 'a'.repeat(2_000_000) }],
		['whose body is a list', [{ secret: 'a' }]],
		['whose body is a text', '"text"'],
		['whose body is null', 'null'],
		['without a body', undefined],
	])('%s is refused with 401, no hint and no execution', async (_name, body) => {
		const host = await world.trigger(['emailsReplied']);
		await host.activate();
		expect(await post(body)).toBe(401);
		expect(host.started).toEqual([]);
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.started).toHaveLength(1);
	});

	it('to the address of another event is refused, even with the secret of this one', async () => {
		const host = await world.trigger(['emailsReplied', 'smsSent']);
		await host.activate();
		const secret = await secretOf(host);
		const status = async (event: string) =>
			(
				await fetch(url().replace(/event=.*/, event), {
					method: 'POST',
					headers: { 'content-type': 'application/json' },
					body: JSON.stringify({ _id: 'act_x', secret }),
				})
			).status;
		expect(await status('event=smsSent')).toBe(401);
		expect(await status('event=neverSelected')).toBe(401);
		expect(await status('event=a&event=b')).toBe(401);
		expect(await status('')).toBe(401);
		expect(await status('event=emailsReplied')).toBe(200);
	});

	it('costs one look at the credential a minute, however many there are', async () => {
		const host = await world.trigger(['emailsReplied']);
		await host.activate();
		const before = host.credentialReads;
		await Promise.all(Array.from({ length: 50 }, async () => await post({ secret: 'forged' })));
		expect(host.credentialReads - before).toBe(1);
	});

	it('is answered once, by the node: n8n adds nothing', async () => {
		const host = await world.trigger(['emailsReplied']);
		await host.activate();
		expect(await post({ secret: 'forged' })).toBe(401);
		expect(host.answeredTwice).toBe(0);
	});
});

describe('A genuine delivery', () => {
	it('is verified without reading the credential', async () => {
		const host = await world.trigger(['emailsReplied']);
		await host.activate();
		const before = host.credentialReads;
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.started).toHaveLength(1);
		expect(host.credentialReads).toBe(before);
	});

	it('is verified after a crash that lost the stored webhooks', async () => {
		const host = await world.trigger(['emailsReplied']);
		await host.call('create');
		host.reload(undefined, {});
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.started).toHaveLength(1);
	});

	it('is verified after the API key changed in the credential', async () => {
		const host = await world.trigger(['emailsReplied']);
		await host.activate();
		world.service.addApiKey('new-key');
		host.credential.apiKey = 'new-key';
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.started).toHaveLength(1);
		host.reload();
		await host.activate('init');
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.started).toHaveLength(2);
	});

	it('is verified in a test run', async () => {
		const host = await world.trigger(['emailsReplied'], {}, { mode: 'manual' });
		await host.activate('manual');
		expect(url()).toContain('/webhook-test/');
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.started).toHaveLength(1);
	});

	it('may come without a content type', async () => {
		const host = await world.trigger(['emailsReplied']);
		await host.activate();
		const secret = await secretOf(host);
		const body = JSON.stringify({ _id: 'act_1', type: 'emailsReplied', secret });
		const response = await fetch(url(), { method: 'POST', body: Buffer.from(body) });
		expect(response.status).toBe(200);
		expect(host.started[0]?.json).toEqual({ _id: 'act_1', type: 'emailsReplied' });
	});
});

describe('The secret', () => {
	it('is in no item and not in the static data, which holds its SHA-256 alone', async () => {
		const host = await world.trigger(['emailsReplied'], { output: 'grouped' });
		await host.activate();
		const secret = await secretOf(host);
		await world.service.emit({ type: 'emailsReplied' });
		expect(JSON.stringify(host.started)).not.toContain(secret);
		const saved = JSON.stringify(host.savedStaticData);
		expect(saved).not.toContain(secret);
		expect(saved).toContain(createHash('sha256').update(secret).digest('hex'));
	});

	it('is not asked for when verification is off', async () => {
		const host = await world.trigger(['emailsReplied'], { verifySecret: false });
		await host.activate();
		expect(await post({ _id: 'act_1', type: 'emailsReplied' })).toBe(200);
		expect(host.started).toHaveLength(1);
		expect(await post([1])).toBe(400);
		expect(await post(undefined)).toBe(400);
		expect(host.started).toHaveLength(1);
	});
});

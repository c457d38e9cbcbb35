import fc from 'fast-check';

import { digestOf } from '../../../nodes/OutreachService/model/secret';
import type { TriggerHost } from '../support/trigger';
import { World } from './world';

let world: World;
beforeEach(async () => {
	world = await World.start();
});
afterEach(async () => {
	await world.end();
});

type Call = { body: string; contentType: string | undefined; query: string };

/** Calls the trigger from outside; n8n itself answers 422 to what says that it is JSON and is not. */
async function call({ body, contentType, query }: Call): Promise<number> {
	const response = await fetch(world.service.hooks()[0]!.targetUrl.replace(/\?.*/, query), {
		method: 'POST',
		body: Buffer.from(body),
		headers: contentType === undefined ? {} : { 'content-type': contentType },
	});
	expect(await response.text()).toBe('');
	return response.status;
}

const jsonObject = fc.dictionary(fc.string().filter(isOrdinaryKey), fc.jsonValue());
const contentType = fc.constantFrom('application/json', undefined);
const query = fc.oneof(
	fc.constantFrom('?event=emailsReplied', '?event=smsSent', '?event=*', '?event=', ''),
	fc.string().map((text) => `?event=${encodeURIComponent(text)}`),
	fc.webQueryParameters().map((text) => `?${text}`),
);
const body = fc.oneof(
	fc.json(),
	jsonObject.map((object) => JSON.stringify(object)),
	fc.string(),
	fc.string({ unit: 'binary' }),
);

/** `__proto__` is a word of the language, and the secret is put in by the tests. */
function isOrdinaryKey(key: string): boolean {
	return !['__proto__', 'secret'].includes(key);
}

function parsed(text: unknown): unknown {
	try {
		return JSON.parse(String(text));
	} catch {
		return undefined;
	}
}

const isObject = (value: unknown) =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

async function activeTrigger(options = {}): Promise<TriggerHost> {
	const host = await world.trigger(['emailsReplied'], options);
	await host.activate();
	return host;
}

it('Nothing that comes without the secret starts an execution, whatever it is and wherever it goes', async () => {
	const host = await activeTrigger();
	const anyCall = fc.record({ body, contentType, query });
	await fc.assert(
		fc.asyncProperty(anyCall, async (one) => {
			const isBrokenJson = one.contentType !== undefined && parsed(one.body) === undefined;
			expect(await call(one)).toBe(isBrokenJson && one.body !== '' ? 422 : 401);
			expect(host.started).toEqual([]);
		}),
	);
});

it('No other value passes for the secret, not even the digest that is kept of it', async () => {
	const host = await activeTrigger();
	await world.service.emit({ type: 'emailsReplied' });
	const secret = secretIn(host);
	host.started.pop();
	const near = fc.constantFrom<unknown>(
		digestOf(secret),
		secret.toUpperCase(),
		secret.slice(1),
		` ${secret}`,
		`${secret}\n`,
		[secret],
		{ secret },
	);
	await fc.assert(
		fc.asyncProperty(
			jsonObject,
			fc.oneof(near, fc.jsonValue(), fc.string({ unit: 'binary' })),
			contentType,
			async (object, guess, type) => {
				const forged = JSON.stringify({ ...object, secret: guess });
				const query = '?event=emailsReplied';
				expect(await call({ body: forged, contentType: type, query })).toBe(401);
				expect(host.started).toEqual([]);
			},
		),
	);
});

it('Every object that comes with the secret starts one execution with all of it but the secret', async () => {
	const host = await activeTrigger({ ignoreDuplicates: false });
	await world.service.emit({ type: 'emailsReplied' });
	const secret = secretIn(host);
	await fc.assert(
		fc.asyncProperty(jsonObject, contentType, async (object, type) => {
			host.started.length = 0;
			const genuine = JSON.stringify({ ...object, secret });
			const query = '?event=emailsReplied';
			expect(await call({ body: genuine, contentType: type, query })).toBe(200);
			expect(host.started.map(({ json }) => json)).toEqual([parsed(JSON.stringify(object))]);
		}),
	);
});

it('Where secrets are not checked, an object starts an execution and anything else is answered with 400', async () => {
	const host = await activeTrigger({ verifySecret: false, ignoreDuplicates: false });
	await fc.assert(
		fc.asyncProperty(body, contentType, async (text, type) => {
			host.started.length = 0;
			const status = await call({ body: text, contentType: type, query: '?event=emailsReplied' });
			const read = parsed(text);
			// A sender may write the object as a text within JSON.
			const inner = type !== undefined && typeof read === 'string' ? parsed(read) : read;
			if (type !== undefined && text !== '' && read === undefined) expect(status).toBe(422);
			else expect(status).toBe(isObject(inner) ? 200 : 400);
			expect(host.started).toHaveLength(status === 200 ? 1 : 0);
		}),
	);
});

function secretIn(host: TriggerHost): string {
	return (JSON.parse(host.bodies.at(-1)!) as { secret: string }).secret;
}

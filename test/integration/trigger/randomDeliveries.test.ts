/**
 * Whatever body and query a delivery has, only one with the secret starts an execution, with its fields. The world is a
 * local service and one trigger in one process of n8n.
 */
import fc from 'fast-check';
import { z } from 'zod';

import { parseJson } from '../../../tools/service/http';
import { anyCharacters, anyQuery } from '../../anyText';
import type { TriggerHost } from '../support/trigger';
import { useWorld } from '../support/world';

const world = useWorld();

type Delivery = { body: string; contentType: string | undefined; query: string };

/** The query of the first webhook. */
const ownQuery = (): string => new URL(world.webhooks[0]!.targetUrl).search;

/** Sends a request to the trigger's webhook URL. n8n itself responds with 422 to invalid JSON. */
async function send({ body, contentType, query }: Delivery): Promise<number> {
	const response = await fetch(world.webhooks[0]!.targetUrl.replace(/\?.*/, query), {
		method: 'POST',
		body: Buffer.from(body),
		headers: contentType === undefined ? {} : { 'content-type': contentType },
	});
	expect(await response.text()).toBe('');
	return response.status;
}

const jsonObject = fc.dictionary(fc.string().filter(isOrdinaryKey), fc.jsonValue());
const contentType = fc.constantFrom(
	'application/json',
	undefined,
	'text/plain',
	'application/octet-stream',
	'application/x-www-form-urlencoded',
);
const query = fc.oneof(
	fc.constantFrom('?event=emailsReplied', '?event=smsSent', '?event=*', '?event=', ''),
	fc.string().map((text) => `?event=${encodeURIComponent(text)}`),
	anyQuery.map((text) => `?${text}`),
);
const body = fc.oneof(
	fc.json(),
	jsonObject.map((object) => JSON.stringify(object)),
	fc.string(),
	anyCharacters,
);

/** `__proto__` has a meaning of its own in JavaScript, and the tests add the secret themselves. */
function isOrdinaryKey(key: string): boolean {
	return !['__proto__', 'secret'].includes(key);
}

const parsed = (text: string): unknown => parseJson(text)?.value;

const isObject = (value: unknown): boolean => z.record(z.unknown()).safeParse(value).success;

it('A delivery without the secret never starts an execution, whatever its body and query', async () => {
	const host = await world.activeTrigger(['emailsReplied']);
	const anyDelivery = fc.record({ body, contentType, query });
	await fc.assert(
		fc.asyncProperty(anyDelivery, async (delivery) => {
			const isBrokenJson =
				delivery.contentType === 'application/json' && parsed(delivery.body) === undefined;
			expect(await send(delivery)).toBe(isBrokenJson && delivery.body !== '' ? 422 : 401);
			expect(host.started).toEqual([]);
		}),
	);
});

it('Every object with the secret starts one execution, with all of its fields but the secret', async () => {
	const host = await world.activeTrigger(['emailsReplied'], { duplicateMemory: 'off' });
	await world.service.emit({ type: 'emailsReplied' });
	const secret = secretIn(host);
	await fc.assert(
		fc.asyncProperty(jsonObject, contentType, async (object, type) => {
			host.started.length = 0;
			const verified = JSON.stringify({ ...object, secret });
			expect(await send({ body: verified, contentType: type, query: ownQuery() })).toBe(200);
			expect(host.started.map(({ json }) => json)).toEqual([parsed(JSON.stringify(object))]);
		}),
	);
});

it('With Verify Secret off, an object starts an execution, and anything else gets a 400', async () => {
	const host = await world.activeTrigger(['emailsReplied'], {
		verifySecret: false,
		duplicateMemory: 'off',
	});
	await fc.assert(
		fc.asyncProperty(body, contentType, async (text, type) => {
			host.started.length = 0;
			const status = await send({ body: text, contentType: type, query: '?event=emailsReplied' });
			const read = parsed(text);
			// A sender may encode the object as a string inside the JSON.
			const isJson = type === 'application/json';
			const inner = isJson && typeof read === 'string' ? parsed(read) : read;
			if (isJson && text !== '' && read === undefined) expect(status).toBe(422);
			else expect(status).toBe(isObject(inner) ? 200 : 400);
			expect(host.started).toHaveLength(status === 200 ? 1 : 0);
		}),
	);
});

function secretIn(host: TriggerHost): string {
	return (JSON.parse(host.bodies.at(-1)!) as { secret: string }).secret;
}

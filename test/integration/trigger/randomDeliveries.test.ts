/**
 * Whatever body and query a delivery has, only one with the secret starts an execution, with its fields. The world is a
 * local service and one trigger in one process of n8n.
 */
import fc from 'fast-check';
import { z } from 'zod';

import { activityFields, activitySchema } from '../../../nodes/OutreachService/domain/activity';
import { webhookKeyOf } from '../../../nodes/OutreachService/domain/secret';
import { parseJson } from '../../../tools/service/json';
import { anyCharacters, anyQuery } from '../../anyText';
import { tries } from '../../propertyRuns';
import { onlyWhen } from '../support/conditions';
import { post } from '../support/post';
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

it('No other value is accepted as the secret, not even what it is derived from', async () => {
	const host = await world.activeTrigger(['emailsReplied']);
	await world.service.emit({ type: 'emailsReplied' });
	const secret = secretIn(host);
	const { id: keyId, secretKey } = webhookKeyOf(world.service.apiKey);
	host.started.pop();
	const near = fc.constantFrom<unknown>(
		keyId,
		secretKey,
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
			fc.oneof(near, fc.jsonValue(), anyCharacters),
			contentType,
			async (object, guess, type) => {
				const forged = JSON.stringify({ ...object, secret: guess });
				expect(await send({ body: forged, contentType: type, query: ownQuery() })).toBe(401);
				expect(host.started).toEqual([]);
			},
		),
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

/** The documented type of each field of 'Grouped'. */
const text = z.string().min(1).nullable();
const recipients = z.array(z.object({ address: z.string(), name: z.string() }).passthrough());
const groupedSchema = z.strictObject({
	event: z.strictObject({
		summary: z.string().refine((one) => one === one.trim() && !/["\\<>\n]/.test(one)),
		label: text,
		channel: text,
		key: z.string().length(22),
		subscription: z.literal('emailsReplied'),
		id: text,
		type: text,
		createdAt: text,
		teamId: text,
		isThirdPartyReply: z.boolean(),
	}),
	lead: z.strictObject({ id: text, email: text, firstName: text, lastName: text }),
	campaign: z.strictObject({ id: text, name: text }),
	sequence: z.strictObject({ id: text, step: z.number().nullable() }),
	sender: z.strictObject({ id: text, email: text, name: text }),
	email: z.strictObject({
		subject: text,
		to: recipients,
		cc: recipients,
		bcc: recipients,
	}),
	activity: z.record(z.unknown()),
});

/** Whether a value is not the text 'a'. One that cannot be converted to text meets no condition. */
function meetsCondition(value: unknown): boolean {
	if (typeof value === 'string') return value.toLowerCase() !== 'a';
	try {
		void String(value);
		return true;
	} catch {
		return false;
	}
}

it('An object with the secret starts the workflow, unless it is a duplicate or an option leaves it out; each field of Grouped has its type', async () => {
	const host = await world.activeTrigger(['emailsReplied'], {
		output: 'grouped',
		campaignId: 'cam_1',
		thirdPartyReplies: 'exclude',
		onlyWhen: onlyWhen('leadEmail', 'a', { type: 'string', operation: 'notEquals' }),
	});
	await world.service.emit({ type: 'emailsReplied', campaignId: 'cam_1' });
	const secret = secretIn(host);
	const { targetUrl } = world.webhooks[0]!;
	const names = Object.keys(activityFields.shape);
	const odd = fc.constantFrom<unknown>(
		'',
		' ',
		'a',
		'A',
		'1',
		1,
		true,
		'true',
		null,
		[],
		{},
		1e300,
	);
	const activity = fc.dictionary(
		fc.oneof(fc.constantFrom(...names), fc.string().filter(isOrdinaryKey)),
		fc.oneof(odd, fc.jsonValue()),
	);
	const ran = new Set<string>();
	await fc.assert(
		fc.asyncProperty(activity, async (given) => {
			host.started.length = 0;
			const response = await post(targetUrl, { ...given, secret });
			expect(response.status).toBe(200);
			const { _id, type, campaignId, isThirdPartyReply } = activitySchema.parse(given);
			const isLeftOut =
				(campaignId !== null && campaignId !== 'cam_1') ||
				isThirdPartyReply ||
				!meetsCondition(given.leadEmail);
			const id = JSON.stringify([type, _id]);
			const isDuplicate = _id !== null && ran.has(id);
			expect(host.started).toHaveLength(isLeftOut || isDuplicate ? 0 : 1);
			for (const { json } of host.started) {
				ran.add(id);
				expect(groupedSchema.parse(json).activity).toEqual(JSON.parse(JSON.stringify(given)));
			}
		}),
		{ numRuns: tries(75), examples: [[{ leadEmail: [{ toString: 0 }] }], [{ leadEmail: ['a'] }]] },
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

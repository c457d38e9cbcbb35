/**
 * Which deliveries are verified and which are forged, in which process and after which change. The world is a local
 * service and one trigger in one process of n8n.
 */
import type { INodeParameters } from 'n8n-workflow';

import { webhookKeyOf } from '../../../nodes/OutreachService/domain/secret';
import { deriveSecret } from '../../../tools/load/deriveSecret';
import { onlyWhen } from '../support/conditions';
import { textLike } from '../support/matchers';
import { passTime } from '../support/passTime';
import { post } from '../support/post';
import type { TriggerHost } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

const url = () => world.webhooks[0]!.targetUrl;

/** Sends a call. @returns the status */
async function send(body: unknown, target = url()): Promise<number> {
	const response = await post(target, body);
	expect(await response.text()).toBe('');
	return response.status;
}

/** The secret of the first webhook, as the service sends it. */
async function secretOf(host: TriggerHost): Promise<string> {
	await world.service.emit({ type: 'emailsReplied' });
	host.started.pop();
	return (JSON.parse(host.bodies.at(-1)!) as { secret: string }).secret;
}

describe('A forged delivery', () => {
	it.each<[string, unknown]>([
		['with a wrong secret', { _id: 'act_1', secret: 'a'.repeat(64) }],
		['with a very long secret', { secret: 'a'.repeat(2_000_000) }],
	])('%s gets one 401 with an empty body, and costs nothing', async (_name, body) => {
		const host = await world.activeTrigger(['emailsReplied']);
		const before = host.credentialReads;
		expect(await send(body)).toBe(401);
		expect(host.started).toEqual([]);
		await world.service.emit({ type: 'emailsReplied' });
		expect([host.started.length, host.credentialReads]).toEqual([1, before]);
	});

	it('is named in the log once, however many there are', async () => {
		await world.activeTrigger(['emailsReplied']);
		const warn = world.spyOnWarnings();
		for (let count = 0; count < 20; count += 1) await send([{ _id: `act_${count}` }]);
		expect(warn.mock.calls.map(([text]) => text)).toEqual([
			textLike(/^A delivery to "Trigger" was refused with status 401: it does not have/),
		]);
	});

	it('to the target URL of another event is rejected, even with the secret of this one', async () => {
		const host = await world.activeTrigger(['emailsReplied', 'smsSent']);
		const secret = await secretOf(host);
		for (const query of ['event=smsSent', 'event=neverSelected', 'event=a&event=b', 'first=true']) {
			const target = url().replace(/event=\w+/, query);
			expect([query, await send({ _id: 'act_x', secret }, target)]).toEqual([query, 401]);
		}
		expect(await send({ _id: 'act_x', secret })).toBe(200);
	});

	it('is not verified by the secret of a key that the credential does not have, and none is guessed', async () => {
		await world.activeTrigger(['emailsReplied']);
		const keyId = webhookKeyOf('another key').id;
		const target = url().replace(/keyId=\w+/, `keyId=${keyId}`);
		expect(await send({ secret: deriveSecret('another key', target) }, target)).toBe(401);
		// Nor does the secret of the right key count at another one's URL.
		expect(await send({ secret: deriveSecret(world.service.apiKey, url()) }, target)).toBe(401);
	});
});

describe('A delivery to a trigger whose parameters cannot be used any more', () => {
	it('fails once where the user sees it, only with the secret, and then asks for a retry', async () => {
		const host = await world.activeTrigger(['emailsReplied']);
		const authentic = await secretOf(host);
		host.reload({ events: ['emailsReplied'], options: { repairMinutes: -1 } });
		// Such as a webhook process, which does not know what the webhooks were registered with.
		host.moveToNewProcess();
		const before = host.statuses.length;
		for (const secret of ['forged', authentic, 'forged', authentic]) {
			await send({ _id: 'act_1', type: 'emailsReplied', secret });
		}
		// n8n stores a failed execution for an error, and responds with 500.
		expect(host.statuses.slice(before)).toEqual([401, 500, 401, 503]);
	});
});

it.each<[string, INodeParameters]>([
	['Campaign ID', { campaignId: '={{ $vars.given }}' }],
	['Only When', { onlyWhen: onlyWhen('campaignId', '={{ $vars.given }}') }],
])(
	'A delivery to a webhook process while the expression of %s returns nothing is refused, not acknowledged',
	async (_, options) => {
		const host = await world.trigger([]);
		host.reload({ events: ['emailsReplied'], options });
		host.variables = { given: 'cam_1' };
		await host.activate();
		host.variables = {};
		host.moveToNewProcess();
		for (let count = 0; count < 2; count += 1) {
			await world.service.emit({ type: 'emailsReplied', campaignId: 'cam_1' });
		}
		expect(host.statuses).toEqual([500, 503]);
		expect(host.started).toEqual([]);
	},
);

describe('A delivery is verified', () => {
	it.each<[string, number, (host: TriggerHost) => void]>([
		[
			'in the process that registered its webhook, although no credential can be read',
			200,
			(host) => host.failCredentialReads(new Error('The database is away')),
		],
		[
			'in another process, such as a webhook process, with the credential',
			200,
			(host) => host.moveToNewProcess({}),
		],
		[
			'but not in another process that has never had the key with which it was registered',
			401,
			(host) => {
				host.moveToNewProcess({});
				world.useKey(host, 'new-key');
			},
		],
	])('%s', async (_, expected, change) => {
		const host = await world.activeTrigger(['emailsReplied', 'smsReplied']);
		change(host);
		await world.service.emit({ type: 'emailsReplied' });
		await world.service.emit({ type: 'smsReplied' });
		expect(host.statuses).toEqual([expected, expected]);
		expect(host.started).toHaveLength(expected === 200 ? 2 : 0);
	});

	it('in another process before and after a change of the API key, with the secrets of both', async () => {
		const main = await world.activeTrigger(
			['emailsReplied'],
			{ duplicateMemory: 'off' },
			{ id: 'w' },
		);
		const [before] = world.webhooks;
		const host = await world.trigger(['emailsReplied'], { duplicateMemory: 'off' }, { id: 'w' });
		host.moveToNewProcess({}, world.otherProcess());
		const deliver = async ({ targetUrl }: { targetUrl: string }, key: string): Promise<number> => {
			const { port } = new URL(host.webhookUrl);
			const target = targetUrl.replace(/(?<=127.0.0.1:)\d+/, port);
			return await send({ type: 'emailsReplied', secret: deriveSecret(key, targetUrl) }, target);
		};
		const { apiKey } = world.service;
		expect(await deliver(before!, apiKey)).toBe(200);
		for (const one of [main, host]) world.useKey(one, 'new-key');
		await main.publish();
		const [after] = world.webhooks;
		expect(after!._id).not.toBe(before!._id);
		expect(await deliver(after!, 'new-key')).toBe(200);
		// It was on its way when its webhook was replaced.
		expect(await deliver(before!, apiKey)).toBe(200);
		await passTime(121_000);
		expect(await deliver(before!, apiKey)).toBe(401);
	});
});

it('The secret is not in an item, and nothing at all is in the static data', async () => {
	const host = await world.activeTrigger(['emailsReplied'], { output: 'grouped' });
	const secret = await secretOf(host);
	await world.service.emit({ type: 'emailsReplied' });
	expect(JSON.stringify(host.started)).not.toContain(secret);
	expect(host.savedStaticData).toEqual({});
});

it("Conditions of 'Only When' do not see the secret: whoever may change a workflow could find it out", async () => {
	const host = await world.activeTrigger(['emailsReplied'], {
		onlyWhen: {
			...onlyWhen('', ''),
			combinator: 'or',
			conditions: ['secret', 'Secret', '={{ $json["secret"] }}'].flatMap(
				(field) => onlyWhen(field, '', { type: 'string', operation: 'exists' }).conditions,
			),
		},
	});
	const [delivery] = await world.service.emit({ type: 'emailsReplied' });
	expect(delivery?.status).toBe(200);
	expect(JSON.parse(host.bodies.at(-1)!)).toHaveProperty('secret');
	expect(host.started).toEqual([]);
});

it('A delivery of a webhook is verified before the response to its create arrives, without the credential', async () => {
	const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 1 });
	const { tick } = await host.startTrigger();
	world.service.removeHook(world.webhooks[0]!._id);
	world.useKey(host, 'new-key');
	world.service.addFault({ kind: 'drip', everyMs: 200, match: { method: 'POST' } });
	tick();
	await until(() => world.webhooks.length === 1);
	host.failCredentialReads(new Error('The database is away'));
	await world.service.emit({ type: 'emailsReplied' });
	expect(host.started).toHaveLength(1);
});

it('A delivery with a wrong secret at the URL of a webhook that n8n has found at its start has it replaced once: it may be a foreign one', async () => {
	const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 1 });
	const { targetUrl, type, _id } = world.webhooks[0]!;
	host.moveToNewProcess({});
	world.service.removeHook(_id);
	// Somebody has created it while n8n was down.
	const foreign = world.addWebhook({ targetUrl, type, secret: 'of somebody else' });
	await host.activate('init');
	const { check } = await host.startTrigger('init');
	await check();
	expect(world.webhookIds).toEqual([foreign._id]);
	await world.service.emit({ type: 'emailsReplied' });
	await check();
	await world.service.emit({ type: 'emailsReplied' });
	expect(host.statuses).toEqual([401, 200]);
	const own = world.webhookIds;
	expect(await send({ secret: 'forged' }, targetUrl)).toBe(401);
	await check();
	expect(world.webhookIds).toEqual(own);
});

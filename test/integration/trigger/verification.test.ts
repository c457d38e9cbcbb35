/**
 * Which deliveries are verified and which are forged, in which process and after which change; and for which event one counts. The
 * world is a local service and one trigger in one process of n8n.
 */
import type { INodeParameters } from 'n8n-workflow';

import { webhookKeyOf } from '../../../nodes/OutreachService/domain/secret';
import { deriveSecret } from '../../deriveSecret';
import { onlyWhen } from '../support/conditions';
import { textLike } from '../support/matchers';
import { N8n } from '../support/n8n';
import { passTime } from '../support/passTime';
import { post } from '../support/post';
import type { TriggerHost } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

const url = () => world.webhooks[0]!.targetUrl;

const EVENT = { type: 'emailsReplied' };

/** Sends a call without the secret. @returns the status */
async function forge(body: unknown): Promise<number> {
	const response = await post(url(), body);
	expect(await response.text()).toBe('');
	return response.status;
}

describe('A forged delivery', () => {
	it('gets a 401 with an empty body and costs nothing, and the first one is named in the log', async () => {
		const host = await world.activeTrigger(['emailsReplied']);
		const before = host.credentialReads;
		const warnings = world.warnings();
		const wrong = { _id: 'act_1', secret: 'a'.repeat(64) };
		for (const body of [wrong, { secret: 'a'.repeat(2_000_000) }, [wrong], wrong]) {
			expect(await forge(body)).toBe(401);
		}
		expect(host.started).toEqual([]);
		await world.service.emit({ ...EVENT, _id: 'act_1' });
		expect([host.started.length, host.credentialReads]).toEqual([1, before]);
		expect(warnings()).toEqual([
			textLike(/^A delivery to "Trigger" was refused with status 401: it does not have/),
		]);
	});

	it('to the target URL of another event is rejected, even with the secret of this one', async () => {
		await world.activeTrigger(['emailsReplied', 'smsSent']);
		for (const query of ['event=smsSent', 'event=neverSelected', 'event=a&event=b', 'first=true']) {
			const to = url().replace(/event=\w+/, query);
			expect([query, await world.deliver(EVENT, { to })]).toEqual([query, 401]);
		}
		expect(await world.deliver(EVENT)).toBe(200);
	});

	it('is not verified by the secret of a key that the credential does not have, and none is guessed', async () => {
		await world.activeTrigger(['emailsReplied']);
		const to = url().replace(/keyId=\w+/, `keyId=${webhookKeyOf('another key').id}`);
		expect(await world.deliver(EVENT, { targetUrl: to, apiKey: 'another key' })).toBe(401);
		// Nor does the secret of the right key count at another one's URL.
		expect(await world.deliver(EVENT, { to })).toBe(401);
	});
});

/** Queries that name no event, or more than one. */
const NO_EVENT = ['?', '', '?event=', '?event=emailsSent&event=smsSent', '?other=1'];

it('A delivery of the webhook for all events whose query names no event is filtered like one with its own query', async () => {
	const host = await world.activeTrigger(['emailsReplied'], { subscription: 'singleHook' });
	for (const query of NO_EVENT) {
		const to = url().replace(/\?.*/, query);
		for (const type of ['emailsReplied', 'smsSent']) {
			expect(await world.deliver({ type, _id: query }, { to })).toBe(200);
		}
	}
	expect(host.started.map(({ json }) => [json.type, json._id])).toEqual(
		NO_EVENT.map((query) => ['emailsReplied', query]),
	);
});

it('With Verify Secret off, a delivery for an event that the node does not subscribe to is filtered by the type of its activity, and deduplicated', async () => {
	const host = await world.activeTrigger(['emailsReplied', 'warmed'], { verifySecret: false });
	for (const query of [...NO_EVENT, '?event=smsSent', '?event=invented']) {
		for (const type of ['smsSent', 'emailsReplied', undefined, 'warmed', 'hooked']) {
			const response = await post(url().replace(/\?.*/, query), { type, _id: 'act_1' });
			expect(response.status).toBe(200);
		}
	}
	expect(host.started.map(({ json }) => json.type)).toEqual(['emailsReplied', 'warmed']);
});

it('With Verify Secret off, a delivery without a secret starts a test run, too', async () => {
	const options = { verifySecret: false };
	const host = await world.activeTrigger(['emailsReplied'], options, { mode: 'manual' });
	expect(await forge(EVENT)).toBe(200);
	expect(host.started).toHaveLength(1);
});

it('An expression that selects something else than when the workflow was activated drops nothing: deliveries are judged by what was registered', async () => {
	const host = await world.trigger(['emailsReplied'], { campaignId: '={{ $vars.campaign }}' });
	host.variables = { campaign: 'cam_old' };
	await host.activate();
	for (const campaign of ['cam_new', '', undefined]) {
		host.variables = { campaign };
		await world.service.emit({ ...EVENT, campaignId: 'cam_old' });
	}
	expect([host.statuses, host.started.length]).toEqual([[200, 200, 200], 3]);
});

describe('A delivery to a process that does not know what the webhooks were registered with', () => {
	it('fails once where the user sees it while the parameters cannot be used, only with the secret, and then asks for a retry', async () => {
		const host = await world.activeTrigger(['emailsReplied']);
		host.reload({ events: ['emailsReplied'], options: { repairMinutes: -1 } });
		host.moveToNewProcess();
		for (let copies = 0; copies < 2; copies++) {
			await forge({ _id: 'act_1', ...EVENT, secret: 'forged' });
			await world.deliver({ _id: 'act_1', ...EVENT });
		}
		// n8n stores a failed execution for an error, and responds with 500.
		expect(host.statuses).toEqual([401, 500, 401, 503]);
	});

	it.each<[string, INodeParameters]>([
		['Campaign ID', { campaignId: '={{ $vars.given }}' }],
		['Only When', { onlyWhen: onlyWhen('campaignId', '={{ $vars.given }}') }],
	])(
		'is refused, not acknowledged, while the expression of %s returns nothing, and its error is shown once',
		async (_, options) => {
			const host = await world.trigger([]);
			host.reload({ events: ['emailsReplied'], options });
			host.variables = { given: 'cam_1' };
			await host.activate();
			host.moveToNewProcess();
			for (const variables of [{}, {}, { given: 'cam_1' }, {}]) {
				host.variables = variables;
				await world.service.emit({ ...EVENT, campaignId: 'cam_1' });
			}
			// It is shown again after the expression has returned something.
			expect([host.statuses, host.started.length]).toEqual([[500, 503, 200, 500], 1]);
		},
	);

	it('is refused for a moment while the credential cannot be read, which the log says once; without a secret, nothing is read', async () => {
		const host = await world.activeTrigger(['emailsReplied']);
		host.moveToNewProcess();
		host.failCredentialReads(new Error('The database is away'));
		const warnings = world.warnings();
		const before = host.credentialReads;
		expect([await forge(EVENT), host.credentialReads]).toEqual([401, before]);
		const secret = deriveSecret(world.service.apiKey, url());
		for (let copies = 0; copies < 2; copies++) {
			const { status, headers } = await post(url(), { ...EVENT, secret });
			expect([status, headers.get('retry-after')]).toEqual([503, '1']);
		}
		expect(host.started).toEqual([]);
		expect(warnings()).toContainEqual(
			textLike(/^A delivery to "Trigger" could not be verified: The database is away/),
		);
		expect(warnings()).toHaveLength(2);
	});
});

describe('A delivery is verified', () => {
	const withoutCredential = (host: TriggerHost) =>
		host.failCredentialReads(new Error('The database is away'));
	const elsewhere = (host: TriggerHost) => host.moveToNewProcess({});
	const elsewhereWithAnotherKey = (host: TriggerHost) => {
		elsewhere(host);
		world.useKey(host, 'new-key');
	};

	it.each([
		['in the process that registered its webhook, without a credential', 200, withoutCredential],
		['in another process, such as a webhook process, with the credential', 200, elsewhere],
		['but not in one that has never had the key', 401, elsewhereWithAnotherKey],
	])('%s', async (_, expected, change) => {
		const host = await world.activeTrigger(['emailsReplied', 'smsReplied']);
		change(host);
		for (const type of ['emailsReplied', 'smsReplied']) await world.service.emit({ type });
		expect(host.statuses).toEqual([expected, expected]);
		expect(host.started).toHaveLength(expected === 200 ? 2 : 0);
	});

	it('in another process before and after a change of the API key, with the secrets of both', async () => {
		const options = { duplicateMemory: 'off' };
		const main = await world.activeTrigger(['emailsReplied'], options, { id: 'w' });
		const host = await world.trigger(['emailsReplied'], options, { id: 'w' });
		host.moveToNewProcess({}, new N8n());
		const deliver = async (targetUrl: string, apiKey: string): Promise<number> => {
			const to = targetUrl.replace(/^.*(?=\?)/, host.webhookUrl);
			return await world.deliver(EVENT, { targetUrl, apiKey, to });
		};
		const { apiKey } = world.service;
		const before = url();
		expect(await deliver(before, apiKey)).toBe(200);
		for (const one of [main, host]) world.useKey(one, 'new-key');
		await main.publish();
		expect(url()).not.toBe(before);
		expect(await deliver(url(), 'new-key')).toBe(200);
		// It was on its way when its webhook was replaced.
		expect(await deliver(before, apiKey)).toBe(200);
		await passTime(121_000);
		expect(await deliver(before, apiKey)).toBe(401);
	});

	it('before the response to the create of its webhook arrives, without the credential', async () => {
		const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 1 });
		world.service.removeHook(world.webhooks[0]!._id);
		world.useKey(host, 'new-key');
		world.service.addFault({ kind: 'drip', everyMs: 200, match: { method: 'POST' } });
		host.tick();
		await until(() => world.webhooks.length === 1);
		host.failCredentialReads(new Error('The database is away'));
		await world.service.emit(EVENT);
		expect(host.started).toHaveLength(1);
	});
});

it("Neither an item nor the conditions of 'Only When' see the secret: whoever may change a workflow could find it out", async () => {
	const exists = { type: 'string', operation: 'exists' };
	const conditions = ['secret', 'Secret', '={{ $json["secret"] }}'].flatMap(
		(field) => onlyWhen(field, '', exists).conditions,
	);
	const asked = { onlyWhen: { ...onlyWhen('', ''), combinator: 'or', conditions } };
	const conditional = await world.activeTrigger(['emailsReplied'], asked);
	const hosts = [
		await world.activeTrigger(['emailsReplied'], { output: 'grouped' }),
		await world.activeTrigger(['emailsReplied'], { verifySecret: false }),
	];
	await world.service.emit(EVENT);
	expect([conditional.statuses, conditional.started]).toEqual([[200], []]);
	for (const host of hosts) {
		const { secret } = JSON.parse(host.bodies[0]!) as { secret: string };
		expect(host.started).toHaveLength(1);
		expect(JSON.stringify(host.started)).not.toContain(secret);
	}
});

it('A delivery with a wrong secret at the URL of a webhook that n8n has found at its start has it replaced once: it may be a foreign one', async () => {
	const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 1 });
	const { targetUrl, type, _id } = world.webhooks[0]!;
	world.service.removeHook(_id);
	// Somebody has created it while n8n was down.
	const foreign = world.addWebhook({ targetUrl, type, secret: 'of somebody else' });
	await host.restart();
	await host.check();
	expect(world.webhookIds).toEqual([foreign._id]);
	await world.service.emit(EVENT);
	await host.check();
	await world.service.emit(EVENT);
	expect(host.statuses).toEqual([401, 200]);
	const own = world.webhookIds;
	expect(await forge({ secret: 'forged' })).toBe(401);
	await host.check();
	expect(world.webhookIds).toEqual(own);
});

it('Forged deliveries have no more than one webhook replaced in a day', async () => {
	const host = await world.activeTrigger(['emailsReplied', 'smsReplied'], { repairMinutes: 1 });
	host.moveToNewProcess({});
	await host.activate('init');
	const isReplaced = async (index: number): Promise<boolean> => {
		const { _id, targetUrl } = world.webhooks[index]!;
		expect((await post(targetUrl, { secret: 'forged' })).status).toBe(401);
		await host.check();
		return !world.webhookIds.includes(_id);
	};
	// The replacement of the first one comes last in the list.
	expect(await isReplaced(0)).toBe(true);
	const hour = 60 * 60_000;
	const date = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 23 * hour);
	expect(await isReplaced(0)).toBe(false);
	date.mockReturnValue(Date.now() + hour);
	expect(await isReplaced(0)).toBe(true);
});

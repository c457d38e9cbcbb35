/**
 * Which deliveries are verified and which are forged, in which process and after which change. The world is a local
 * service and one trigger in one process of n8n.
 */
import type { INodeParameters } from 'n8n-workflow';

import { createHash } from 'node:crypto';

import { deriveSecret } from '../../../tools/load/deriveSecret';
import { onlyWhen } from '../support/conditions';
import { textLike } from '../support/matchers';
import { N8n } from '../support/n8n';
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
		['without a secret', { _id: 'act_1', type: 'emailsReplied' }],
		['with a wrong secret', { _id: 'act_1', secret: 'a'.repeat(64) }],
		['with a very long secret', { secret: 'a'.repeat(2_000_000) }],
		['without a body', undefined],
	])('%s gets one 401 with an empty body, and costs nothing', async (_name, body) => {
		const host = await world.activeTrigger(['emailsReplied']);
		const before = host.credentialReads;
		expect(await send(body)).toBe(401);
		expect([host.started, host.duplicateResponses]).toEqual([[], 0]);
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
		for (const query of ['?event=smsSent', '?event=neverSelected', '?event=a&event=b', '']) {
			const target = url().replace(/\?.*/, query);
			expect([query, await send({ _id: 'act_x', secret }, target)]).toEqual([query, 401]);
		}
		expect(await send({ _id: 'act_x', secret })).toBe(200);
	});

	it('is not verified by the secret of a key that never registered anything', async () => {
		const host = await world.activeTrigger(['emailsReplied']);
		host.credential.apiKey = 'never registered anything';
		expect(await send({ secret: deriveSecret(host.credential.apiKey, url()) })).toBe(401);
	});
});

describe('A delivery with the secret of its webhook', () => {
	it('is verified in a test run, even when nothing was stored', async () => {
		const host = await world.activeTrigger(['emailsReplied'], {}, { mode: 'manual' });
		expect(url()).toContain('/webhook-test/');
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.started).toHaveLength(1);
		host.reload(undefined, {});
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.started).toHaveLength(2);
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

describe('A delivery while an expression returns nothing', () => {
	it.each<[string, string, unknown, object, boolean]>([
		['in a webhook process', 'Trigger On', '={{ $vars.given }}', {}, false],
		[
			'in a webhook process',
			'Campaign ID',
			'emailsReplied',
			{ campaignId: '={{ $vars.given }}' },
			false,
		],
		[
			'in any process',
			'Only When',
			'emailsReplied',
			{ onlyWhen: onlyWhen('campaignId', '={{ $vars.given }}') },
			true,
		],
	])(
		'%s (%s) is refused, not acknowledged',
		async (_process, name, events, options, isEvaluatedEachTime) => {
			const host = await world.trigger([], {});
			const given = { events, options } as INodeParameters;
			host.reload(given);
			host.variables = { given: name === 'Trigger On' ? 'emailsReplied' : 'cam_1' };
			await host.activate();
			host.variables = {};
			if (!isEvaluatedEachTime) host.moveToNewProcess();
			const before = host.statuses.length;
			for (let count = 0; count < 2; count += 1) {
				await world.service.emit({ type: 'emailsReplied', campaignId: 'cam_1' });
			}
			expect(host.statuses.slice(before)).toEqual([500, 503]);
			expect(host.started).toEqual([]);
		},
	);

	it('is no registration for everything: the activation is refused, naming the parameter', async () => {
		const host = await world.trigger(['emailsReplied'], { campaignId: '={{ $vars.nothing }}' });
		await expect(host.activate()).rejects.toThrow("The value of 'Campaign ID' cannot be used");
		expect(world.webhooks).toEqual([]);
	});
});

describe('A delivery is verified', () => {
	const outage = (host: TriggerHost) => {
		host.failCredentialReads(new Error('The database is away'));
	};

	it.each<[string, number, (host: TriggerHost) => void]>([
		[
			'in the process that registered its webhook, although nothing was saved and no credential can be read',
			200,
			(host) => {
				host.reload(undefined, {});
				outage(host);
			},
		],
		[
			'in another process with the static data, although no credential can be read',
			200,
			(host) => {
				host.moveToNewProcess();
				outage(host);
			},
		],
		[
			'in another process with the credential, although nothing was saved',
			200,
			(host) => host.moveToNewProcess({}),
		],
		[
			'but not in another process after the API key has changed, when nothing was saved',
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
	});

	it('not at all in another process once the credential was deleted, when nothing was saved: the service is asked to deliver again', async () => {
		const host = await world.activeTrigger(['emailsReplied']);
		host.moveToNewProcess({});
		host.failCredentialReads(new Error('Credential with ID "1" does not exist for type'));
		await world.service.emit({ type: 'emailsReplied' });
		expect([host.statuses, host.started]).toEqual([[503], []]);
	});

	it('in another process, beside a test run with another credential', async () => {
		const of = { id: 'one', node: { id: 'one' } };
		const host = await world.activeTrigger(['emailsReplied'], {}, of);
		const n8n = new N8n();
		host.moveToNewProcess({}, n8n);
		const test = await world.trigger(['emailsReplied'], {}, { ...of, mode: 'manual' });
		test.moveToNewProcess({}, n8n);
		test.credential.apiKey = 'other account';
		const testUrl = url().replace('/webhook/', '/webhook-test/');
		expect(await send({ _id: 'act_x', secret: 'a'.repeat(64) }, testUrl)).toBe(401);
		await world.service.emit({ type: 'emailsReplied' });
		expect(host.started).toHaveLength(1);
	});

	it('in another process with the credential, whichever of two nodes is asked first', async () => {
		const hosts = [];
		for (const id of ['one', 'other']) {
			hosts.push(await world.activeTrigger(['emailsReplied'], {}, { node: { id, webhookId: id } }));
		}
		const process = new N8n();
		for (const host of hosts) host.moveToNewProcess({}, process);
		await world.service.emit({ type: 'emailsReplied' });
		expect(hosts.map(({ started }) => started.length)).toEqual([1, 1]);
	});
});

describe('The secret', () => {
	it('is neither in an item nor in the static data, which stores only its SHA-256', async () => {
		const host = await world.activeTrigger(['emailsReplied'], { output: 'grouped' });
		const secret = await secretOf(host);
		await world.service.emit({ type: 'emailsReplied' });
		expect(JSON.stringify(host.started)).not.toContain(secret);
		const saved = JSON.stringify(host.savedStaticData);
		expect(saved).not.toContain(secret);
		expect(saved).toContain(createHash('sha256').update(secret).digest('hex'));
	});
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

describe('A delivery is verified although n8n remembers which secrets the credential gave a moment ago:', () => {
	/** A call at the first webhook's target URL, whose verification derives the secrets. */
	const callForged = async () => expect(await send({ secret: 'a'.repeat(64) })).toBe(401);

	/** The first webhook delivers while the second one is being created. */
	async function deliverDuring(change: Promise<void>) {
		await until(() => world.webhooks.length > 0);
		await world.service.emit({ type: world.webhookTypes[0]! });
		expect(world.webhooks).toHaveLength(1);
		await change;
	}

	it.each(['an activation', 'a check'])(
		'of %s with a new API key that is still under way',
		async (change) => {
			const host = await world.activeTrigger(['emailsReplied', 'smsReplied'], { repairMinutes: 1 });
			const { check } = await host.startTrigger();
			await callForged();
			if (change === 'an activation') await host.deactivate();
			else for (const id of world.webhookIds) world.service.removeHook(id);
			world.useKey(host, 'new-key');
			world.service.addFault({ kind: 'delay', delayMs: 1_000, match: { method: 'POST' }, skip: 1 });
			await deliverDuring(change === 'an activation' ? host.activate() : check());
			expect(host.statuses).toEqual([401, 200]);
		},
	);

	it('of an event that was selected since, in another process', async () => {
		const host = await world.activeTrigger(['emailsReplied']);
		const { targetUrl } = world.webhooks[0]!;
		host.moveToNewProcess({});
		await callForged();
		host.reload({ events: ['emailsReplied', 'smsReplied'], options: {} }, {});
		const added = targetUrl.replace('emailsReplied', 'smsReplied');
		const secret = deriveSecret(world.service.apiKey, added);
		expect(await send({ type: 'smsReplied', secret }, added)).toBe(200);
	});

	it('of a test run of the active workflow', async () => {
		const active = await world.activeTrigger(['emailsReplied'], {}, { id: 'wf' });
		const test = await world.activeTrigger(['emailsReplied'], {}, { id: 'wf', mode: 'manual' });
		await callForged();
		test.reload(undefined, {});
		await world.service.emit({ type: 'emailsReplied' });
		expect([active.started.length, test.started.length]).toEqual([1, 1]);
	});
});

/**
 * Whatever the service, a proxy or a stranger answers at any step, an item or an error of the action node is true of
 * what the service then has, and neither output nor log shows the API key or a secret. The world is a local service,
 * the action node in one process of n8n, and servers at target URLs.
 *
 * Two things are left out, because no client could notice them: a stranger that answers exactly as the service would,
 * such as with an empty 200 to a DELETE, and a service that carries out a change but answers with a 3xx or 4xx.
 */
import { inspect } from 'node:util';

import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import {
	DEFAULT_SWITCHES,
	GATEWAYS,
	type Fault,
	type HookFields,
	type SwitchChanges,
} from '../../../tools/service';
import { toPublicHook } from '../../../tools/service/model/hooks';
import { tries } from '../../propertyRuns';
import { byId, jsonOf, type ShownError } from '../support/action';
import { EVERY_OPERATION } from '../support/operations';
import { respondWith, useTargets } from '../support/targets';
import { useWorld } from '../support/world';

const world = useWorld({ switches: { rateLimit: 'off' } });
const targets = useTargets();

const OLD_SECRET = 'old/Qx7"secret&of-before';
const SECRET = 'wJalr/XUtn"FEMI&K7';

/** How many requests a fault meets, and how many pass before that. */
const aim = {
	times: fc.constantFrom(1, 1, 2, 5),
	skip: fc.constantFrom(0, 0, 0, 1, 2),
};
const when = fc.constantFrom('before' as const, 'after' as const);
const body = fc.constantFrom(
	'No',
	'OK',
	'null',
	'"ok"',
	'{"error":"No"}',
	'{"status":"maintenance"}',
	'{"key":"{apiKey}"}',
	'<html><body>Sorry</body></html>',
);
const status = fc.constant('status' as const);
/** The faults of each kind. The compiler asks for a new kind. */
const FAULTS: Readonly<Record<Fault['kind'], ReadonlyArray<fc.Arbitrary<Fault>>>> = {
	gateway: [
		fc.record({ ...aim, kind: fc.constant('gateway' as const), who: fc.constantFrom(...GATEWAYS) }),
	],
	cut: [fc.record({ ...aim, kind: fc.constant('cut' as const), when })],
	half: [fc.record({ ...aim, kind: fc.constant('half' as const) })],
	brokenJson: [fc.record({ ...aim, kind: fc.constant('brokenJson' as const) })],
	html: [
		fc.record({
			...aim,
			kind: fc.constant('html' as const),
			status: fc.constantFrom(200, 403, 502),
		}),
	],
	delay: [
		fc.record({ ...aim, kind: fc.constant('delay' as const), delayMs: fc.nat({ max: 3_000 }) }),
	],
	status: [
		// It says that nothing was done, and is right.
		fc.record({
			...aim,
			kind: status,
			status: fc.constantFrom(302, 400, 401, 403, 404, 405, 407, 422, 429),
			body,
		}),
		// It leaves open whether something was done.
		fc.record({
			...aim,
			kind: status,
			status: fc.constantFrom(200, 202, 500, 502, 503),
			body,
			when,
		}),
	],
	// It only makes the response late, as a delay does.
	drip: [],
	// These change neither the status nor the body.
	clock: [],
	headers: [],
};
const fault: fc.Arbitrary<Fault> = fc.oneof(...Object.values(FAULTS).flat());
/** It repeats what it was sent with a create. */
const echo: fc.Arbitrary<Fault> = fc.record({
	...aim,
	kind: status,
	status: fc.constantFrom(200, 201, 400, 422, 500),
	body: fc.constantFrom(SECRET, JSON.stringify({ message: SECRET }), `"${SECRET}"{apiKey}`),
});
/** What the requests with a method meet, one after the other. */
function faultsOf(method: string, one = fault): fc.Arbitrary<Fault[]> {
	const aimed = one.map((given): Fault => ({ ...given, match: { method } }));
	return fc.oneof(fc.constant<Fault[]>([]), fc.array(aimed, { maxLength: 3 }));
}
const faults = fc
	.tuple(
		faultsOf('GET'),
		faultsOf('POST', fc.oneof({ weight: 6, arbitrary: fault }, echo)),
		faultsOf('DELETE'),
	)
	.map((all) => all.flat());

/** How the service differs from the API. */
const service: fc.Arbitrary<SwitchChanges> = fc.record({
	hookUrls: fc.constantFrom('shared', 'oncePerTeam', 'replace', 'update'),
	listShape: fc.constantFrom('list', 'hooks'),
	deleteBody: fc.constantFrom('hook', 'empty'),
	createStatus: fc.constantFrom(200, 201, 202, 204),
	targetUrlForm: fc.constantFrom('asSent', 'normalized'),
	emptyList: fc.constantFrom('list', 'notFound'),
	notFoundStatus: fc.constantFrom(404, 200, 400, 410, 422, 500),
});

const settings = fc.record(
	{
		type: fc.constantFrom('emailsReplied', 'emailsSent'),
		campaignId: fc.constantFrom('cam_1', 'cam_2'),
		isFirst: fc.boolean(),
		toolLinkId: fc.nat({ max: 3 }),
	},
	{ requiredKeys: [] },
);
/** The service lists a target URL as it was sent, or in its own notation. */
const urlOf = (place: number): string => `https://CRM.test/in${place}?b=2&a=*`;
const webhooks = fc.array(fc.record({ settings, isDisabled: fc.boolean() }), { maxLength: 4 });
const continueOnFail = fc.boolean();
const scene = fc.record({ service, faults, webhooks, continueOnFail });
type Scene = typeof scene extends fc.Arbitrary<infer T> ? T : never;

/** A service that has updated the webhook in place when the connection is cut, and a proxy that stops the second create. */
const UPDATED_UNSEEN: Scene = {
	service: { hookUrls: 'update' },
	faults: [
		{ kind: 'cut', when: 'after', match: { method: 'POST' } },
		{ kind: 'gateway', who: 'firewall', match: { method: 'POST' } },
	],
	webhooks: [{ settings: {}, isDisabled: false }],
	continueOnFail: false,
};

/** A service that says 'Webhook not found' with a status that leaves open what was done. */
const NOT_FOUND_500: Scene = {
	service: { notFoundStatus: 500 },
	faults: [],
	webhooks: [],
	continueOnFail: false,
};

/** What an operation returned. */
type Outcome = {
	/** The items that are no errors. */
	items: IDataObject[];
	/** The texts of the errors. */
	errors: string[];
};

let teams = 0;

/** A team of its own with webhooks at the odd service, and what an execution makes of it. */
class Team {
	private readonly id = `tea_any_${++teams}`;

	private readonly apiKey = `key-Zx${teams}+/confidential==`;

	private readonly before: Map<string, string>;

	private readonly warn = world.spyOnWarnings();

	/** The IDs of the webhooks that exist at first. */
	readonly ids: string[];

	constructor(
		private readonly given: Scene,
		makeUrl: (place: number) => string = urlOf,
	) {
		world.service.clearFaults();
		world.service.clearRequests();
		world.service.setSwitches({ ...DEFAULT_SWITCHES, rateLimit: 'off', ...given.service });
		world.service.addApiKey(this.apiKey, this.id);
		given.webhooks.forEach(({ settings: fields, isDisabled }, place) => {
			const added = { ...fields, targetUrl: makeUrl(place), secret: OLD_SECRET, team: this.id };
			const { _id } = world.addWebhook(added);
			if (isDisabled) world.service.disableHook(_id);
		});
		this.before = this.state();
		this.ids = [...this.before.keys()];
	}

	/** As the service lists them. */
	get webhooks() {
		return world.service.store.list(this.id).map(toPublicHook);
	}

	has(id: unknown): boolean {
		return this.webhooks.some(({ _id }) => _id === id);
	}

	/** What the service stores of a webhook, its secret included, which it shows nobody. */
	stored(id: unknown): HookFields | undefined {
		return world.service.store.list(this.id).find((webhook) => webhook.id === id);
	}

	/** The webhooks that are new, or are not as they were. */
	get added(): string[] {
		const now = [...this.state()];
		return now.filter(([id, text]) => this.before.get(id) !== text).map(([id]) => id);
	}

	get removed(): string[] {
		return this.ids.filter((id) => !this.has(id));
	}

	/** Runs an operation while the faults last. Whatever it returns, no secret is in it. */
	async run(parameters: INodeParameters, items: IDataObject[] = [{}]): Promise<Outcome> {
		for (const one of this.given.faults) world.service.addFault(one);
		const { baseUrl } = world.service;
		const options = {
			items,
			credential: { baseUrl, apiKey: this.apiKey },
			continueOnFail: this.given.continueOnFail,
		};
		this.warn.mockClear();
		let output: IDataObject[] = [];
		let error: ShownError | undefined;
		try {
			output = jsonOf(await world.runNode(parameters, options));
		} catch (failure) {
			if (!(failure instanceof Error)) throw failure;
			error = failure;
		}
		world.service.clearFaults();
		// A secret that was not sent is unknown to the node.
		const isSent = inspect(parameters, { depth: 5 }).includes(inspect(SECRET));
		this.expectNoSecret(isSent ? [SECRET] : [], output, error);
		const told = output.flatMap((item) => (typeof item.error === 'string' ? [item.error] : []));
		if (error) told.push(`${error.message}. ${error.description ?? ''}`);
		return { items: output.filter((item) => item.error === undefined), errors: told };
	}

	private expectNoSecret(
		sent: string[],
		output: IDataObject[],
		error: ShownError | undefined,
	): void {
		// Rotate Secret shows the new secret, in this field alone.
		const others = output.map((item) => ({ ...item, secret: undefined }));
		const all = [inspect([others, error, this.warn.mock.calls], { depth: 20 }), error?.stack];
		const basic = Buffer.from(`:${this.apiKey}`).toString('base64');
		const shown = lettersOf(all.join(' '));
		for (const secret of [this.apiKey, basic, OLD_SECRET, ...sent]) {
			expect(shown).not.toContain(lettersOf(secret));
		}
	}

	/** Holds what a text says of webhooks against the service. @param completed where those are that an item completed */
	expectTrue(text: string, completed: 'there' | 'gone' = 'there'): void {
		const named = (pattern: RegExp): string[] =>
			[...text.matchAll(pattern)].flatMap(([, ids = '']) => ids.match(/hoo_\w+/g) ?? []);
		const there = [
			...named(/The old webhook (hoo_\w+) is still listed/g),
			...named(/with these settings: (.*?)\. One/g),
		];
		const gone = [
			...named(/The webhook (hoo_\w+) was not found/g),
			...named(/The old webhook (hoo_\w+) is no longer listed/g),
			...named(/The new webhook (hoo_\w+) is not listed/g),
		];
		(completed === 'there' ? there : gone).push(...named(/Already carried out: (.*?)\)\./g));
		const existed = [
			...named(/The service returned the webhook (hoo_\w+), which existed before/g),
			...named(/Whether the (?:old )?webhook (hoo_\w+) is (?:still there|deleted)/g),
		];
		expect({ text, untrue: there.filter((id) => !this.has(id)) }).toEqual({ text, untrue: [] });
		expect({ text, untrue: gone.filter((id) => this.has(id)) }).toEqual({ text, untrue: [] });
		expect(this.ids).toEqual(expect.arrayContaining(existed.filter((id) => id !== NONE)));
		const untouched = named(/Nothing was changed\. The webhook (hoo_\w+) has its old secret/g);
		expect({ text, changed: this.added.filter((id) => untouched.includes(id)) }).toEqual({
			text,
			changed: [],
		});
		if (/already has a webhook|no second webhook/.test(text)) expect(this.webhooks).not.toEqual([]);
	}

	/** Holds what the text of an only item says of all webhooks against the service. */
	expectTrueOfAll(text: string): void {
		if (text.includes('Nothing was changed')) this.expectUnchanged(text);
		if (!text.includes('The list shows no new one')) return;
		const created = this.added.filter((id) => !this.before.has(id));
		expect({ text, created }).toEqual({ text, created: [] });
	}

	/** Whatever is not as it was is named, unless a text leaves open what was done. */
	expectTold({ items, errors }: Outcome, changed = [...this.added, ...this.removed]): void {
		const told = JSON.stringify([items, errors]);
		const untold = OPEN.test(told) ? [] : changed.filter((id) => !told.includes(id));
		expect({ told, untold }).toEqual({ told, untold: [] });
	}

	expectUnchanged(context?: string): void {
		const changed = { added: this.added, removed: this.removed };
		expect({ context, ...changed }).toEqual({ context, added: [], removed: [] });
	}

	private state(): Map<string, string> {
		const all = world.service.store.list(this.id);
		return new Map(all.map((webhook) => [webhook.id, JSON.stringify(webhook)]));
	}
}

/** An ID that no webhook has. */
const NONE = 'hoo_none';
const OPEN = /not known/;
const lettersOf = (text: string): string => text.replace(/[^a-z\d]/gi, '');
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const webhook = (operation: string, more: INodeParameters = {}): INodeParameters => ({
	resource: 'webhook',
	operation,
	...more,
});
const webhookId = byId('={{ $json.id }}');
/** Up to three of the webhooks, or one that does not exist. */
const chosen = fc.uniqueArray(fc.nat({ max: 4 }), { minLength: 1, maxLength: 3 });
const idsIn = ({ ids }: Team, places: number[]): string[] => [
	...new Set(places.map((place) => ids[place] ?? NONE)),
];
const itemsFor = (ids: string[]): IDataObject[] => ids.map((id) => ({ id }));

/** The operations of the tests below. */
const ASKED = [
	'api: request',
	'peopleSchema: get',
	...['check', 'create', 'delete', 'deleteMany', 'get', 'getAll', 'rotateSecret'].map(
		(operation) => `webhook: ${operation}`,
	),
];
/** The first reads the response as *Get People Schema* does; the second reads that of a target URL. */
const COVERED_ELSEWHERE = ['peopleSchema: compare', 'webhook: sendTest'];

it('Each operation has a test here, or reads no response of the service by itself', () => {
	expect([...ASKED, ...COVERED_ELSEWHERE].sort()).toEqual(EVERY_OPERATION);
});

describe('Whatever answers', () => {
	it('Get, Get Many and Check Many show webhooks as the service has them, or an error', async () => {
		const { url } = await targets.start(respondWith(204));
		const operation = fc.constantFrom('get', 'getAll', 'check');
		await fc.assert(
			fc.asyncProperty(scene, operation, chosen, async (given, name, places) => {
				const team = new Team(given, (place) => `${url}/${place}`);
				const items = name === 'get' ? itemsFor(idsIn(team, places)) : [{}];
				const outcome = await team.run(webhook(name, { webhookId, returnAll: true }), items);
				const shown = outcome.items.map(({ target, targetDetail, ...one }) => {
					expect(target).not.toBe('gone');
					expect(typeof targetDetail).toBe(name === 'check' ? 'string' : 'undefined');
					return one;
				});
				if (name === 'get') expect(team.webhooks).toEqual(expect.arrayContaining(shown));
				else expect(shown).toEqual(outcome.errors.length > 0 ? [] : team.webhooks);
				for (const text of outcome.errors) team.expectTrue(text);
				team.expectUnchanged();
			}),
			{ numRuns: tries(20) },
		);
	});

	it('Create shows a webhook that exists with these settings, and an error leaves open whether one exists, or none does', async () => {
		const places = fc.uniqueArray(fc.nat({ max: 5 }), { minLength: 1, maxLength: 3 });
		await fc.assert(
			fc.asyncProperty(scene, settings, places, async (given, { type, ...fields }, at) => {
				const team = new Team(given);
				const parameters = {
					targetUrl: '={{ $json.url }}',
					event: type ?? '*',
					additionalFields: { ...fields, secret: SECRET },
				};
				const urls = at.map((place) => ({ url: urlOf(place) }));
				const outcome = await team.run(webhook('create', parameters), urls);
				for (const item of outcome.items) {
					// The note says what the service returned otherwise than it was sent.
					const ofService = Object.entries(item).filter(([name]) => name !== 'note');
					expect(team.webhooks).toContainEqual(
						expect.objectContaining(Object.fromEntries(ofService)),
					);
					// A setting that is off is not sent, and a service that updates a webhook may keep it.
					const { isFirst, ...others } = fields;
					const sent = { ...others, ...(isFirst === true && { isFirst }), secret: SECRET };
					expect(team.stored(item._id)).toMatchObject(sent);
					expect(team.stored(item._id)?.type).toBe(type);
				}
				for (const text of outcome.errors) {
					team.expectTrue(text);
					// What was created by other items is named in the text that tells of all of them.
					if (at.length > 1) continue;
					team.expectTrueOfAll(text);
					team.expectTold({ items: [], errors: [text] }, team.added);
				}
				team.expectTold(outcome, team.added);
				// A service may replace the webhook of a target URL.
				if (given.service.hookUrls !== 'replace') expect(team.removed).toEqual([]);
			}),
		);
	});

	it('Delete shows a webhook that is gone, and an error leaves open whether it is, or it is not', async () => {
		await fc.assert(
			fc.asyncProperty(scene, chosen, async (given, places) => {
				const team = new Team(given);
				const ids = idsIn(team, places);
				const outcome = await team.run(webhook('delete', { webhookId }), itemsFor(ids));
				for (const { _id, deleted } of outcome.items) {
					expect(deleted).toBe(true);
					expect(team.has(_id)).toBe(false);
					// 'Not found' says that an earlier request has deleted it, if there was one.
					const sent = world.service.requests.filter(({ path }) => path.endsWith(textOf(_id)));
					// A 2xx in other words than the API's counts if the list does not show the webhook, which may not have existed.
					const [only, ...more] = sent;
					const isOdd =
						only?.faults.length !== 0 && only?.status !== undefined && only.status < 300;
					if (more.length === 0 && !isOdd) expect(team.ids).toContain(_id);
				}
				for (const text of outcome.errors) team.expectTrue(text, 'gone');
				expect(team.added).toEqual([]);
				expect(ids).toEqual(expect.arrayContaining(team.removed));
				team.expectTold(outcome);
			}),
			{ examples: [[NOT_FOUND_500, [0]]] },
		);
	});

	it('Delete Many shows webhooks that are gone, and an error names each one that is, or may be', async () => {
		const isSelected = (place: number): boolean => place % 3 < 2;
		await fc.assert(
			fc.asyncProperty(scene, async (given) => {
				const team = new Team(given, (place) =>
					isSelected(place) ? urlOf(place) : 'https://other.test/in',
				);
				const parameters = { filters: { targetUrl: 'crm.test' }, dryRun: false };
				const outcome = await team.run(webhook('deleteMany', parameters));
				const selected = team.ids.filter((_, place) => isSelected(place));
				expect(selected).toEqual(expect.arrayContaining(team.removed));
				if (outcome.errors.length === 0) {
					expect(outcome.items.map(({ _id }) => _id)).toEqual(selected);
					expect(team.removed).toEqual(selected);
				}
				for (const text of outcome.errors) {
					team.expectTrue(text, 'gone');
					// Each one by itself: what is open of one says nothing of another.
					expect(team.removed.filter((id) => !text.includes(id))).toEqual([]);
				}
				expect(team.added).toEqual([]);
			}),
		);
	});

	it('Rotate Secret shows a webhook that has the new secret, and the old one is gone or named; an error names what is left', async () => {
		await fc.assert(
			fc.asyncProperty(scene, chosen, async (given, places) => {
				const team = new Team(given);
				const ids = idsIn(team, places);
				const parameters = webhook('rotateSecret', { webhookId, secret: SECRET });
				const outcome = await team.run(parameters, itemsFor(ids));
				for (const { _id, secret, replacedWebhookId, note } of outcome.items) {
					expect(secret).toBe(SECRET);
					expect(team.stored(_id)).toMatchObject({ secret });
					team.expectTrue(textOf(note));
					if (team.has(replacedWebhookId)) expect(note).toMatch(/still listed|not known/);
				}
				for (const text of outcome.errors) {
					team.expectTrue(text);
					if (ids.length === 1) team.expectTrueOfAll(text);
				}
				expect(ids).toEqual(expect.arrayContaining(team.removed));
				// An error names an item that was completed with its new webhook.
				const isNamed = (id: string): boolean =>
					outcome.errors.some((text) => text.includes(`item ${ids.indexOf(id)} (`));
				const removed = team.removed.filter((id) => !isNamed(id));
				team.expectTold(outcome, [...team.added, ...removed]);
			}),
			{ examples: [[UPDATED_UNSEEN, [0]]] },
		);
	});

	it('Get People Schema shows that of the service, or an error', async () => {
		const parametersFor = (output: string): INodeParameters => ({
			resource: 'peopleSchema',
			operation: 'get',
			output,
		});
		const expected = new Map<string, IDataObject[]>();
		for (const output of ['raw', 'fields', 'jsonSchema']) {
			expected.set(output, jsonOf(await world.runNode(parametersFor(output))));
		}
		await fc.assert(
			fc.asyncProperty(scene, fc.constantFrom(...expected.keys()), async (given, output) => {
				const team = new Team(given);
				const { items, errors } = await team.run(parametersFor(output));
				expect(items).toEqual(errors.length > 0 ? [] : expected.get(output));
				team.expectUnchanged();
			}),
		);
	});

	it('Make an API Request shows webhooks as the service has them, and an error leaves open what was done, or nothing was', async () => {
		const methods = fc.constantFrom('GET', 'POST', 'DELETE');
		await fc.assert(
			fc.asyncProperty(scene, methods, async (given, method) => {
				const team = new Team(given);
				const path = method === 'DELETE' ? `/hooks/${team.ids[0] ?? NONE}` : '/hooks';
				const parameters: INodeParameters = { resource: 'api', operation: 'request', method, path };
				if (method === 'POST') parameters.body = JSON.stringify({ targetUrl: urlOf(5) });
				const { items, errors } = await team.run(parameters);
				for (const { _id } of items) {
					if (_id !== undefined) expect(team.has(_id)).toBe(method !== 'DELETE');
				}
				// `{"error":"No"}` with a 2xx may be the result of a route that the node does not know, and becomes an item.
				for (const text of errors.filter((one) => one !== 'No')) {
					team.expectTrue(text);
					if (!OPEN.test(text)) team.expectUnchanged(text);
				}
				if (method === 'GET') team.expectUnchanged();
			}),
		);
	});
});

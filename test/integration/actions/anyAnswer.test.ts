/**
 * Whatever the service, a proxy or a stranger answers at any step, an item or an error of an operation that changes webhooks
 * is true of what the service then has. Rotate Secret creates and deletes as Create and Delete do. The world is a local
 * service and the action node in one process of n8n.
 *
 * Two things are left out, because no client could notice them: a stranger that answers exactly as the service would,
 * such as with an empty 200 to a DELETE, and a service that carries out a change but answers with a 3xx or 4xx.
 */
import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { GATEWAYS } from '../../../tools/histories/faults';
import { DEFAULT_SWITCHES, type Fault, type SwitchChanges } from '../../../tools/service';
import { settle } from '../../../nodes/OutreachService/utils/settle';
import { byId, jsonOf, type ShownError } from '../support/action';
import { useWorld } from '../support/world';

const world = useWorld({ switches: { rateLimit: 'off' } });

const SECRET = 'wJalrXUtnFEMIK7';

const when = fc.constantFrom('before' as const, 'after' as const);
const bodies = [
	'No',
	'OK',
	'null',
	'{"error":"No"}',
	'{"_id":"hoo_1","targ',
	'{"status":"maintenance"}',
	'<html><body>Sorry</body></html>',
];
const responding = (...statuses: number[]) => ({
	kind: fc.constant('status' as const),
	status: fc.constantFrom(...statuses),
	body: fc.constantFrom(...bodies),
});
const fault = fc
	.tuple(
		fc.record({
			times: fc.constantFrom(1, 1, 2, 5),
			skip: fc.constantFrom(0, 0, 0, 1, 2),
			match: fc.record({ method: fc.constantFrom('GET', 'POST', 'DELETE') }),
		}),
		fc.oneof(
			fc.constantFrom(...Object.values(GATEWAYS)),
			fc.record({ kind: fc.constant('cut' as const), when }),
			fc.constant({ kind: 'half' as const }),
			// It says that nothing was done, and is right.
			fc.record(responding(302, 400, 401, 403, 404, 405, 407, 422, 429)),
			// It leaves open whether something was done.
			fc.record({ ...responding(200, 202, 500, 502, 503), when }),
		),
	)
	.map(([aim, one]): Fault => ({ ...one, ...aim }));

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

const scene = fc.record({
	service,
	faults: fc.array(fault, { maxLength: 5 }),
	webhooks: fc.array(
		fc.record({ type: fc.constantFrom('emailsReplied', 'emailsSent') }, { requiredKeys: [] }),
		{ maxLength: 4 },
	),
	continueOnFail: fc.boolean(),
});
type Scene = typeof scene extends fc.Arbitrary<infer T> ? T : never;

/** A service that has updated the webhook in place when the connection is cut, and a proxy that stops the second create. */
const UPDATED_UNSEEN: Scene = {
	service: { hookUrls: 'update' },
	faults: [
		{ kind: 'cut', when: 'after', match: { method: 'POST' } },
		{ ...GATEWAYS.firewall, match: { method: 'POST' } },
	],
	webhooks: [{}],
	continueOnFail: false,
};

/** What an operation returned: the items that are no errors, and the texts of the errors. */
type Outcome = { items: IDataObject[]; errors: string[] };

/** The service lists a target URL as it was sent, or in its own notation. */
const urlOf = (place: number): string => `https://CRM.test/in${place}?b=2&a=*`;
const OPEN = /not known/;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

let teams = 0;

/** A team of its own with webhooks at the odd service, and what an execution makes of it. */
class Team {
	private readonly id = `tea_any_${++teams}`;

	private readonly before: Map<string, string>;

	/** The IDs of the webhooks that exist at first. */
	readonly ids: string[];

	constructor(
		private readonly given: Scene,
		makeUrl: (place: number) => string = urlOf,
	) {
		world.service.clearFaults();
		world.service.clearRequests();
		world.service.setSwitches({ ...DEFAULT_SWITCHES, rateLimit: 'off', ...given.service });
		world.service.addApiKey(this.id, this.id);
		given.webhooks.forEach((fields, place) => {
			world.addWebhook({ ...fields, targetUrl: makeUrl(place), secret: 'old', team: this.id });
		});
		this.before = this.state();
		this.ids = [...this.before.keys()];
	}

	/** As the service stores a webhook, its secret included. */
	stored(id: unknown) {
		return world.service.store.list(this.id).find((webhook) => webhook.id === id);
	}

	/** The webhooks that are new, or are not as they were. */
	get added(): string[] {
		const now = [...this.state()];
		return now.filter(([id, text]) => this.before.get(id) !== text).map(([id]) => id);
	}

	get removed(): string[] {
		return this.ids.filter((id) => !this.stored(id));
	}

	private state(): Map<string, string> {
		const all = world.service.store.list(this.id);
		return new Map(all.map((webhook) => [webhook.id, JSON.stringify(webhook)]));
	}

	/** Runs an operation while the faults last. */
	async run(
		operation: string,
		parameters: INodeParameters,
		items: IDataObject[] = [{}],
	): Promise<Outcome> {
		for (const one of this.given.faults) world.service.addFault(one);
		const credential = { baseUrl: world.service.baseUrl, apiKey: this.id };
		const { continueOnFail } = this.given;
		const options = { items, credential, continueOnFail };
		const ended = await settle(world.run(operation, parameters, options));
		world.service.clearFaults();
		if (!ended.ok) {
			const { message, description = '' }: ShownError = ended.error;
			return { items: [], errors: [`${message}. ${description}`] };
		}
		const output = jsonOf(ended.value);
		return {
			items: output.filter((item) => item.error === undefined),
			errors: output.flatMap((item) => (typeof item.error === 'string' ? [item.error] : [])),
		};
	}

	/** Holds what a text says of webhooks against the service. @param completed where those are that an item completed */
	expectTrue(text: string, completed: 'there' | 'gone' = 'there'): void {
		const named = (pattern: RegExp): string[] =>
			[...text.matchAll(pattern)].flatMap(([, ids = '']) => ids.match(/hoo_\w+/g) ?? []);
		const done = named(/Already carried out: (.*?)\)\./g);
		const there = named(/with these settings: (.*?)\. One/g);
		const gone = named(/The webhook (hoo_\w+) was not found/g);
		(completed === 'there' ? there : gone).push(...done);
		const untouched = named(/Nothing was changed\. The webhook (hoo_\w+) has its old secret/g);
		const untrue = [
			...there.filter((id) => !this.stored(id)),
			...gone.filter((id) => this.stored(id)),
			...untouched.filter((id) => this.added.includes(id)),
		];
		expect({ text, untrue }).toEqual({ text, untrue: [] });
	}

	/** Whatever is not as it was is named, unless a text leaves open what was done. */
	expectTold({ items, errors }: Outcome, changed: string[]): void {
		const told = JSON.stringify([items, errors]);
		const untold = OPEN.test(told) ? [] : changed.filter((id) => !told.includes(id));
		expect({ told, untold }).toEqual({ told, untold: [] });
	}
}

/** Up to three of the webhooks, or one that does not exist. */
const chosen = fc.uniqueArray(fc.nat({ max: 4 }), { minLength: 1, maxLength: 3 });

it('Delete Many shows webhooks that are gone, and an error names each one that is, or may be', async () => {
	const isSelected = (place: number): boolean => place % 3 < 2;
	await fc.assert(
		fc.asyncProperty(scene, async (given) => {
			const team = new Team(given, (place) =>
				isSelected(place) ? urlOf(place) : 'https://other.test/in',
			);
			const parameters = { filters: { targetUrl: 'crm.test' }, dryRun: false };
			const outcome = await team.run('deleteMany', parameters);
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
			const ids = [...new Set(places.map((place) => team.ids[place] ?? 'hoo_none'))];
			const parameters = { webhookId: byId('={{ $json.id }}'), secret: SECRET };
			const items = ids.map((id) => ({ id }));
			const outcome = await team.run('rotateSecret', parameters, items);
			for (const { _id, secret, replacedWebhookId, note } of outcome.items) {
				expect([secret, team.stored(_id)?.secret]).toEqual([SECRET, SECRET]);
				team.expectTrue(textOf(note));
				if (team.stored(replacedWebhookId))
					expect(note).toMatch(`could not delete the old webhook ${textOf(replacedWebhookId)}: `);
			}
			for (const text of outcome.errors) team.expectTrue(text);
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

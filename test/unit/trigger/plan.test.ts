/** What a plan keeps, creates, removes and takes for lost, in any situation. */
import fc from 'fast-check';

import type { Webhook } from '../../../nodes/OutreachService/domain/webhook';
import type {
	DesiredWebhook,
	Evidence,
	RegisteredWebhook,
} from '../../../nodes/OutreachService/domain/registration';
import { keptIn, planRegistration } from '../../../nodes/OutreachService/trigger/registration/plan';
import type { Situation } from '../../../nodes/OutreachService/trigger/registration/situation';
import {
	isOwnUrl,
	targetUrlOf,
	webhookBase,
} from '../../../nodes/OutreachService/domain/triggerUrl';
import { digestOf, type Digest } from '../../../nodes/OutreachService/domain/secret';
import { anyUrl } from '../../anyText';
import { tries } from '../../propertyRuns';

const BASE = webhookBase('https://n8n.test/webhook/1/webhook');
const SERVICE = 'a service';
/** What a plan is made for: the desired webhooks, and the situation. */
type Given = Situation & { desired: readonly DesiredWebhook[] };

/** A situation in which all webhooks are the node's that it has registered or that have a target URL of it. */
function situationOf(given: Omit<Given, 'whose'>): Given {
	const ids = new Set(given.registered.map((webhook) => webhook.id));
	const whose = ({ _id, targetUrl: url }: Webhook) =>
		ids.has(_id) || isOwnUrl(BASE, url) ? 'node' : 'others';
	return { ...given, whose };
}
const urlFor = (event: string): string =>
	targetUrlOf({ base: BASE, event, campaignId: undefined, isFirst: undefined });
/** Of the secret that the current key gives a target URL. */
const digestFor = (url: string): Digest => digestOf(`secret of ${url}`);
/** A desired webhook that says all its settings in its target URL. */
const desiredOf = (
	settings: Omit<DesiredWebhook, 'targetUrl' | 'digest' | 'serviceId'>,
): DesiredWebhook => {
	const { campaignId: campaign, isFirst: first } = settings;
	const url = targetUrlOf({ base: BASE, ...settings, campaignId: campaign, isFirst: first });
	return { ...settings, targetUrl: url, digest: digestFor(url), serviceId: SERVICE };
};

/** A webhook that was registered for a desired one. */
const registeredAs = (
	{ event, targetUrl, digest, serviceId }: DesiredWebhook,
	id: string,
	evidence: Evidence = 'stored',
): RegisteredWebhook => ({ id, event, targetUrl, digest, serviceId, evidence });

const EVENTS = ['*', 'emailsReplied', 'warmed', 'dialerEnded', 'ownType'];

const mostly = <T>(value: T, ...others: T[]) =>
	fc.oneof({ weight: 6, arbitrary: fc.constant(value) }, fc.constantFrom(...others));

const event = fc.constantFrom(...EVENTS);
const campaignId = fc.option(fc.constantFrom('cam_1', 'cam_2'), { nil: undefined });
const isFirst = fc.option(fc.boolean(), { nil: undefined });
const isDisabled = fc.option(fc.boolean(), { nil: undefined });
const id = fc.integer({ min: 1, max: 12 }).map((number) => `hoo_${number}`);

const desired = fc.uniqueArray(fc.record({ event, campaignId, isFirst }).map(desiredOf), {
	selector: (needed) => needed.event,
});
const targetUrl = fc.oneof(
	event.map(urlFor),
	fc.constantFrom(BASE, `${BASE}?event=`, `${BASE}?event=warmed&x=1`, `${BASE}/a?event=warmed`),
	anyUrl,
);
const listed = fc.uniqueArray(
	fc
		.record({
			_id: id,
			targetUrl,
			type: fc.option(event, { nil: undefined }),
			campaignId,
			isFirst,
			disabled: isDisabled,
		})
		.map((webhook): Webhook => webhook),
	{ selector: (webhook) => webhook._id },
);
const evidence = fc.constantFrom<Evidence>('stored', 'created', 'certain', 'hidden');
const registered = fc.uniqueArray(
	fc.record({ id, event, targetUrl, isOfCurrentKey: mostly(true, false), evidence }).map(
		({ isOfCurrentKey, ...webhook }): RegisteredWebhook => ({
			...webhook,
			digest: isOfCurrentKey
				? digestFor(webhook.targetUrl)
				: digestOf('a secret of an earlier key'),
			serviceId: SERVICE,
		}),
	),
	{ selector: (webhook) => webhook.id },
);
const unrelated = fc.record({ desired, listed, registered }).map(situationOf);

/** A desired webhook that is registered and listed, each mostly as it should be. */
const related = fc.record({ event, campaignId, isFirst }).chain(({ event: type, ...settings }) => {
	const needed = desiredOf({ event: type, ...settings });
	return fc.record({
		desired: fc.constant(needed),
		isRegistered: mostly(true, false),
		isListed: mostly(true, false),
		listed: fc.record({
			targetUrl: mostly(needed.targetUrl, urlFor('dialerEnded'), 'https://elsewhere.test'),
			type: fc.constant(type === '*' ? undefined : type),
			campaignId: fc.constant(settings.campaignId),
			isFirst: fc.constant(settings.isFirst),
			disabled: mostly<boolean | undefined>(undefined, false, true),
		}),
	});
});
const mostlyRegistered = fc
	.uniqueArray(related, { selector: (one) => one.desired.event, minLength: 1 })
	.map(
		(all): Given =>
			situationOf({
				desired: all.map((one) => one.desired),
				registered: all.flatMap((one, index) =>
					one.isRegistered ? [registeredAs(one.desired, `hoo_${index}`)] : [],
				),
				listed: all.flatMap((one, index) =>
					one.isListed ? [{ ...one.listed, _id: `hoo_${index}` }] : [],
				),
			}),
	);
const situation = fc.oneof(unrelated, mostlyRegistered);

/** A plan, by what is done with the webhooks. */
function planFor(given: Given) {
	const plan = planRegistration(given.desired, given);
	const { decisions, remove } = plan;
	return {
		keep: keptIn(plan),
		create: decisions.filter(({ kept }) => !kept).map((decision) => decision.desired),
		lost: decisions.filter(({ isLost }) => isLost).map((decision) => decision.desired),
		predecessors: decisions.flatMap(({ predecessor }) => predecessor ?? []),
		remove,
	};
}

/** The listed and the registered webhooks after a plan is carried out. */
function carryOut(given: Given): Pick<Situation, 'listed' | 'registered'> {
	const plan = planFor(given);
	const removed = new Set(plan.remove.map(({ _id }) => _id));
	const created = plan.create.map((needed, index) => ({ ...needed, id: `new_${index}` }));
	return {
		listed: [
			...given.listed.filter(({ _id }) => !removed.has(_id)),
			...created.map(({ id: _id, event: type, targetUrl: url, ...settings }) => ({
				_id,
				targetUrl: url,
				campaignId: settings.campaignId,
				isFirst: settings.isFirst,
				...(type === '*' ? {} : { type }),
			})),
		],
		registered: [
			...plan.keep,
			...created.map((needed) => registeredAs(needed, needed.id, 'created')),
		],
	};
}

describe('A plan', () => {
	it('keeps or creates each desired webhook exactly once', () => {
		fc.assert(
			fc.property(situation, (given) => {
				const { keep, create } = planFor(given);
				const urls = [...keep, ...create].map((webhook) => webhook.targetUrl).sort();
				expect(urls).toEqual(given.desired.map((needed) => needed.targetUrl).sort());
			}),
		);
	});

	it('leaves nothing to do once it is carried out', () => {
		fc.assert(
			fc.property(situation, (given) => {
				const { keep, create, remove } = planFor(situationOf({ ...given, ...carryOut(given) }));
				expect([create, remove]).toEqual([[], []]);
				expect(keep).toHaveLength(given.desired.length);
			}),
		);
	});

	it("removes only registered webhooks and those with exactly one of the node's target URLs", () => {
		const own = EVENTS.map(urlFor);
		fc.assert(
			fc.property(situation, (given) => {
				const ids = new Set(given.registered.map((webhook) => webhook.id));
				const urls = new Set([...own, ...given.desired.map((needed) => needed.targetUrl)]);
				for (const webhook of planFor(given).remove) {
					expect(ids.has(webhook._id) || urls.has(webhook.targetUrl)).toBe(true);
				}
			}),
		);
	});

	it('never keeps a webhook that is not registered with the current key, disabled, at another target URL or not listed without being hidden, nor removes what it keeps', () => {
		let count = 0;
		fc.assert(
			fc.property(situation, (given) => {
				const { keep, remove } = planFor(given);
				count += keep.length;
				for (const kept of keep) {
					expect(given.registered).toContainEqual(
						expect.objectContaining({ id: kept.id, digest: kept.digest }),
					);
					expect(kept.digest).toBe(digestFor(kept.targetUrl));
					const webhook = given.listed.find(({ _id }) => _id === kept.id);
					if (kept.evidence === 'hidden') expect(webhook).toBeUndefined();
					else expect(webhook?.targetUrl).toBe(kept.targetUrl);
					expect(webhook?.disabled).not.toBe(true);
					expect(remove.map(({ _id }) => _id)).not.toContain(kept.id);
				}
			}),
			{ numRuns: tries(30) },
		);
		expect(count).toBeGreaterThan(5);
	});
});

describe('A registered webhook, listed with', () => {
	it.each<[string, boolean, Partial<Webhook>, Partial<DesiredWebhook>]>([
		['nothing but the event', true, {}, {}],
		['no campaign although one was set', true, {}, { campaignId: 'cam_1' }],
		['the same campaign', true, { campaignId: 'cam_1' }, { campaignId: 'cam_1' }],
		['another campaign', false, { campaignId: 'cam_2' }, { campaignId: 'cam_1' }],
		['a campaign where none is desired', false, { campaignId: 'cam_2' }, {}],
		[
			'null for everything that is not set',
			true,
			{ campaignId: null, isFirst: null, disabled: null },
			{},
		],
		['isFirst false where it is not desired', true, { isFirst: false }, {}],
		['isFirst where it is not desired', false, { isFirst: true }, {}],
		['isFirst false where it is desired', false, { isFirst: false }, { isFirst: true }],
		['all events instead of one', false, { type: undefined }, {}],
	])('%s, is kept: %s', (_name, expected, changed, settings) => {
		const needed = desiredOf({ event: 'emailsReplied', ...settings });
		const { targetUrl: url, event: type } = needed;
		const plan = planFor(
			situationOf({
				desired: [needed],
				listed: [{ _id: 'hoo_1', targetUrl: url, type, ...changed }],
				registered: [registeredAs(needed, 'hoo_1')],
			}),
		);
		expect(plan.keep).toHaveLength(expected ? 1 : 0);
	});
});

describe('A registered webhook that the list does not show', () => {
	const needed = desiredOf({ event: 'emailsReplied' });
	const planWith = (of: Evidence, more: Partial<Situation> = {}) =>
		planFor(
			situationOf({
				desired: [needed],
				listed: [],
				registered: [registeredAs(needed, 'hoo_1', of)],
				...more,
			}),
		);

	it('is gone if a list has shown it before: its events may be lost, and nothing is left to remove', () => {
		const plan = planWith('certain');
		expect([plan.create, plan.lost, plan.remove]).toEqual([[needed], [needed], []]);
	});

	it('is lost, too, if another webhook with its settings stands in its place', () => {
		const { targetUrl: url, event: type } = needed;
		const listed = [{ _id: 'hoo_2', targetUrl: url, type }];
		expect(planWith('certain', { listed }).lost).toEqual([needed]);
		// At the first look of a process, an earlier process may have created that one.
		expect(planWith('stored', { listed }).lost).toEqual([]);
	});

	it('is replaced once if no list has shown it, and only its removal tells whether it was there', () => {
		const plan = planWith('stored');
		expect(plan.predecessors.map((predecessor) => predecessor.id)).toEqual(['hoo_1']);
		expect(plan.remove.map(({ _id }) => _id)).toEqual(['hoo_1']);
		expect([plan.create, plan.lost]).toEqual([[needed], []]);
	});

	it('is lost if its removal says so, although a slow create has already made its successor', () => {
		const { targetUrl: url, event: type } = needed;
		const plan = planWith('stored', {
			listed: [{ _id: 'hoo_2', targetUrl: url, type }],
			registered: [registeredAs(needed, 'hoo_1'), registeredAs(needed, 'hoo_2', 'certain')],
		});
		expect(plan.keep.map(({ id: kept }) => kept)).toEqual(['hoo_2']);
		expect(plan.predecessors.map((predecessor) => predecessor.id)).toEqual(['hoo_1']);
		expect(plan.remove.map(({ _id }) => _id)).toEqual(['hoo_1']);
	});

	it('is no loss at the first look of a process, in which another one may have replaced it', () => {
		const { targetUrl: url, event: type } = needed;
		const plan = planWith('stored', {
			listed: [{ _id: 'hoo_2', targetUrl: url, type }],
			registered: [registeredAs(needed, 'hoo_1'), registeredAs(needed, 'hoo_2')],
		});
		expect(plan.keep.map(({ id: kept }) => kept)).toEqual(['hoo_2']);
		expect([plan.lost, plan.predecessors]).toEqual([[], []]);
	});

	it('is kept if it is a replacement already', () => {
		const plan = planWith('hidden');
		expect(plan.keep.map(({ id: kept }) => kept)).toEqual(['hoo_1']);
		expect(plan.keep[0]?.evidence).toBe('hidden');
		expect([plan.create, plan.remove]).toEqual([[], []]);
	});
});

/** What a change does at a base: after it, each desired webhook exists once, and nothing else is touched (D109, D110). */
import fc from 'fast-check';

import { targetUrlOf, webhookBase } from '../../../nodes/OutreachService/domain/triggerUrl';
import { hasSettings, type Webhook } from '../../../nodes/OutreachService/domain/webhook';
import type { KnownWebhook } from '../../../nodes/OutreachService/runtime/knownWebhooks';
import {
	desiredWebhooks,
	type DesiredWebhook,
} from '../../../nodes/OutreachService/trigger/registration/desired';
import { findAtBase, planFor } from '../../../nodes/OutreachService/trigger/registration/plan';
import { tries } from '../../propertyRuns';
import { read, selection } from './selections';

const BASE = webhookBase('https://n8n.test/prod/webhook/1/webhook');

/** The same URL for a request, in other words. */
const OWN_SPELLINGS = [BASE, 'https://N8N.test:443/prod/webhook/%31/webhook'];

/** Each may be another n8n's, even with the path of this node. */
const OTHER_BASES = [
	'https://n8n.test/staging/webhook/1/webhook',
	'https://n8n.test/webhook/1/webhook',
	'https://n8n.test:8443/prod/webhook/1/webhook',
	'http://n8n.test/prod/webhook/1/webhook',
	'https://other.test/prod/webhook/1/webhook',
	'https://n8n.test/prod/webhook-test/1/webhook',
	'https://n8n.test/prod/webhook/2/webhook',
	'https://n8n.test/prod/webhook/1/webhook/more',
];

const KEYS = ['aaaaaaaaaaaa', 'bbbbbbbbbbbb'] as const;

/** A webhook as the service lists it for a target URL of a trigger, or as somebody has changed it. */
const listedFor = (desired: readonly DesiredWebhook[]) =>
	fc
		.record({
			one: fc.constantFrom(...desired),
			base: fc.constantFrom(...OWN_SPELLINGS, ...OTHER_BASES),
			keyId: fc.constantFrom(...KEYS),
			addition: fc.constantFrom('', '', '', '&x=1', '&event=warmed', '#part'),
			changed: fc.constantFrom<object>({}, {}, { disabled: true }, { type: 'warmed' }, { type: 7 }),
		})
		.map(({ one, base, keyId, addition, changed }) => ({
			isOwn: OWN_SPELLINGS.includes(base) && !addition.startsWith('&'),
			webhook: {
				targetUrl: `${targetUrlOf(base, { ...one, keyId })}${addition}`,
				...(one.event === '*' ? {} : { type: one.event }),
				...(one.campaignId === undefined ? {} : { campaignId: one.campaignId }),
				isFirst: one.isFirst ?? false,
				...changed,
			},
		}));

const situation = selection
	.map(({ selection: given }) => desiredWebhooks(given, BASE, KEYS[0]))
	.chain((desired) =>
		fc.record({
			desired: fc.constant(desired),
			entries: fc.array(listedFor(desired), { maxLength: 20 }),
			isActivation: fc.boolean(),
			isFirstLook: fc.boolean(),
			/** Which webhooks this process has seen or made, by their place in the list. */
			known: fc.array(fc.constantFrom('seen', 'made', 'doubted', 'gone'), { maxLength: 20 }),
		}),
	);

it('After a plan, each desired webhook is at the base once, and nothing else is; nothing elsewhere is touched', () => {
	fc.assert(
		fc.property(situation, ({ desired, entries, isActivation, isFirstLook, known: knownOf }) => {
			const listed = entries.map(({ webhook }, at): Webhook => ({ _id: `hoo_${at}`, ...webhook }));
			const own = listed.filter((_, at) => entries[at]?.isOwn);
			const { atBase } = findAtBase(BASE, listed);
			expect(atBase).toEqual(own);
			const known = new Map<string, KnownWebhook>();
			for (const [at, state] of knownOf.entries()) {
				const one = desired[at % desired.length]!;
				// Only what a list shows: the rest is not of the list, see below.
				const seen = own.find((webhook) => hasSettings(webhook, one));
				if (seen) known.set(one.targetUrl, { state, id: seen._id });
			}
			const plan = planFor(desired, atBase, {
				known,
				isActivation,
				isFirstLook,
			});
			const removed = new Set(plan.undesired);
			const created = desired
				.filter((one) => plan.decisions.get(one)?.kind === 'create')
				.map(({ event, ...one }) => ({
					...one,
					_id: '',
					...(event === '*' ? {} : { type: event }),
				}));
			const after = [...own.filter((one) => !removed.has(one)), ...created];
			expect(after).toHaveLength(desired.length);
			for (const one of desired) {
				expect(after.filter((webhook) => hasSettings(webhook, one))).toHaveLength(1);
			}
			expect(plan.undesired.filter((one) => !own.includes(one))).toEqual([]);
		}),
		{ numRuns: tries(100) },
	);
});

describe('A desired webhook', () => {
	const [one] = desiredWebhooks(read(['emailsReplied'], {}), BASE, KEYS[0]);
	const { targetUrl } = one!;
	const listed: Webhook = { _id: 'hoo_1', targetUrl, type: 'emailsReplied' };
	const LISTED = [listed];
	const DISABLED = [{ ...listed, disabled: true }];
	const REPLACED = [{ ...listed, _id: 'hoo_2' }];
	const webhookFor = (event: string, keyId: string = KEYS[0]): Webhook[] => [
		{ _id: 'hoo_2', targetUrl: targetUrlOf(BASE, { event, keyId }), type: event },
	];

	const ofEarlierKey = webhookFor('emailsReplied', KEYS[1]);

	const createOf = (hasEnded: boolean): KnownWebhook => {
		const end = new Promise<never>(() => undefined);
		const sentAt = { date: 0, clock: 0 };
		return { state: 'unknown', open: { sentAt, idsBefore: new Set<string>(), end, hasEnded } };
	};
	const UNDER_WAY = createOf(false);
	const ENDED = createOf(true);
	const knownAs = (state: KnownWebhook['state']): KnownWebhook => ({ state, id: 'hoo_1' });
	const [SEEN, MADE, UNLISTED] = [knownAs('seen'), knownAs('made'), knownAs('unlisted')];
	const [GONE, DOUBTED] = [knownAs('gone'), knownAs('doubted')];

	const KEEP = { kind: 'keep', id: 'hoo_1' };
	const CREATE = { kind: 'create', isGone: false };
	/** It is created, and what may be lost is told. */
	const LOST = { kind: 'create', isGone: true };
	const WAIT = { kind: 'wait' };

	it.each<[string, 'activation' | 'check' | 'start', KnownWebhook | undefined, Webhook[], object]>([
		['is adopted, whoever has made it', 'check', undefined, LISTED, KEEP],
		['is adopted, whoever has made it', 'start', undefined, LISTED, KEEP],
		['stays that the service has confirmed, and no list shows', 'check', UNLISTED, [], KEEP],
		['stays that the service has confirmed, and no list shows', 'activation', UNLISTED, [], KEEP],
		['is replaced if nobody knows who has made it', 'activation', undefined, LISTED, CREATE],
		['is replaced if this process has only seen it', 'activation', SEEN, LISTED, CREATE],
		['stays if this process has made it', 'activation', MADE, LISTED, KEEP],
		['is lost if another one is in its place', 'check', SEEN, REPLACED, LOST],
		['is lost if another one is in its place', 'check', MADE, REPLACED, LOST],
		['is lost only once', 'check', GONE, REPLACED, CREATE],
		['stays if it was gone, and is listed again', 'check', GONE, LISTED, KEEP],
		['is replaced if a delivery had a wrong secret', 'check', DOUBTED, LISTED, CREATE],
		['is lost if that one is gone, too', 'check', DOUBTED, [], LOST],
		['is waited for while its create is under way', 'check', UNDER_WAY, [], WAIT],
		['is waited for while its create is under way', 'activation', UNDER_WAY, [], WAIT],
		['is created again once the service is done with that', 'check', ENDED, [], CREATE],
		['is lost if there is nothing', 'start', undefined, [], LOST],
		['is lost if it is disabled', 'start', undefined, DISABLED, LOST],
		['is lost if there is only another event', 'start', undefined, webhookFor('warmed'), LOST],
		['is new beside an earlier key', 'start', undefined, ofEarlierKey, CREATE],
		['is new beside one for everything', 'start', undefined, webhookFor('*'), CREATE],
	])('%s (%s)', (_, occasion, known, atBase, decision) => {
		const plan = planFor([one!], atBase, {
			known: new Map(known ? [[targetUrl, known]] : []),
			isActivation: occasion === 'activation',
			isFirstLook: occasion === 'start',
		});
		expect(plan.decisions.get(one!)).toEqual(decision);
	});
});

it('A plan costs webhooks plus list, not their product: each listed URL is read as often for 700 desired webhooks as for 7', () => {
	const events = Array.from({ length: 7 }, (_, at) => `custom${at}`).join();
	const desiredOf = (campaigns: number) => {
		const campaignId = Array.from({ length: campaigns }, (_, at) => `cam_${at}`).join();
		return desiredWebhooks(read([], { customEventTypes: events, campaignId }), BASE, KEYS[0]);
	};
	const [few, many] = [desiredOf(1), desiredOf(100)];
	expect([few.length, many.length]).toEqual([7, 700]);
	/** How often a field of a listed webhook is read. Those at the base have an earlier key. */
	const readsFor = (desired: readonly DesiredWebhook[]): number => {
		let reads = 0;
		const listed = Array.from({ length: 10_000 }, (_, at): Webhook => {
			const targetUrl =
				at % 10 === 0
					? targetUrlOf(BASE, { ...many[(at / 10) % 700]!, keyId: KEYS[1] })
					: `https://crm.test/${at}`;
			const webhook = { _id: `hoo_${at}`, targetUrl, type: `custom${at % 7}` };
			return new Proxy(webhook, {
				get: (target, name, self) => {
					reads += 1;
					return Reflect.get(target, name, self) as unknown;
				},
			});
		});
		const { atBase } = findAtBase(BASE, listed);
		planFor(desired, atBase, {
			known: new Map(),
			isActivation: false,
			isFirstLook: true,
		});
		return reads;
	};
	expect(readsFor(many)).toBeLessThan(1.5 * readsFor(few));
});

import fc from 'fast-check';

import { normalizeUrl } from '../../../nodes/OutreachService/model/targetUrl';
import { EVENT_TYPES, LEAD_STATES } from '../../../nodes/OutreachService/model/eventTypes';
import { subscribedEvents } from '../../../nodes/OutreachService/trigger/parameters';
import {
	webhookSettings,
	targetUrlFor,
	isOwnUrl,
	desiredWebhooks,
} from '../../../nodes/OutreachService/trigger/reconcile/desired';
import { selection } from './selections';

const BASE = 'https://n8n.test/webhook/1/webhook';

describe('The webhooks that a selection needs', () => {
	it('bring every event that is selected', () => {
		fc.assert(
			fc.property(selection, ({ selection: given }) => {
				const subscribed = subscribedEvents(given);
				for (const one of given.events) {
					const isBrought = subscribed.includes(one) || subscribed.includes('*');
					expect(isBrought).toBe(true);
					if (LEAD_STATES.has(one)) expect(subscribed).toContain(one);
				}
			}),
		);
	});

	it('are one for each event, or one for everything beside those of the lead states', () => {
		fc.assert(
			fc.property(selection, ({ selection: given }) => {
				const subscribed = subscribedEvents(given);
				const others = subscribed.filter((one) => !LEAD_STATES.has(one));
				if (given.subscription === 'hookPerEvent') expect(subscribed).toEqual(given.events);
				else expect([[], ['*']]).toContainEqual(others);
				expect(new Set(subscribed).size).toBe(subscribed.length);
			}),
		);
	});

	it('have an address each, which names its event and is known as our own', () => {
		fc.assert(
			fc.property(selection, fc.string(), ({ selection: given }, secret) => {
				const desired = desiredWebhooks(given, BASE);
				expect(new Set(desired.map(({ targetUrl }) => targetUrl)).size).toBe(desired.length);
				for (const hook of desired) {
					const { searchParams, origin, pathname } = new URL(hook.targetUrl);
					expect(Object.fromEntries(searchParams)).toEqual({ event: hook.event });
					expect(origin + pathname).toBe(BASE);
					if (EVENT_TYPES.has(hook.event)) expect(isOwnUrl(BASE, hook.targetUrl)).toBe(true);
					expect(webhookSettings(hook, secret)).toEqual({
						targetUrl: hook.targetUrl,
						type: hook.event === '*' ? undefined : hook.event,
						campaignId: given.campaignId,
						isFirst: given.isFirst || undefined,
						secret,
					});
				}
			}),
		);
	});

	it('are never at an address that only looks like ours', () => {
		const urls = ['*', ...EVENT_TYPES].map((event) => targetUrlFor(BASE, event));
		const own = new Set(urls.map(normalizeUrl));
		fc.assert(
			fc.property(fc.constantFrom(...urls), fc.string(), fc.nat(99), (url, text, at) => {
				const changed = url.slice(0, at) + text + url.slice(at);
				expect(isOwnUrl(BASE, changed)).toBe(own.has(normalizeUrl(changed)));
			}),
		);
	});
});

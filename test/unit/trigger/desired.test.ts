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
const ALL_TYPES = new Set(['*', ...EVENT_TYPES]);

describe('The webhooks that a selection needs', () => {
	it('deliver every selected event', () => {
		fc.assert(
			fc.property(selection, ({ selection: given }) => {
				const subscribed = subscribedEvents(given);
				for (const one of given.events) {
					const isDelivered = subscribed.includes(one) || subscribed.includes('*');
					expect(isDelivered).toBe(true);
					if (LEAD_STATES.has(one)) expect(subscribed).toContain(one);
				}
			}),
		);
	});

	it('are one for each event, or one for everything plus one for each lead state', () => {
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

	it("each have a target URL that names the event and is recognized as the node's own", () => {
		fc.assert(
			fc.property(selection, fc.string(), ({ selection: given }, secret) => {
				const desired = desiredWebhooks(given, BASE);
				expect(new Set(desired.map(({ targetUrl }) => targetUrl)).size).toBe(desired.length);
				for (const webhook of desired) {
					const { searchParams, origin, pathname } = new URL(webhook.targetUrl);
					const isOneOfSeveral = given.campaignIds.length > 1 && webhook.campaignId !== undefined;
					expect(Object.fromEntries(searchParams)).toEqual({
						event: webhook.event,
						...(isOneOfSeveral ? { campaign: webhook.campaignId } : {}),
					});
					expect(origin + pathname).toBe(BASE);
					if (ALL_TYPES.has(webhook.event)) expect(isOwnUrl(BASE, webhook.targetUrl)).toBe(true);
					expect(webhookSettings(webhook, secret)).toEqual({
						targetUrl: webhook.targetUrl,
						type: webhook.event === '*' ? undefined : webhook.event,
						campaignId: webhook.campaignId,
						isFirst: given.isFirst || undefined,
						secret,
					});
				}
			}),
		);
	});

	it('are one for each event and campaign, or for all campaigns with one webhook for everything', () => {
		fc.assert(
			fc.property(selection, ({ selection: given }) => {
				const { campaignIds, subscription } = given;
				const isOneForAll = campaignIds.length > 1 && subscription === 'singleHook';
				const campaigns = isOneForAll || campaignIds.length === 0 ? [undefined] : campaignIds;
				const expected = subscribedEvents(given).flatMap((event) =>
					campaigns.map((campaignId) => [event, campaignId]),
				);
				const desired = desiredWebhooks(given, BASE);
				expect(desired.map(({ event, campaignId }) => [event, campaignId])).toEqual(expected);
			}),
		);
	});

	it("never have a target URL that only resembles the node's", () => {
		const urls = [...ALL_TYPES].map((event) => targetUrlFor(BASE, event));
		const own = new Set(urls.map(normalizeUrl));
		fc.assert(
			fc.property(fc.constantFrom(...urls), fc.string(), fc.nat(99), (url, text, at) => {
				const changed = url.slice(0, at) + text + url.slice(at);
				expect(isOwnUrl(BASE, changed)).toBe(own.has(normalizeUrl(changed)));
			}),
		);
	});

	it.each<[string, boolean]>([
		['?event=*', true],
		['?event=%2A', true],
		['?event=warmed', true],
		['?event=warmed&campaign=cam_1', true],
		['?event=warmed&campaign=', false],
		['?event=warmed&event=warmed', false],
		['?campaign=cam_1&event=warmed', false],
		['?event=', false],
		['?event', false],
		['?', false],
		['', false],
	])("are the node's own with the query %j: %s", (query, isOwn) => {
		expect(isOwnUrl(BASE, `${BASE}${query}`)).toBe(isOwn);
	});
});

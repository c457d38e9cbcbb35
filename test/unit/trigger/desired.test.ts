/** The webhooks that a selection needs, and their target URLs. */
import fc from 'fast-check';

import { EVENTS } from '../../../nodes/OutreachService/domain/eventTypes';
import { subscribedEvents } from '../../../nodes/OutreachService/parameters/chosenEvents';
import { isOwnUrl, webhookBase } from '../../../nodes/OutreachService/domain/triggerUrl';
import { selectedWebhooks } from '../../../nodes/OutreachService/trigger/registration/desired';
import { selection } from './selections';

const BASE = webhookBase('https://n8n.test/webhook/1/webhook');

describe('The webhooks that a selection needs', () => {
	it("each have a target URL that says what they deliver and is recognized as the node's own", () => {
		fc.assert(
			fc.property(selection, ({ selection: given }) => {
				const desired = selectedWebhooks(given, BASE);
				expect(new Set(desired.map(({ targetUrl }) => targetUrl)).size).toBe(desired.length);
				for (const webhook of desired) {
					const { searchParams, origin, pathname } = new URL(webhook.targetUrl);
					expect(Object.fromEntries(searchParams)).toEqual({
						event: webhook.event,
						...(webhook.campaignId === undefined ? {} : { campaign: webhook.campaignId }),
						...(given.isFirst ? { first: 'true' } : {}),
					});
					expect(origin + pathname).toBe(BASE);
					expect(isOwnUrl(BASE, webhook.targetUrl)).toBe(true);
					expect(webhook.isFirst).toBe(given.isFirst);
				}
			}),
		);
	});

	it('are one for each event and campaign; only one for a single event that stays in its campaign is tied to one', () => {
		fc.assert(
			fc.property(selection, ({ selection: given }) => {
				const expected = subscribedEvents(given).flatMap((event) => {
					const mayLeave =
						event === 'emailsReplied' && !given.isFirst && given.thirdPartyReplies !== 'exclude';
					const isTied = !mayLeave && (EVENTS.get(event)?.hasCampaign ?? true);
					const campaigns = isTied ? given.campaignIds : [];
					return (campaigns.length > 0 ? campaigns : [undefined]).map((id) => [event, id]);
				});
				const desired = selectedWebhooks(given, BASE);
				expect(desired.map(({ event, campaignId }) => [event, campaignId])).toEqual(expected);
			}),
		);
	});

	it.each<[string, boolean]>([
		['?event=*', true],
		['?event=%2A', true],
		['?event=warmed', true],
		['?event=ofTheFuture', true],
		['?event=warmed&campaign=cam_1', true],
		['?event=warmed&first=true', true],
		['?event=warmed&campaign=cam_1&first=true', true],
		['?event=warmed&campaign=', false],
		['?event=warmed&event=warmed', false],
		['?campaign=cam_1&event=warmed', true],
		['?event=', false],
		['?event', false],
		['?', false],
		['', false],
	])("are the node's own with the query %j: %s", (query, isOwn) => {
		expect(isOwnUrl(BASE, `${BASE}${query}`)).toBe(isOwn);
	});
});

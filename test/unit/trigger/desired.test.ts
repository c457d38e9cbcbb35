/** The webhooks that a selection needs, and their target URLs. */
import fc from 'fast-check';

import { EVENTS } from '../../../nodes/OutreachService/domain/eventTypes';
import { triggerUrlIn, webhookBase } from '../../../nodes/OutreachService/domain/triggerUrl';
import { subscribedEvents } from '../../../nodes/OutreachService/parameters/chosenEvents';
import { desiredWebhooks } from '../../../nodes/OutreachService/trigger/registration/desired';
import { selection } from './selections';

const BASE = webhookBase('https://n8n.test/webhook/1/webhook');
const KEY_ID = '123456789abc';

describe('The webhooks that a selection needs', () => {
	it('each have a target URL of their own, which says what they deliver and for which key', () => {
		fc.assert(
			fc.property(selection, ({ selection: given }) => {
				const desired = desiredWebhooks(given, BASE, KEY_ID);
				expect(new Set(desired.map(({ targetUrl }) => targetUrl)).size).toBe(desired.length);
				for (const { targetUrl, event, campaignId, isFirst, keyId } of desired) {
					expect([isFirst, keyId]).toEqual([given.isFirst, KEY_ID]);
					const query = { event, campaignId, isFirst, keyId };
					expect(triggerUrlIn(targetUrl)).toEqual({ base: BASE, query });
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
				const desired = desiredWebhooks(given, BASE, KEY_ID);
				expect(desired.map(({ event, campaignId }) => [event, campaignId])).toEqual(expected);
			}),
		);
	});
});

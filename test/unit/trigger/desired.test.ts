/** The webhooks that a selection needs, and their target URLs. */
import fc from 'fast-check';

import { triggerUrlIn, webhookBase } from '../../../nodes/OutreachService/domain/triggerUrl';
import { desiredWebhooks } from '../../../nodes/OutreachService/trigger/registration/desired';
import { read, selection } from './selections';

const BASE = webhookBase('https://n8n.test/webhook/1/webhook');
const KEY_ID = '123456789abc';

it('The webhooks that a selection needs each have a target URL of their own, which says what they deliver and for which key', () => {
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

const REPLY = 'emailsReplied';
const TIED_REPLY = [`${REPLY} cam_1`, `${REPLY} cam_2`];

it.each([
	// A third party's reply may have left its campaign (§6.6).
	[{}, [REPLY]],
	[{ thirdPartyReplies: 'only' }, [REPLY]],
	[{ thirdPartyReplies: 'exclude' }, TIED_REPLY],
	[{ isFirst: true }, TIED_REPLY],
])('With two campaigns and %j, the webhooks for replies are %j', (options, expected) => {
	const namesOf = (events: string[]) =>
		desiredWebhooks(read(events, { campaignId: 'cam_1, cam_2', ...options }), BASE, KEY_ID).map(
			({ event, campaignId = '' }) => `${event} ${campaignId}`.trim(),
		);
	expect(namesOf([REPLY])).toEqual(expected);
	const others = ['emailsBounced', 'brandNew'].flatMap((one) => [`${one} cam_1`, `${one} cam_2`]);
	expect(namesOf([REPLY, 'emailsBounced', 'brandNew', 'connectionIssue'])).toEqual([
		...expected,
		...others,
		'connectionIssue',
	]);
});

it('One webhook for everything is tied to no campaign, and comes before those of lead states', () => {
	const options = { campaignId: 'cam_1', subscription: 'singleHook' };
	const single = read(['warmed', REPLY, 'paused'], options);
	expect(desiredWebhooks(single, BASE, KEY_ID)).toMatchObject([
		{ event: '*', campaignId: undefined },
		{ event: 'warmed', campaignId: 'cam_1' },
	]);
});

it.each([
	[
		['warmed', 'hooked'],
		['warmed', 'hooked'],
	],
	[['paused'], ['*']],
	[['*'], ['*']],
])('With one webhook for everything, %j needs webhooks for %j', (events, expected) => {
	const desired = desiredWebhooks(read(events, { subscription: 'singleHook' }), BASE, KEY_ID);
	expect(desired.map(({ event }) => event)).toEqual(expected);
});

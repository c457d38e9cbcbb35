import type { RegisteredWebhook } from '../../../nodes/OutreachService/model/registration';
import type { Webhook } from '../../../nodes/OutreachService/model/schemas';
import {
	leftoversOf,
	lostEvents,
	restOf,
} from '../../../nodes/OutreachService/trigger/reconcile/outcome';
import type { Applied } from '../../../nodes/OutreachService/trigger/reconcile/apply';

const URL = 'https://n8n.test/webhook/1/webhook?event=emailsReplied';
const OTHER_URL = 'https://n8n.test/webhook/1/webhook?event=smsReplied';

const registered = (id: string, targetUrl = URL): RegisteredWebhook => ({
	id,
	targetUrl,
	event: targetUrl === URL ? 'emailsReplied' : 'smsReplied',
	digest: 'digest',
});

const listed = (_id: string, more: Partial<Webhook> = {}): Webhook => ({
	_id,
	targetUrl: URL,
	type: 'emailsReplied',
	...more,
});

const applied = (result: Partial<Applied>): Applied => ({
	webhooks: [],
	created: [],
	removed: [],
	remaining: [],
	failure: undefined,
	removalFailures: [],
	mayHaveDuplicates: false,
	...result,
});

describe('The registered webhooks that are to be removed later', () => {
	it('are those that could not be removed', () => {
		const result = applied({ remaining: [listed('old')] });
		expect(leftoversOf(result, [registered('old'), registered('gone', OTHER_URL)])).toEqual([
			registered('old'),
		]);
	});

	it('include one whose successor remains at its URL, because the ID of the successor is not saved', () => {
		const result = applied({ remaining: [listed('successor')] });
		expect(leftoversOf(result, [registered('replaced')])).toEqual([registered('replaced')]);
	});

	it('do not include one that is kept, although another remains at its URL', () => {
		const result = applied({ webhooks: [registered('kept')], remaining: [listed('twin')] });
		expect(leftoversOf(result, [registered('kept')])).toEqual([]);
	});
});

describe('What is left of a change', () => {
	const desired = [registered('new'), registered('other', OTHER_URL)];

	it('names the target URL of a webhook that delivers in place of one that is missing', () => {
		const remaining = [listed('disabled', { disabled: true }), listed('works')];
		expect(restOf(applied({ remaining }), desired).delivering).toEqual(new Set([URL]));
	});

	it('names no target URL at which no remaining webhook delivers the event', () => {
		const remaining = [
			listed('disabled', { disabled: true }),
			listed('ofAnotherEvent', { targetUrl: OTHER_URL }),
		];
		expect(restOf(applied({ remaining }), desired).delivering).toEqual(new Set());
	});

	it('names what could not be removed, and nothing when no removal was tried', () => {
		const remaining = [listed('old')];
		const removalFailures = [new Error('Refused')];
		expect(restOf(applied({ remaining, removalFailures }), []).failedRemovals).toEqual(
			new Set(['old']),
		);
		expect(restOf(applied({ remaining }), []).failedRemovals).toEqual(new Set());
	});
});

describe('The events that were lost until a webhook was created', () => {
	it('are not those that a webhook with the same settings has delivered', () => {
		expect(lostEvents([registered('new')], [listed('old')])).toEqual([]);
		expect(lostEvents([registered('new')], [listed('old', { type: 'warmed' })])).toEqual([
			'emailsReplied',
		]);
	});

	it('are only those whose target URL was registered before, if it is known which were', () => {
		const created = [registered('new'), registered('other', OTHER_URL)];
		expect(lostEvents(created, [], new Set([OTHER_URL]))).toEqual(['smsReplied']);
		expect(lostEvents(created, [])).toEqual(['emailsReplied', 'smsReplied']);
	});
});

/**
 * Payloads as other services might send them: each is passed on, grouped, filtered, batched and recognized. The world
 * is a local service and one trigger in one process of n8n.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { deriveSecret } from '../../../tools/load/deriveSecret';
import { onlyWhen } from '../support/conditions';
import { post } from '../support/post';
import type { TriggerHost } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';
import { PAYLOADS, type PayloadName } from './payloads';

const world = useWorld();

/** What becomes of a payload. To add one, add it to `payloads.ts` and here. */
type Expectation = {
	/** The event whose webhook delivers it. */
	event: string;
	/** `event.summary` of the grouped output. */
	summary: string;
	/** Other fields of the grouped output, by path. */
	fields: Record<string, unknown>;
	/** Conditions that it meets: field, type and operation, and value. */
	meets: Array<[field: string, operator: string, value?: string]>;
	/** Conditions that it does not meet. */
	misses: Array<[field: string, operator: string, value?: string]>;
	/** Whether a second copy is a duplicate. */
	isRecognized: boolean;
	/** What Group By takes for its lead. */
	lead: string | undefined;
};

const EXPECTATIONS: Record<PayloadName, Expectation> = {
	repliedFull: {
		event: 'emailsReplied',
		summary: 'Mira Dahl replied to an email: Re: Idée n°1 – «été» 🌞 folded',
		fields: {
			'event.channel': 'email',
			'event.isThirdPartyReply': false,
			'lead.email': 'mira.dahl@example.com',
			'campaign.name': 'Q4 | Nordics 🚀 <test>',
			'sequence.step': 2,
			'email.to': [{ address: 'sales@example.org', name: '' }],
			'email.bcc': [],
		},
		meets: [
			['campaignName', 'string:contains', 'nordics'],
			['score', 'number:gt', '50'],
			['optIn', 'boolean:true'],
			['Company name', 'string:equals', 'Nordwind ApS'],
			['={{ $json["subject1"] }}', 'string:notEmpty'],
			['to[0].address', 'string:endsWith', '@example.org'],
			['={{ $json["Phone.Mobile"] }}', 'string:empty'],
			['createdAt', 'dateTime:after', '2026-10-28T00:00:00Z\n'],
		],
		misses: [
			['score', 'number:gt', '87'],
			['cc', 'array:notEmpty'],
			['picture', 'string:exists'],
		],
		isRecognized: true,
		lead: 'lea_fiDpiG',
	},
	replied2021: {
		event: 'emailsReplied',
		summary: 'The lead replied to an email',
		fields: {
			'event.createdAt': '2021-02-16T08:02:42.000Z',
			'sequence.step': 1,
			'lead.email': null,
			'campaign.name': 'Docs',
		},
		meets: [
			['sequenceStep', 'number:equals', '1'],
			['isFirst', 'boolean:true'],
			['bot', 'boolean:false'],
			['createdAt', 'dateTime:before', '2021-02-17'],
			['firstName', 'string:equals', 'Mira'],
		],
		misses: [
			['bot', 'boolean:true'],
			['leadEmail', 'string:exists'],
		],
		isRecognized: true,
		lead: undefined,
	},
	thirdPartyReply: {
		event: 'emailsReplied',
		summary:
			'A third party replied to an email – colleague＠example․com: x″, ″channel″: ″everybody',
		fields: {
			'event.isThirdPartyReply': true,
			'campaign.id': null,
			'lead.id': null,
			'email.subject': 'x", "channel": "everybody',
		},
		meets: [['isThirdPartyReply', 'boolean:true']],
		misses: [['campaignId', 'string:exists']],
		isRecognized: true,
		lead: 'colleague@example.com',
	},
	openedBot: {
		event: 'hooked',
		summary: 'Mira Dahl opened an email',
		fields: { 'event.subscription': 'hooked', 'event.type': 'emailsOpened' },
		meets: [['bot', 'boolean:true']],
		misses: [['isFirst', 'boolean:true']],
		isRecognized: true,
		lead: 'lea_fiDpiG',
	},
	bounced: {
		event: 'emailsBounced',
		summary: 'An email was returned as undeliverable – Mira Dahl',
		fields: {
			'email.subject': null,
			'email.to': [{ address: 'NOBODY@Example.com', name: '' }],
		},
		meets: [
			['errorMessage', 'string:regex', '^55\\d'],
			['to.0.address', 'string:equals', 'nobody@example.com'],
		],
		misses: [['subject', 'string:notEmpty']],
		isRecognized: true,
		lead: 'lea_fiDpiG',
	},
	unsubscribedAsUnknown: {
		event: 'emailsUnsubscribed',
		summary: 'Mira Dahl no longer wants to receive emails',
		fields: {
			'event.label': 'Email: Unsubscribed',
			'event.channel': 'email',
			'event.type': 'entityUnsubscribed',
		},
		meets: [['type', 'string:contains', 'unsubscribed']],
		misses: [['type', 'string:equals', 'emailsUnsubscribed']],
		isRecognized: true,
		lead: 'lea_fiDpiG',
	},
	networkReplied: {
		event: 'networkReplied',
		summary: 'Mira Dahl replied on the professional network',
		fields: { 'event.channel': 'network', 'lead.email': null, 'sender.email': null },
		meets: [['leadEmail', 'string:notExists']],
		misses: [['leadEmail', 'string:contains', '@']],
		isRecognized: true,
		lead: 'lea_fiDpiG',
	},
	inviteNulls: {
		event: 'networkInviteAccepted',
		summary: 'The lead accepted a connection invite',
		fields: { 'lead.id': 'lea_7', 'lead.lastName': null, 'sequence.step': null },
		meets: [['leadEmail', 'string:empty']],
		misses: [
			['sequenceStep', 'number:lt', '5'],
			['campaignName', 'string:exists'],
		],
		isRecognized: true,
		lead: 'lea_7',
	},
	manualNested: {
		event: 'manualNotInterested',
		summary: 'A user marked Jon Doh as not interested by hand',
		fields: { 'event.channel': 'manual', 'lead.id': 'lea_2', 'lead.firstName': 'Jon' },
		meets: [
			['lead._id', 'string:equals', 'lea_2'],
			['lead.isPaused', 'boolean:false'],
			['={{ $json.lead.variables["Company name"] }}', 'string:equals', 'jon'],
			['={{ $json.lead?.variables?.preferredContactMethod }}', 'string:equals', 'Email'],
		],
		misses: [['lead.variables.region', 'string:exists']],
		isRecognized: true,
		lead: 'lea_2',
	},
	callRecording: {
		event: 'callRecordingDone',
		summary: 'The recording of a call can be fetched – Mira Dahl',
		fields: { 'event.channel': 'call' },
		meets: [
			['callDuration', 'number:gte', '60'],
			['call.tags', 'array:contains:any', 'hot'],
			['call.from', 'string:startsWith', '45'],
		],
		misses: [['call.direction', 'string:equals', 'inbound']],
		isRecognized: true,
		lead: 'lea_fiDpiG',
	},
	connection: {
		event: 'connectionIssue',
		summary: 'A mailbox can no longer be reached',
		fields: { 'event.channel': null, 'lead.id': null },
		meets: [['mailbox.provider', 'string:equals', 'Google']],
		misses: [['campaignName', 'string:contains', 'Q4']],
		isRecognized: true,
		lead: undefined,
	},
	label: {
		event: 'inboxLabelUpdated',
		summary: 'The label of an inbox conversation changed',
		fields: { 'event.label': 'Other: Inbox Label Updated' },
		meets: [['label.name', 'string:startsWith', 'Hot']],
		misses: [['previousLabel.name', 'string:exists']],
		isRecognized: true,
		lead: undefined,
	},
	numericIds: {
		event: 'emailsSent',
		summary: 'An email went out',
		fields: {
			'event.id': '4712',
			'lead.id': '1482956',
			'campaign.name': '9181',
			'event.createdAt': '2026-03-28T09:35:01.000Z',
			'email.cc': [],
		},
		meets: [
			['_id', 'number:equals', '4712'],
			['={{ $json["campaign_name"] }}', 'string:equals', 'nordics'],
		],
		misses: [['campaignName', 'string:contains', 'nordics']],
		isRecognized: true,
		lead: '1482956',
	},
	spaces: {
		event: 'emailsReplied',
		summary: '｛｛firstName｝｝ O’Brien‐Müller ﷺ replied to an email: ＝?UTF‐8?B?UmU6IHRlc3Q＝?＝',
		fields: {
			'lead.email': 'Mixed.CASE@Example.Test',
		},
		meets: [['leadEmail', 'string:contains', 'mixed.case@example.test']],
		misses: [['leadEmail', 'string:equals', 'someone@example.test']],
		isRecognized: true,
		lead: 'lea_fiDpiG',
	},
	clicked: {
		event: 'emailsClicked',
		summary: 'Mira Dahl clicked a link in an email',
		fields: {},
		meets: [['bot', 'boolean:equals', 'off']],
		misses: [['bot', 'boolean:equals', 'yes']],
		isRecognized: true,
		lead: 'lea_fiDpiG',
	},
	annotated: {
		event: 'annotated',
		summary: 'Task: Annotated',
		fields: { 'campaign.id': null },
		meets: [['note', 'string:contains', 'help']],
		misses: [['leadId', 'string:exists']],
		isRecognized: true,
		lead: undefined,
	},
	signal: {
		event: 'signalRegistered',
		summary: 'A signal agent noticed something new',
		fields: { 'event.label': 'Other: Signal Registered' },
		meets: [['signal.contacts[0].fullName', 'string:equals', 'kim']],
		misses: [['signal.score', 'number:gt', '4']],
		isRecognized: true,
		lead: undefined,
	},
	idNumber: {
		event: 'emailsSent',
		summary: 'An email went out – Mira Dahl',
		fields: { 'event.id': '4711' },
		meets: [['_id', 'number:equals', '4711']],
		misses: [['campaignId', 'string:exists']],
		isRecognized: true,
		lead: 'lea_fiDpiG',
	},
	testOfService: {
		event: 'emailsReplied',
		summary: 'Email: Reply Received',
		fields: { 'event.label': 'Email: Reply Received', 'campaign.id': null },
		meets: [['type', 'string:equals', 'emailsReplied']],
		misses: [['leadId', 'string:exists']],
		isRecognized: true,
		lead: undefined,
	},
	blankId: {
		event: 'smsReplied',
		summary: 'Mira Dahl replied to a text message',
		fields: { 'event.id': null, 'event.channel': 'sms' },
		meets: [['sequenceStep', 'number:equals', '2']],
		misses: [['_id', 'string:startsWith', 'act_']],
		isRecognized: false,
		lead: 'lea_fiDpiG',
	},
	withoutType: {
		event: 'paused',
		summary: 'Mira was paused',
		fields: { 'event.type': null, 'event.label': 'Workspace: Lead Paused' },
		meets: [['type', 'string:notExists']],
		misses: [['type', 'string:equals', 'paused']],
		isRecognized: true,
		lead: undefined,
	},
	wrapped: {
		event: '*',
		summary: 'An event',
		fields: { 'event.label': null, 'event.id': null },
		meets: [['data.type', 'string:equals', 'emailsReplied']],
		misses: [['type', 'string:exists']],
		isRecognized: false,
		lead: undefined,
	},
	empty: {
		event: '*',
		summary: 'An event',
		fields: { 'event.id': null, 'lead.id': null, 'email.to': [] },
		meets: [['campaignName', 'string:notExists']],
		misses: [['campaignName', 'string:exists']],
		isRecognized: false,
		lead: undefined,
	},
};

const CASES = Object.entries(EXPECTATIONS).map(
	([name, expectation]) => [name as PayloadName, expectation] as const,
);

/** Delivers payloads at the webhook of an event, at the same time. @returns the status of each response */
async function deliver(event: string, payloads: readonly object[]): Promise<number[]> {
	const { targetUrl } = world.webhooks.find((webhook) => (webhook.type ?? '*') === event)!;
	const secret = deriveSecret(world.service.apiKey, targetUrl);
	return await Promise.all(
		payloads.map(async (payload) => (await post(targetUrl, { ...payload, secret })).status),
	);
}

/** Delivers a payload to a trigger for its event. @returns the items with which the workflow starts */
async function itemsOf(name: PayloadName, options: INodeParameters, copies = 1) {
	const { event } = EXPECTATIONS[name];
	const host = await world.activeTrigger([event], options);
	for (let copy = 0; copy < copies; copy += 1) {
		expect(await deliver(event, [PAYLOADS[name]])).toEqual([200]);
	}
	return host.started.map(({ json }) => json);
}

const at = (item: IDataObject | undefined, path: string): unknown =>
	path
		.split('.')
		.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], item);

/** A trigger with one condition. */
const withCondition = ([field, operator, value = '']: Expectation['meets'][number]) => {
	const [type = '', operation = '', rightType] = operator.split(':');
	return { onlyWhen: onlyWhen(field, value, { type, operation, ...(rightType && { rightType }) }) };
};

describe.each(CASES)('The payload %s', (name, expectation) => {
	it('is passed on as it came', async () => {
		expect(await itemsOf(name, {})).toEqual([PAYLOADS[name]]);
	});

	it('has, grouped, the summary and the fields that the table says', async () => {
		const [item] = await itemsOf(name, { output: 'grouped' });
		expect(at(item, 'event.summary')).toBe(expectation.summary);
		for (const [path, value] of Object.entries(expectation.fields)) {
			expect([path, at(item, path)]).toEqual([path, value]);
		}
		expect(at(item, 'activity')).toEqual(PAYLOADS[name]);
	});

	it('meets and misses the conditions that the table says', async () => {
		const { event, meets, misses } = expectation;
		const host = await world.activeTrigger([event]);
		const startsWith = async (condition: Expectation['meets'][number]): Promise<number> => {
			const options = { ...withCondition(condition), duplicateMemory: 'off' };
			// The process that has activated a workflow keeps to the conditions of that time; another one reads them.
			host.moveToNewProcess();
			host.reload({ events: [event], options });
			const before = host.started.length;
			expect(await deliver(event, [PAYLOADS[name]])).toEqual([200]);
			return host.started.length - before;
		};
		for (const condition of meets) {
			expect([condition, await startsWith(condition)]).toEqual([condition, 1]);
		}
		for (const condition of misses) {
			expect([condition, await startsWith(condition)]).toEqual([condition, 0]);
		}
	});

	it('is recognized when it comes again, if it has an ID', async () => {
		expect(await itemsOf(name, {}, 2)).toHaveLength(expectation.isRecognized ? 1 : 2);
	});
});

/** The events of all payloads but those that only the webhook for all events delivers. */
const NAMED = CASES.filter(([, { event }]) => event !== '*');
const EVENTS = [...new Set(NAMED.map(([, { event }]) => event))];

const idOf = (payload: object): unknown => ('_id' in payload ? payload._id : undefined);

/** The payloads that come out together: those of a run, or of an output. */
const namesOf = (items: readonly IDataObject[]): PayloadName[] =>
	items
		.map((item) => CASES.find(([name]) => idOf(PAYLOADS[name]) === item._id)?.[0] ?? 'empty')
		.sort();

/** Delivers all payloads, and closes the batches once they hold as many events as they should. */
async function deliverAll(host: TriggerHost, held: number): Promise<PayloadName[][]> {
	const runs: PayloadName[][] = [];
	host.respond = (_item, items) => {
		runs.push(namesOf(items));
		return 200;
	};
	const { close } = await host.startTrigger();
	const delivered = NAMED.map(async ([name, { event }]) => await deliver(event, [PAYLOADS[name]]));
	await until(() => world.n8n.runtime.stats().heldDeliveries === held);
	await close();
	expect(new Set((await Promise.all(delivered)).flat())).toEqual(new Set([200]));
	return runs;
}

it('All payloads share a batch, with Group By those of one lead, and each comes out at the output of its event', async () => {
	const batch = (groupBy: string) => ({
		batch: { values: { maxEvents: 1_000, maxSeconds: 8, groupBy } },
	});
	const all = await world.activeTrigger(EVENTS, { ...batch('none'), outputs: 'perEvent' });
	expect(await deliverAll(all, NAMED.length)).toEqual([NAMED.map(([name]) => name).sort()]);
	const outputs = await all.outputs(all.started);
	expect(outputs.map((items) => namesOf(items.map(({ json }) => json)))).toEqual(
		EVENTS.map((event) =>
			NAMED.filter((one) => one[1].event === event)
				.map(([name]) => name)
				.sort(),
		),
	);
	await all.deactivate();

	const byLead = await world.activeTrigger(EVENTS, batch('lead'));
	const withLead = NAMED.filter(([, { lead }]) => lead !== undefined);
	const runs = await deliverAll(byLead, withLead.length);
	const leads = new Set(NAMED.map(([name, { lead }]) => lead ?? name));
	const expected = [...leads].map((lead) =>
		NAMED.filter(([name, one]) => (one.lead ?? name) === lead)
			.map(([name]) => name)
			.sort(),
	);
	expect(runs.map(String).sort()).toEqual(expected.map(String).sort());
});

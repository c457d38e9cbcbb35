/** Payloads as services send them: each is chosen, grouped, filtered, and told apart from others. */
import type { IDataObject } from 'n8n-workflow';

import { activitySchema, leadOf } from '../../../nodes/OutreachService/domain/activity';
import { evaluateConditions } from '../../../nodes/OutreachService/domain/conditions';
import { chosenEvent } from '../../../nodes/OutreachService/trigger/delivery/applySelection';
import { chosenActivity } from '../../../nodes/OutreachService/trigger/delivery/chosenActivity';
import { grouped } from '../../../nodes/OutreachService/trigger/delivery/grouped';
import { onlyWhen } from '../../integration/support/conditions';
import field from '../../field/payloads.json';
import { read } from './selections';

/** What most activities of a lead in a campaign have. */
const {
	teamId,
	createdAt,
	leadId,
	leadEmail,
	leadFirstName,
	leadLastName,
	campaignId,
	sequenceStep,
} = field.clicked;
const LEAD = {
	teamId,
	createdAt,
	leadId,
	leadEmail,
	leadFirstName,
	leadLastName,
	campaignId,
	sequenceStep,
};

/** Activities of the kinds that services send, with invented people. Each has a field or a form that others do not have. */
const PAYLOADS: Readonly<Record<string, IDataObject>> = {
	...field,
	thirdPartyReply: {
		_id: 'act_third',
		type: 'emailsReplied',
		teamId,
		createdAt: '2026-03-02T08:15:00.000Z',
		isThirdPartyReply: true,
		leadEmail: 'colleague@example.com',
		subject: 'x", "channel": "everybody',
	},
	numericIds: {
		_id: 4712,
		type: 'emailsSent',
		leadId: 1_482_956,
		campaignId: 'cam_1',
		campaignName: 9181,
		campaign_name: 'Nordics',
		createdAt: '2026-03-28T09:35:01+00:00',
		cc: null,
	},
	blankId: { ...LEAD, _id: '   ', type: 'smsReplied' },
};

/** What becomes of a payload. */
type Expectation = {
	/** The event whose webhook delivers it. */
	event: string;
	/** `event.summary` of the grouped output. */
	summary: string;
	/** Other fields of the grouped output, by path. */
	fields: Record<string, unknown>;
	/** Conditions that it meets: field, type and operation, and value. */
	meets: Condition[];
	/** Conditions that it does not meet. */
	misses: Condition[];
	/** Whether a second copy is a duplicate; it is, unless this is false. */
	isRecognized?: false;
	/** What *Group By* takes for its lead. */
	lead?: string;
};

type Condition = [field: string, operator: string, value?: string];

const EXPECTATIONS: Readonly<Record<string, Expectation>> = {
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
		lead: 'id lea_fiDpiG',
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
		lead: 'email colleague@example.com',
	},
	openedBot: {
		event: 'hooked',
		summary: 'Mira Dahl opened an email',
		fields: { 'event.subscription': 'hooked', 'event.type': 'emailsOpened' },
		meets: [['bot', 'boolean:true']],
		misses: [['isFirst', 'boolean:true']],
		lead: 'id lea_fiDpiG',
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
		lead: 'id lea_2',
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
		lead: 'id 1482956',
	},
	blankId: {
		event: 'smsReplied',
		summary: 'Mira Dahl replied to a text message',
		fields: { 'event.id': null, 'event.channel': 'sms' },
		meets: [['sequenceStep', 'number:equals', '2']],
		misses: [['_id', 'string:startsWith', 'act_']],
		isRecognized: false,
		lead: 'id lea_fiDpiG',
	},
	wrapped: {
		event: '*',
		summary: 'An event',
		fields: { 'event.label': null, 'event.id': null },
		meets: [['data.type', 'string:equals', 'emailsReplied']],
		misses: [['type', 'string:exists']],
		isRecognized: false,
	},
};

const at = (item: IDataObject, path: string): unknown =>
	path
		.split('.')
		.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], item);

it.each(Object.entries(EXPECTATIONS))(
	'The payload %s is read as the table says',
	(name, expected) => {
		const json = PAYLOADS[name]!;
		const activity = activitySchema.parse(json);
		const { event } = expected;
		expect(chosenEvent(event, activity, read([event], {}))).toBe(event);
		const item = grouped(chosenActivity(event, activity, json));
		expect(at(item, 'event.summary')).toBe(expected.summary);
		for (const [path, value] of Object.entries(expected.fields)) {
			expect([path, at(item, path)]).toEqual([path, value]);
		}
		const isMet = ([left, operator, value = '']: Condition): boolean => {
			const [type = '', operation = '', rightType] = operator.split(':');
			const condition = onlyWhen(left, value, { type, operation, ...(rightType && { rightType }) });
			const { onlyWhen: conditions } = read([event], { onlyWhen: condition });
			return conditions !== undefined && evaluateConditions(json, conditions, 'UTC').isMet;
		};
		expect(expected.meets.filter((one) => !isMet(one))).toEqual([]);
		expect(expected.misses.filter(isMet)).toEqual([]);
		expect(activity._id !== null).toBe(expected.isRecognized ?? true);
		expect(leadOf(activity)).toBe(expected.lead);
	},
);

/**
 * What the pictures of the documents show is still what the nodes, the demo and the local service say. Nothing compares
 * the pictures themselves. When a text here is outdated, so is the picture: renew it as CONTRIBUTING says under "Renew the
 * pictures", look at it, and write here what it shows now.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { activitySchema } from '../../../nodes/OutreachService/domain/activity';
import { EVENT_OPTIONS } from '../../../nodes/OutreachService/domain/eventTypes';
import { sampleActivity } from '../../../nodes/OutreachService/domain/sample';
import { chosenActivity } from '../../../nodes/OutreachService/trigger/delivery/chosenActivity';
import { grouped } from '../../../nodes/OutreachService/trigger/delivery/grouped';
import { isJsonObject } from '../../../nodes/OutreachService/utils/json';
import { options } from '../../../nodes/OutreachService/trigger/description/options';
import { demoWorkflow } from '../../../tools/demo/workflow';
import { OUTPUTS } from '../../../tools/docs/outputs';
import { fieldsOf } from '../../integration/support/operations';
import { documents, read, repository, sourcesIn } from './everyDocument';
import { EVERY_TEXT } from './everyText';

type Picture = {
	/** Texts of the nodes or of the local service, with … for each placeholder. */
	texts: string[];
	/** Of what it shows everything, what there is now, and what the picture shows. */
	now?: unknown;
	shown?: unknown;
};

const TRIGGER_PANEL = [
	'Wait for an event',
	"No event at hand? Add the option 'Test With'. When you publish (activate) the workflow, n8n registers its webhooks at the service; when you unpublish (deactivate) it, n8n removes them.",
];

/** The fields of the items that the picture of *Delete Many* shows. */
const DELETED_ITEM = ['deleted', 'dryRun', '_id', 'targetUrl', 'type', 'createdAt'];
const DELETE_MANY_FIELDS = OUTPUTS.webhook?.deleteMany ?? {};

/** The fields of an operation on webhooks, as the editor shows them. */
const labelsOf = (operation: string): string[] =>
	fieldsOf('webhook', operation).map(({ displayName }) => displayName);

/** The fields inside a collection of the trigger's options. */
const fieldsOfOption = (name: string): string[] =>
	options
		.filter((option) => option.name === name)
		.flatMap(({ options: groups = [] }) => groups)
		.flatMap((group) => ('values' in group ? group.values : []))
		.map(({ displayName }) => displayName);

const reply = sampleActivity('emailsReplied', {
	_id: 'act_1',
	createdAt: '2026-01-15T09:30:00.000Z',
});
const { event, lead, campaign, ...furtherGroups } = grouped(
	chosenActivity('emailsReplied', activitySchema.parse(reply), reply),
);

const demo = demoWorkflow({ id: '1', name: 'Account', type: 'outreachServiceApi' });
const DEMO: Picture = {
	texts: ['Email: Reply Received'],
	now: [demo.name, ...demo.nodes.map(({ name, parameters }) => parameters.content ?? name)],
	shown: [
		'Outreach events arrive',
		'## What happens here\n**1.** When this workflow was published, the trigger registered a webhook for each of its 3 events with the (local) outreach service.\n\n**2.** Each event that the service delivers starts one execution: see the *Executions* tab above.\n\n**3.** Edit Fields keeps the most important fields. Replace it with your CRM or chat node.',
		'Outreach events',
		'Edit Fields',
	],
};

const page = read('tools/service/page/index.html');
const SERVICE: Picture = {
	texts: [],
	now: [...page.matchAll(/<(h[1-3]|summary)>([^<]+)/g)].map(([, , heading]) => heading),
	shown: [
		'Local outreach service',
		'Send an event',
		'Change its fields',
		'Latest deliveries',
		'Webhooks',
		'Let requests fail',
		// Folded, inside the one before.
		'Any other fault, as JSON',
		'Change how the service behaves',
		'Requests to the API',
	],
};

/** The pictures in docs/images/, without the ending of their names. */
const PICTURES: Readonly<Record<string, Picture>> = {
	'demo-workflow': DEMO,
	'demo-workflow-dark': DEMO,
	'local-service': SERVICE,
	'local-service-dark': SERVICE,
	'trigger-events': {
		texts: [...TRIGGER_PANEL, 'Trigger On'],
		now: EVENT_OPTIONS.filter(({ name }) => /repl/i.test(name)).map(
			({ name, description = '' }) => `${name}: ${description}`,
		),
		shown: [
			'Email: Reply Received (emailsReplied): The lead or a third party replied to an email',
			'Lead State: Warmed (Any Reply, Replied): The lead replied on any channel',
			'Network: Reply Received (networkReplied): The lead replied on the professional network',
			'Messenger: Reply Received (messengerReplied): The lead replied to an instant message',
			'SMS: Reply Received (smsReplied): The lead replied to a text message',
		],
	},
	'trigger-conditions-and-batch': {
		texts: [
			...TRIGGER_PANEL,
			'Trigger On',
			'Only When',
			'campaignName',
			'sequenceStep',
			'Batch Events',
			'Nothing',
			"On the left of 'Only When', enter the name of a field, such as campaignName or subject. For numbers and dates, enter an expression: {{ $json.sequenceStep }}.",
		],
		now: fieldsOfOption('batch'),
		shown: ['Max Events', 'Max Seconds', 'Group By'],
	},
	'trigger-outputs': {
		texts: ['Email reply', 'Bounced', 'Interested', 'Other events', 'An Output for Each Event'],
	},
	'trigger-report': {
		texts: [
			'Email: Reply Received',
			'Webhooks of "…" were missing at the service, and n8n has created them again. Their events: …',
		],
	},
	'trigger-sample': {
		texts: [...TRIGGER_PANEL, 'Trigger On', 'Data Format', 'Grouped', 'Test With', 'Sample Event'],
		now: [event, lead, campaign, furtherGroups].map((group) =>
			isJsonObject(group) ? Object.keys(group) : group,
		),
		shown: [
			// prettier-ignore
			['summary', 'label', 'channel', 'key', 'subscription', 'id', 'type', 'createdAt', 'teamId', 'isThirdPartyReply'],
			['id', 'email', 'firstName', 'lastName'],
			['id', 'name'],
			['sequence', 'sender', 'email', 'activity'],
		],
	},
	'action-delete-many-webhooks': {
		texts: [
			'Delete Many',
			'Target URL Contains',
			"Dry run: nothing has been deleted. To delete …, turn off 'Dry Run' and execute the node again.",
		],
		now: [...labelsOf('deleteMany'), DELETED_ITEM.filter((name) => name in DELETE_MANY_FIELDS)],
		shown: [
			'You cannot restore deleted webhooks. Whatever receives their events, such as another workflow, gets no more. Check the dry run first.',
			'Filters',
			'Dry Run',
			DELETED_ITEM,
		],
	},
	'error-wrong-key': {
		texts: [
			'Get Many',
			'The service did not accept the API key',
			'It responded with status …. Copy the key again from the integrations page of the account settings into the credential, with nothing before or after it.',
		],
		now: labelsOf('getAll'),
		shown: ['Return All', 'Limit', 'Filters'],
	},
};

it.each(Object.entries(PICTURES))(
	'The picture %s shows what there is',
	(_name, { texts, now, shown }) => {
		expect(texts.filter((text) => !EVERY_TEXT.includes(text))).toEqual([]);
		expect(now).toEqual(shown);
	},
);

it('Each picture is in the table, and a document shows it', () => {
	const files = readdirSync(join(repository, 'docs/images'));
	expect(files.sort()).toEqual(
		Object.keys(PICTURES)
			.map((name) => `${name}.png`)
			.sort(),
	);
	const texts = documents.map(read).join('\n');
	expect(files.filter((file) => !texts.includes(`images/${file}`))).toEqual([]);
});

it('Each picture is taken by a test', () => {
	const tests = sourcesIn('test/e2e').map(read).join('\n');
	expect(Object.keys(PICTURES).filter((name) => !tests.includes(`'${name}'`))).toEqual([]);
});

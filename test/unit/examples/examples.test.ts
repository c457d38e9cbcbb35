/** Each example has samples for its trigger, and nothing that acts before it is set up. */
import type { IDataObject } from 'n8n-workflow';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { z } from 'zod';

import { DOCUMENTED_PEOPLE_FIELDS } from '../../../nodes/OutreachService/actions/peopleSchema/documentedFields';
import { sampleActivity } from '../../../nodes/OutreachService/domain/sample';
import { activitySchema } from '../../../nodes/OutreachService/domain/activity';
import { evaluateConditions } from '../../../nodes/OutreachService/domain/conditions';
import { chosenActivity } from '../../../nodes/OutreachService/trigger/delivery/chosenActivity';
import { grouped } from '../../../nodes/OutreachService/trigger/delivery/grouped';
import {
	chosenEvent,
	passesFilters,
} from '../../../nodes/OutreachService/trigger/delivery/applySelection';
import { readSelection } from '../../../nodes/OutreachService/trigger/readSelection';
import { EXAMPLE_FILES, exampleText, readExample } from '../../../tools/demo/examples';
import type { N8nNode } from '../../../tools/host';
import { readerOf } from '../trigger/selections';

/** The ID of every credential in the examples: none that exists, so that n8n asks for one. */
const NO_CREDENTIAL = 'choose-your-own';

const readme = readFileSync(resolve(__dirname, '../../../README.md'), 'utf8');
const linkedInReadme = [...readme.matchAll(/^- \[[^\]]+\]\(examples\/([^)]+)\)/gm)].map(
	(match) => match[1],
);

const CREATED_AT = '2026-01-15T09:30:00.000Z';
const OUTREACH_TRIGGER = 'n8n-nodes-outreach-service.outreachServiceTrigger';

const assignmentsSchema = z.object({
	assignments: z.object({ assignments: z.array(z.object({ value: z.unknown() })) }),
});

/** What the *Edit Fields* nodes that read the item of a trigger make of it: n8n evaluates what is in braces as JavaScript. */
function textsBehind(file: string, trigger: string, item: IDataObject): string[] {
	const { nodes, connections } = readExample(file);
	const next = (connections[trigger]?.main ?? []).flat().map((link) => link?.node);
	const expressions = nodes.flatMap(({ name, parameters }) => {
		const { data } = assignmentsSchema.safeParse(parameters);
		const values = data?.assignments.assignments.map(({ value }) => String(value)) ?? [];
		const isNext = next.includes(name);
		return values.filter((value) => value.startsWith('=') && (isNext || value.includes('$(')));
	});
	const context = createContext({ $json: item, $: () => ({ item: { json: item } }) });
	return expressions.map((expression) =>
		expression
			.slice(1)
			.replace(/\{\{([^]*?)\}\}/g, (_, code: string) => String(runInContext(code, context) ?? '')),
	);
}

/** What services send in place of a field: nothing, or a text that people write. */
const ODD = [null, ' «été» 🌞 "<b>{{x}}</b>"\r\n folded '];

/** An activity as documented, with each field odd in turn, and without any field. */
const variantsOf = (activity: IDataObject): IDataObject[] => [
	activity,
	{},
	...Object.keys(activity).flatMap((name) => ODD.map((odd) => ({ ...activity, [name]: odd }))),
];

/** A node of a file as n8n gives it to the node's code. */
const selectionOf = (node: N8nNode) => readSelection(readerOf(node.parameters));

const triggers = EXAMPLE_FILES.flatMap((file) => {
	const { nodes, pinData } = readExample(file);
	return nodes
		.filter(({ type }) => type === OUTREACH_TRIGGER)
		.map((node) => ({ file, node, pinned: (pinData?.[node.name] ?? []).map(({ json }) => json) }));
});

describe.each(triggers)('The trigger in $file', ({ file, node, pinned }) => {
	const selection = selectionOf(node);
	/** An activity of each event, in the order of the selection. */
	const activities = selection.events.map((event) => {
		const activity: IDataObject = {
			...sampleActivity(event, { _id: `act_sample_${event}`, createdAt: CREATED_AT }),
			...(selection.thirdPartyReplies === 'only' ? { isThirdPartyReply: true } : {}),
		};
		return { event, activity };
	});
	/** Those of the pinned items. */
	const samples = activities.slice(0, pinned.length);

	it('holds samples of the events that it selects, in its output', () => {
		expect(pinned.length).toBeGreaterThan(0);
		expect(pinned).toEqual(
			samples.map(({ event, activity }) =>
				selection.dataFormat === 'grouped'
					? grouped(chosenActivity(event, activitySchema.parse(activity), activity))
					: activity,
			),
		);
	});

	it('would start the workflow with each of them', () => {
		for (const { event, activity } of samples) {
			const parsed = activitySchema.parse(activity);
			expect(chosenEvent(event, parsed, selection)).toBeDefined();
			expect(passesFilters(parsed, selection)).toBe(true);
			if (selection.onlyWhen === undefined) continue;
			expect(evaluateConditions(activity, selection.onlyWhen, 'UTC').isMet).toBe(true);
		}
	});

	it('gives the next nodes only what their expressions can use, whatever a service sends', () => {
		for (const { event, activity } of activities) {
			for (const variant of variantsOf(activity)) {
				const parsed = activitySchema.parse(variant);
				const chosen = chosenEvent(event, parsed, selection);
				if (chosen === undefined || !passesFilters(parsed, selection)) continue;
				const { onlyWhen } = selection;
				if (onlyWhen && !evaluateConditions(variant, onlyWhen, 'UTC').isMet) continue;
				const isGrouped = selection.dataFormat === 'grouped';
				const item = isGrouped ? grouped(chosenActivity(chosen, parsed, variant)) : variant;
				const texts = textsBehind(file, node.name, item);
				expect(texts).not.toEqual([]);
				expect(texts.join()).not.toMatch(/undefined|null|NaN|\[object/);
			}
		}
	});
});

const ADA = {
	leadEmail: 'Ada@example.com',
	leadFirstName: 'Ada',
	leadLastName: 'Lovelace',
	campaignName: 'Autumn',
	sendUserName: 'Erin',
	sequenceStep: 2,
	createdAt: CREATED_AT,
};
const FROM = 'Campaign: Autumn, sender: Erin';
const BY_HAND = 'A user marked Ada Lovelace as interested by hand (Autumn)';
const BY_TEXT = `Ada Lovelace replied to a text message\n${FROM}`;
const BY_OTHERS = `A third party replied to an email – Ada Lovelace\n${FROM}. Please take over.`;

it.each([
	['positive-reply', { type: 'manualInterested' }, [BY_HAND, 'Ada Lovelace']],
	['bounce-and-unsubscribe-clean-up', { type: 'emailsBounced' }, ['ada@example.com', CREATED_AT]],
	['opens-and-clicks', { type: 'emailsClicked' }, ['ada@example.com', 'clicked', 'Autumn', '2']],
	['third-party-reply', { type: 'emailsReplied', isThirdPartyReply: true }, [BY_OTHERS]],
	['reply-to-slack', { type: 'smsReplied' }, [BY_TEXT, 'false']],
])('%s.json makes of %j the texts %j', (name, fields, texts) => {
	const { file, node } = triggers.find((one) => one.file === `${name}.json`)!;
	const activity = { ...ADA, ...fields };
	const { dataFormat } = selectionOf(node);
	const chosen = chosenActivity(activity.type, activitySchema.parse(activity), activity);
	const item = dataFormat === 'grouped' ? grouped(chosen) : activity;
	expect(textsBehind(file, node.name, item)).toEqual(expect.arrayContaining(texts));
});

it('opens-and-clicks.json leaves out campaigns with the word test', () => {
	const { node } = triggers.find(({ file }) => file === 'opens-and-clicks.json')!;
	const { onlyWhen } = selectionOf(node);
	const isKept = (campaignName: string) =>
		evaluateConditions({ campaignName }, onlyWhen!, 'UTC').isMet;
	expect(['Latest launch', 'A test'].map(isKept)).toEqual([true, false]);
});

describe.each(EXAMPLE_FILES)('The example %s', (file) => {
	const workflow = readExample(file);

	it('has the name of its file', () => {
		expect(workflow.name.toLowerCase().replaceAll(' ', '-')).toBe(file.replace('.json', ''));
	});

	it('calls no chat or CRM before it is set up', () => {
		for (const node of workflow.nodes) {
			const callsOut = /\.(httpRequest|slack)$/.test(node.type);
			expect([node.name, node.disabled === true]).toEqual([node.name, callsOut]);
		}
	});

	it('contains no real URLs or credentials', () => {
		for (const { credentials } of workflow.nodes) {
			for (const { id } of Object.values(credentials ?? {})) expect(id).toBe(NO_CREDENTIAL);
		}
		const hosts = [...exampleText(file).matchAll(/https?:\/\/([\w.-]+)/g)].map((match) => match[1]);
		expect(hosts.filter((name) => !name?.endsWith('.example.com'))).toEqual([]);
	});

	it('is in the list of the README', () => {
		expect(linkedInReadme).toContain(file);
	});
});

it('In reply-to-slack.json, third-party replies go to a person', () => {
	const { nodes, connections } = readExample('reply-to-slack.json');
	const channels = connections['Is it a third party?']?.main?.map((links) => {
		const { parameters } = nodes.find(({ name }) => name === links?.[0]?.node) ?? {};
		return z.object({ channelId: z.object({ value: z.string() }) }).parse(parameters).channelId
			.value;
	});
	expect(channels).toEqual(['#sales-takeover', '#sales-replies']);
});

it('In ai-agent-manages-webhooks.json, each tool that deletes asks a person, who answers by a button', () => {
	const { nodes, connections } = readExample('ai-agent-manages-webhooks.json');
	const nextTo = (name: string) => connections[name]?.ai_tool?.flat().map((link) => link?.node);
	const deleting = nodes.filter(({ parameters }) => /delete/i.test(String(parameters.operation)));
	expect(deleting.map(({ name }) => nextTo(name))).toEqual([['Ask before deleting']]);
	expect(nextTo('Ask before deleting')).toEqual(['AI Agent']);
	const { type, parameters } = nodes.find(({ name }) => name === 'Ask before deleting')!;
	expect(type).toMatch(/\.chatHitlTool$/);
	expect(parameters).toMatchObject({
		// A text in the chat is no answer.
		blockUserInput: true,
		approvalOptions: { values: { approvalType: 'double' } },
	});
});

it('The sample record in people-record-from-text.json has fields of the documented people schema', () => {
	const [item] = readExample('people-record-from-text.json').pinData?.['Fill in the record'] ?? [];
	const pathsOf = (value: unknown, path: string): string[] => {
		if (Array.isArray(value)) return value.flatMap((one) => pathsOf(one, `${path}[]`));
		if (typeof value !== 'object' || value === null) return [path];
		return Object.entries(value).flatMap(([key, one]) =>
			pathsOf(one, path === '' ? key : `${path}.${key}`),
		);
	};
	const documented = DOCUMENTED_PEOPLE_FIELDS.map(({ path }) => path);
	expect(documented).toEqual(expect.arrayContaining(pathsOf(item?.json.output, '')));
});

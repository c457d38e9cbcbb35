/**
 * Each recipe of docs/recipes.md, with the expressions that stand there. The world is a real n8n with the package and a
 * local service.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import {
	itemsOf,
	repository,
	type N8nExecution,
	type N8nNode,
	type N8nWorkflowDraft,
} from '../../tools/host';
import {
	actionNode,
	activateNewWorkflow,
	chain,
	createServiceCredential,
	node,
	triggerNode,
	waitForHookCount,
} from '../../tools/host/workflows';
import { useOutreachHost, useServiceCredential } from './outreachHost';
import { CAN, testWhere } from './underTest';

const host = useOutreachHost();
const credential = useServiceCredential(host);

const document = readFileSync(join(repository, 'docs/recipes.md'), 'utf8');
const RECIPES = document.split(/^## /m).slice(1);
const tested = new Set<string>();

/** What a recipe says is to be pasted. */
function pastedFrom(title: string): string[] {
	tested.add(title);
	const recipe = RECIPES.find((one) => one.startsWith(`${title}\n`));
	if (recipe === undefined) throw new Error(`There is no recipe '${title}'`);
	return [...recipe.matchAll(/^```\n([^`]+)\n```$/gm)].map(([, code = '']) => code);
}

/** A field that is switched to *Expression*. */
const expressionFrom = (title: string, position = 0): string =>
	`=${pastedFrom(title)[position] ?? ''}`;

const REPLIES = { events: ['emailsReplied'], options: { output: 'grouped' } };

/** A node that keeps the value of an expression, in the field `value`. */
const keep = (name: string, value: string): N8nNode =>
	node(name, 'n8n-nodes-base.set', 3.4, {
		assignments: { assignments: [{ id: randomUUID(), name: 'value', value, type: 'string' }] },
		options: {},
	});

/** Runs a workflow with these activities, one after the other, until `count` executions have succeeded. */
async function run(
	draft: N8nWorkflowDraft,
	activities: object[],
	{ webhooks = 1, count = activities.length } = {},
): Promise<N8nExecution[]> {
	const { id } = await activateNewWorkflow(host(), draft, webhooks);
	const { client } = host().server;
	for (const activity of activities) {
		await host().service.emit({ type: 'emailsReplied', ...activity });
		await client.executions.untilIdle(id);
	}
	const executions = await client.executions.waitForFinished(id, count);
	await client.deactivateWorkflow(id);
	await waitForHookCount(host(), 0);
	expect(executions.map(({ status }) => status)).toEqual(Array(count).fill('success'));
	return executions;
}

/** What a node made by {@link keep} has kept, over all executions. */
const valuesIn = (executions: readonly N8nExecution[], name: string): unknown[] =>
	executions.flatMap((one) => itemsOf(one, name).map(({ value }) => value));

test('Leave out automatic replies, and opens and clicks by bots', async () => {
	const [automatic, bots] = pastedFrom('Leave out automatic replies, and opens and clicks by bots');
	const condition = (leftValue: string, rightValue: unknown) => ({
		id: randomUUID(),
		leftValue,
		operator: { type: 'string', operation: 'notRegex' },
		rightValue,
	});
	const onlyWhen = {
		options: { caseSensitive: false, leftValue: '', typeValidation: 'loose', version: 2 },
		conditions: [condition('subject', automatic), condition('bot', bots)],
		combinator: 'and',
	};
	const events = ['emailsReplied', 'emailsOpened'];
	const trigger = triggerNode(credential(), { events, options: { onlyWhen } });
	const draft = chain('Without machines', [trigger, keep('Kept', '={{ $json.subject }}')]);
	const activities = [
		{ subject: 'Automatic reply: Re: Hello' },
		{ subject: 'Out of the office until Monday' },
		{ subject: 'AUTO-RESPONSE' },
		{ subject: 'Re: Our office' },
		{ type: 'emailsOpened', subject: 'by a bot', bot: true },
		{ type: 'emailsOpened', subject: 'by a person', bot: false },
		{ type: 'emailsOpened', subject: 'by somebody' },
	];
	const kept = await run(draft, activities, { webhooks: 2, count: 3 });
	expect(valuesIn(kept, 'Kept').sort()).toEqual(['Re: Our office', 'by a person', 'by somebody']);
});

test('One message for each lead and hour', async () => {
	const once = node('Once', 'n8n-nodes-base.removeDuplicates', 2, {
		operation: 'removeItemsSeenInPreviousExecutions',
		dedupeValue: expressionFrom('One message for each lead and hour'),
		options: {},
	});
	const message = keep('Message', '={{ $json.lead.email ?? $json.lead.id }}');
	const draft = chain('Once an hour', [triggerNode(credential(), REPLIES), once, message]);
	const sent = await run(draft, [
		{ leadId: 'lea_1', leadEmail: 'ada@example.com' },
		{ leadId: 'lea_1', leadEmail: 'Ada@example.com' },
		{ leadId: 'lea_2', leadEmail: null },
		{ leadId: 'lea_2', leadEmail: null },
		{ leadId: 'lea_3', leadEmail: 'eve@example.com' },
	]);
	expect(valuesIn(sent, 'Message').sort()).toEqual(['ada@example.com', 'eve@example.com', 'lea_2']);
});

test('An owner or a channel for each campaign', async () => {
	const channel = keep('Channel', expressionFrom('An owner or a channel for each campaign'));
	const draft = chain('Channels', [triggerNode(credential(), REPLIES), channel]);
	const campaigns = ['Autumn', 'Winter', 'Spring', null];
	const activities = campaigns.map((campaignName) => ({ campaignName }));
	const chosen = await run(draft, activities);
	expect(valuesIn(chosen, 'Channel').sort()).toEqual([
		'#sales',
		'#sales',
		'#sales-north',
		'#sales-south',
	]);
});

/** A workflow with several triggers, each with a node of its own or all with the same. */
const merged = (
	name: string,
	pairs: Array<[trigger: N8nNode, next: N8nNode]>,
): N8nWorkflowDraft => ({
	name,
	nodes: [...new Set(pairs.flat())],
	connections: Object.fromEntries(
		pairs.map(([trigger, next]) => [
			trigger.name,
			{ main: [[{ node: next.name, type: 'main', index: 0 }]] },
		]),
	),
});

test('Third-party replies to a person', async () => {
	pastedFrom('Third-party replies to a person');
	const replies = (name: string, thirdPartyReplies: string) =>
		triggerNode(credential(), { ...REPLIES, options: { thirdPartyReplies } }, name);
	const draft = merged('Third parties', [
		[replies('A lead replied', 'exclude'), keep('Go on', 'lead')],
		[replies('Somebody replied', 'only'), keep('Tell a person', 'third party')],
	]);
	const activities = [{ isThirdPartyReply: false }, { isThirdPartyReply: true }];
	const executions = await run(draft, activities, { webhooks: 2 });
	expect(valuesIn(executions, 'Go on')).toEqual(['lead']);
	expect(valuesIn(executions, 'Tell a person')).toEqual(['third party']);
});

test('Several teams', async () => {
	const apiKey = `key-${randomUUID()}`;
	host().service.addApiKey(apiKey, 'south');
	const { baseUrl } = host().service;
	const south = await createServiceCredential(host(), { baseUrl, apiKey });
	const team = keep('Team', expressionFrom('Several teams'));
	const draft = merged('Teams', [
		[triggerNode(credential(), REPLIES, 'Team North'), team],
		[triggerNode(south, REPLIES, 'Team South'), team],
	]);
	const teams = await run(draft, [{}, { teamId: 'south' }], { webhooks: 2 });
	expect(valuesIn(teams, 'Team').sort()).toEqual(['North', 'South']);
});

test('The text of a reply for a model', async () => {
	const prompt = keep('Prompt', expressionFrom('The text of a reply for a model'));
	const draft = chain('Prompts', [triggerNode(credential(), REPLIES), prompt]);
	const html =
		'<style>p { margin: 0 }</style><div>Yes, <b>please</b>.</div><p class="x">&Eacute;ve &#x27;E&#39;</p>&gt; Hello';
	const prompts = await run(draft, [
		{ text: '> Hello\n\nNo, <50.' },
		{ text: html },
		{ text: 'x'.repeat(5_000) },
		{ text: null },
		{},
	]);
	expect(valuesIn(prompts, 'Prompt')).toEqual(
		expect.arrayContaining([
			'> Hello\n\nNo, <50.',
			"Yes, please.\nÉve 'E'\n> Hello",
			'x'.repeat(5_000),
			'',
			'',
		]),
	);
});

testWhere(CAN.saveFailedExecutions, 'it cannot save a failed execution')(
	'After a report that events may be lost',
	async () => {
		const title = 'After a report that events may be lost';
		const isLost = expressionFrom(title);
		const filter = node('Lost events', 'n8n-nodes-base.filter', 2.2, {
			conditions: {
				options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 },
				conditions: [
					{
						id: randomUUID(),
						leftValue: isLost,
						rightValue: '',
						operator: { type: 'boolean', operation: 'true', singleValue: true },
					},
				],
				combinator: 'and',
			},
			options: {},
		});
		const errorTrigger = node('Error Trigger', 'n8n-nodes-base.errorTrigger', 1);
		const { client } = host().server;
		const errors = await client.createWorkflow(
			chain('Errors', [errorTrigger, filter, keep('Message', expressionFrom(title, 1))]),
		);
		await client.activateWorkflow(errors.id);
		const trigger = triggerNode(credential(), { ...REPLIES, options: { repairMinutes: 1 } });
		const fails = node('Fails', 'n8n-nodes-base.stopAndError', 1, { errorMessage: 'It failed' });
		const { id } = await activateNewWorkflow(
			host(),
			{ ...chain('Reported', [trigger, fails]), settings: { errorWorkflow: errors.id } },
			1,
		);
		// A run that fails is no report.
		await host().service.emit({ type: 'emailsReplied' });
		host().service.removeHook(host().service.hooks()[0]!._id);
		const runs = await client.executions.waitForFinished(errors.id, 2, { timeoutMs: 110_000 });
		const messages = runs.flatMap((run) => itemsOf(run, 'Message').map(({ value }) => value));
		await client.deactivateWorkflow(id);
		await waitForHookCount(host(), 0);
		expect(messages).toEqual([
			expect.stringMatching(
				/Email: Reply Received\. .*Events that happened between .+ may be lost/s,
			),
		]);
	},
);

test('Unsubscribe the lead', async () => {
	const request = actionNode(credential(), {
		resource: 'api',
		operation: 'request',
		method: 'POST',
		path: expressionFrom('Unsubscribe the lead'),
	});
	const result = keep('Result', '={{ $json.unsubscribed }}');
	const draft = chain('Unsubscribe', [triggerNode(credential(), REPLIES), request, result]);
	const { service } = host();
	service.addFault({
		kind: 'status',
		status: 200,
		body: '{"unsubscribed":"yes"}',
		contentType: 'application/json',
		match: { method: 'POST', path: '/leads*' },
	});
	const executions = await run(draft, [{ leadId: 'lea 1/2' }]);
	expect(valuesIn(executions, 'Result')).toEqual(['yes']);
	const paths = service.requests.map(({ path }) => path);
	expect(paths).toContain('/leads/lea%201%2F2/unsubscribe');
});

test('There is no other recipe', () => {
	expect(RECIPES.map((one) => one.split('\n')[0])).toEqual([...tested]);
});

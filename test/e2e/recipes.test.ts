/**
 * Each recipe of docs/recipes.md with an expression that n8n evaluates; among them what becomes of the trigger's reports.
 * The world is a real n8n with the package and a local service.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import {
	itemsOf,
	logFromNow,
	repository,
	type N8nExecution,
	type N8nNode,
	type N8nWorkflowDraft,
} from '../../tools/host';
import { activate, deactivate } from '../../tools/host/publishing';
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
import { createWithCheckIn } from './runs';
import { CAN, testWhere } from './underTest';

const host = useOutreachHost();
const credential = useServiceCredential(host);

const document = readFileSync(join(repository, 'docs/recipes.md'), 'utf8');
const RECIPES = document.split(/^## /m).slice(1);
/** For these, the unit tests of what is pasted, or the tests of the trigger's options, are enough. */
const tested = new Set([
	'Leave out automatic replies, and opens and clicks by bots',
	'The text of a reply for a model',
	'Third-party replies to a person',
]);

/** A test of a recipe. It gets what the recipe says is to be pasted. */
function testRecipe(
	title: string,
	run: (pasted: string[]) => Promise<void>,
	runTest: ReturnType<typeof testWhere> = test,
): void {
	tested.add(title);
	runTest(title, async () => {
		const recipe = RECIPES.find((one) => one.startsWith(`${title}\n`));
		if (recipe === undefined) throw new Error(`There is no recipe '${title}'`);
		await run([...recipe.matchAll(/^```\n([^`]+)\n```$/gm)].map(([, code = '']) => code));
	});
}

/** The trigger with grouped data, as most recipes have it. */
const replies = (options = {}, name = 'Replies', used = credential()): N8nNode =>
	triggerNode(
		used,
		{ events: ['emailsReplied'], options: { output: 'grouped', ...options } },
		name,
	);

/** A node that keeps the value of a field, which is an expression if it begins with `=`. */
const keep = (value: string, name = 'Kept'): N8nNode =>
	node(name, 'n8n-nodes-base.set', 3.4, {
		assignments: { assignments: [{ id: randomUUID(), name: 'value', value, type: 'string' }] },
		options: {},
	});

/** What a node made by {@link keep} has kept, over all executions, in alphabetical order. */
const kept = (executions: readonly N8nExecution[], name = 'Kept'): unknown[] =>
	executions.flatMap((one) => itemsOf(one, name).map(({ value }) => value)).sort();

/** Runs a workflow with these replies, one after the other, until `count` executions have succeeded. */
async function run(
	draft: N8nWorkflowDraft,
	activities: object[],
	{ webhooks = 1, count = activities.length } = {},
): Promise<N8nExecution[]> {
	const { id } = await activateNewWorkflow(host(), draft, webhooks);
	const { executions } = host().server.client;
	for (const activity of activities) {
		await host().service.emit({ type: 'emailsReplied', ...activity });
		await executions.untilIdle(id);
	}
	const finished = await executions.waitForFinished(id, count);
	await deactivate(host(), id);
	await waitForHookCount(host(), 0);
	expect(finished.map(({ status }) => status)).toEqual(Array(count).fill('success'));
	return finished;
}

testRecipe('One message for each lead and hour', async ([dedupeValue]) => {
	const once = node('Once', 'n8n-nodes-base.removeDuplicates', 2, {
		operation: 'removeItemsSeenInPreviousExecutions',
		dedupeValue: `=${dedupeValue}`,
		options: {},
	});
	const message = keep('={{ $json.lead.email ?? $json.lead.id }}');
	const executions = await run(chain('Once an hour', [replies(), once, message]), [
		{ leadId: 'lea_1', leadEmail: 'ada@example.com' },
		{ leadId: 'lea_1', leadEmail: 'Ada@example.com' },
		{ leadId: 'lea_2', leadEmail: null },
		{ leadId: 'lea_2', leadEmail: null },
		{ leadId: 'lea_3', leadEmail: 'eve@example.com' },
	]);
	expect(kept(executions)).toEqual(['ada@example.com', 'eve@example.com', 'lea_2']);
});

testRecipe('An owner or a channel for each campaign', async ([channel]) => {
	const campaigns = ['Autumn', 'Winter', 'Spring', null];
	const activities = campaigns.map((campaignName) => ({ campaignName }));
	const draft = chain('Channels', [replies(), keep(`=${channel}`)]);
	const chosen = ['#sales', '#sales', '#sales-north', '#sales-south'];
	expect(kept(await run(draft, activities))).toEqual(chosen);
});

testRecipe('Several teams', async ([team]) => {
	const { service } = host();
	const apiKey = `key-${randomUUID()}`;
	service.addApiKey(apiKey, 'south');
	const south = await createServiceCredential({
		server: host().server,
		service: { baseUrl: service.baseUrl, apiKey },
	});
	const next = keep(`=${team}`);
	const triggers = [replies({}, 'Team North'), replies({}, 'Team South', south)];
	const main = [[{ node: next.name, type: 'main', index: 0 }]];
	const draft = {
		name: 'Several teams',
		nodes: [...triggers, next],
		connections: Object.fromEntries(triggers.map(({ name }) => [name, { main }])),
	};
	const executions = await run(draft, [{}, { teamId: 'south' }], { webhooks: 2 });
	expect(kept(executions)).toEqual(['North', 'South']);
});

testRecipe('Unsubscribe the lead', async ([path]) => {
	const parameters = { resource: 'api', operation: 'request', method: 'POST', path: `=${path}` };
	const request = actionNode(credential(), parameters);
	const draft = chain('Unsubscribe', [replies(), request, keep('={{ $json.unsubscribed }}')]);
	host().service.addFault({
		kind: 'status',
		status: 200,
		body: '{"unsubscribed":"yes"}',
		contentType: 'application/json',
		match: { method: 'POST', path: '/leads*' },
	});
	expect(kept(await run(draft, [{ leadId: 'lea 1/2' }]))).toEqual(['yes']);
	const paths = host().service.requests.map((one) => one.path);
	expect(paths).toContain('/leads/lea%201%2F2/unsubscribe');
});

testRecipe(
	'After a report that events may be lost',
	async ([isLost, text]) => {
		const { server, service } = host();
		const { client } = server;
		const filter = node('Lost events', 'n8n-nodes-base.filter', 2.2, {
			conditions: {
				options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 },
				conditions: [
					{
						id: randomUUID(),
						leftValue: `=${isLost}`,
						rightValue: '',
						operator: { type: 'boolean', operation: 'true', singleValue: true },
					},
				],
				combinator: 'and',
			},
			options: {},
		});
		const errorTrigger = node('Error Trigger', 'n8n-nodes-base.errorTrigger', 1);
		const errors = await client.createWorkflow(
			chain('Errors', [errorTrigger, filter, keep(`=${text}`)]),
		);
		await client.activateWorkflow(errors.id);
		const fails = node('Fails', 'n8n-nodes-base.stopAndError', 1, { errorMessage: 'It failed' });
		const draft = () => chain('Reported', [replies({ repairMinutes: 1 }), fails]);
		const settings = { errorWorkflow: errors.id };
		const chosen = await createWithCheckIn(host(), 15, { ...draft(), settings });
		// This one is published before the error workflow is chosen.
		const late = await createWithCheckIn(host(), 15, draft());
		for (const { id } of [chosen, late])
			expect(await activate(host(), id)).toMatchObject({ status: 'published' });
		await client.updateWorkflow(late.id, { settings });
		const log = await logFromNow(host());

		// A run that fails is no report.
		await service.emit({ type: 'emailsReplied' });
		for (const { _id } of service.hooks()) service.removeHook(_id);
		// n8n reads the settings when it registers the trigger, and for the other run then: docs/trigger.md says what to do.
		const count = CAN.applySettingsAtOnce ? 4 : 3;
		const runs = await client.executions.waitForFinished(errors.id, count, { timeoutMs: 110_000 });
		const message = expect.stringMatching(
			/^Webhooks of "Replies" were missing at the service, .+: Email: Reply Received\. .*Events that happened between .+ may be lost/s,
		) as string;
		expect(kept(runs)).toEqual(Array(count - 2).fill(message));
		for (const { id } of [chosen, late]) {
			await waitForHookCount(host(), 2);
			const reported = await client.executions.waitForFinished(id, 2);
			const outcomes = reported.map(({ mode, status }) => `${mode} ${status}`);
			expect(outcomes.sort()).toEqual(['trigger error', 'webhook error']);
			expect(await log()).toContain(`/workflow/${id}`);
		}
		for (const { id } of [chosen, late]) await deactivate(host(), id);
		expect(service.hooks()).toEqual([]);
	},
	testWhere(CAN.saveFailedExecutions, 'it cannot save a failed execution'),
);

test('There is no other recipe', () => {
	expect(new Set(RECIPES.map((one) => one.split('\n')[0]))).toEqual(tested);
});

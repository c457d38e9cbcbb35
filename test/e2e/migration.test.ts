/**
 * n8n 2's own report of what would break on n8n 3, over both nodes and all examples. The world is a real n8n with the
 * package and a local service.
 */
import { z } from 'zod';

import { EXAMPLE_FILES } from '../../tools/demo/examples';
import { itemsOf } from '../../tools/host';
import { deactivate } from '../../tools/host/publishing';
import {
	actionNode,
	activateNewWorkflow,
	chain,
	createServiceCredential,
	node,
	triggerNode,
} from '../../tools/host/workflows';
import { importExample } from './exampleWorkflows';
import { useOutreachHost } from './outreachHost';
import { CAN, testWhere } from './underTest';

const host = useOutreachHost();

const ruleSchema = z.object({ ruleId: z.string(), ruleTitle: z.string() });
const reportSchema = z.object({
	report: z.object({
		workflowResults: z.array(ruleSchema.extend({ nbAffectedWorkflows: z.number() })),
		instanceResults: z.array(
			ruleSchema.extend({ instanceIssues: z.array(z.object({ description: z.string() })) }),
		),
	}),
});

testWhere(CAN.reportMigration, 'it has no report for n8n 3')(
	"n8n's Migration Report finds nothing in the nodes and the examples that n8n 3 would break",
	async () => {
		const credential = await createServiceCredential(host());
		const { client } = host().server;
		for (const file of EXAMPLE_FILES) {
			await importExample(host(), file, { credentials: { outreachServiceApi: credential } });
		}
		const trigger = triggerNode(credential, {
			events: ['emailsReplied', 'smsReplied'],
			options: { outputs: 'perEvent' },
		});
		const action = actionNode(credential, { resource: 'webhook', operation: 'getAll' });
		await client.createWorkflow(chain('Both nodes', [trigger, action]));

		const path = '/breaking-changes/report/refresh';
		const given = await client.send('POST', path, { query: { version: 'v3' } });
		const { report } = reportSchema.parse(given);
		expect(report.workflowResults).toEqual([]);
		// Everything else is about settings of n8n itself, which are not set here.
		const ids = report.instanceResults.map(({ ruleId }) => ruleId);
		expect(ids).toContain('unverified-packages-v3');
		expect(JSON.stringify(report)).not.toMatch(/outreach/i);
	},
);

testWhere(CAN.reportMigration, 'its canvas has no such outputs')(
	'With Always Output Data, an event still runs its own branch alone, and n8n 2 gives the first one an empty item',
	async () => {
		const credential = await createServiceCredential(host());
		const events = ['emailsReplied', 'smsReplied'];
		const trigger = triggerNode(credential, { events, options: { outputs: 'perEvent' } });
		const branches = events.map((event) => node(event, 'n8n-nodes-base.noOp', 1));
		const { id } = await activateNewWorkflow(
			host(),
			{
				name: 'Always Output Data',
				nodes: [{ ...trigger, alwaysOutputData: true }, ...branches],
				connections: {
					[trigger.name]: {
						main: branches.map(({ name }) => [{ node: name, type: 'main', index: 0 }]),
					},
				},
			},
			events.length,
		);
		await host().service.emit({ _id: 'act_always_1', type: 'smsReplied' });
		await host().service.emit({ _id: 'act_always_2', type: 'emailsReplied' });
		const runs = await host().server.client.executions.waitForFinished(id, 2);
		const outcomes = runs.map((run) => events.map((event) => itemsOf(run, event)));
		expect(outcomes).toEqual(
			expect.arrayContaining([
				// n8n 3 adds this empty item only when no output has one.
				[[{}], [expect.objectContaining({ _id: 'act_always_1' })]],
				[[expect.objectContaining({ _id: 'act_always_2' })], []],
			]),
		);
		await deactivate(host(), id);
	},
);

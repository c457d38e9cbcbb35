/** `npm run demo`: shows the package in a real n8n and keeps n8n running; with `--once` it exits by itself. */
import { Command } from 'commander';
import { errorOf, itemsOf, type OutreachHost } from '../host';
import { activateNewWorkflow } from '../host/workflows';
import { markdownTable, print, runProgram, step } from '../terminal';
import { explainHost, startForPeople } from '../terminal/start';
import { loadExamples } from './examples';
import { DEMO_EVENTS, demoWorkflow, TRIGGER_NAME } from './workflow';

const { once } = new Command('npm run demo --')
	.description(
		'Runs a workflow with the package in a real n8n, started by events of a local service.',
	)
	.option(
		'--once',
		'exit after the events, with code 0 if the workflow ran with all of them',
		false,
	)
	.parse()
	.opts<{ once: boolean }>();

/** Another lead for each event. */
const LEADS = [
	{ leadEmail: 'ada@example.com', leadFirstName: 'Ada', leadLastName: 'Lovelace' },
	{ leadEmail: 'grace@example.com', leadFirstName: 'Grace', leadLastName: 'Hopper' },
	{ leadEmail: 'alan@example.com', leadFirstName: 'Alan', leadLastName: 'Turing' },
];

/**
 * Has the service deliver one activity of each event, and waits for the executions.
 *
 * @returns a row for each
 * @throws unless n8n accepts each activity once, and runs exactly once with its data and without the secret
 */
async function deliverEvents(
	{ server, service }: OutreachHost,
	workflowId: string,
): Promise<string[][]> {
	const activities = DEMO_EVENTS.map((type, index) => {
		const leadFields = LEADS[index]!;
		return { _id: `act_demo${index + 1}`, type, campaignName: 'Autumn outreach', ...leadFields };
	});
	for (const activity of activities) {
		const statuses = (await service.emit(activity)).map(({ status }) => status);
		if (statuses.join() !== '200')
			throw new Error(`${activity.type}: ${statuses.join() || 'none'}`);
	}
	const { executions } = server.client;
	const finished = await executions.waitForFinished(workflowId, activities.length);
	if (finished.length !== activities.length) throw new Error(`${finished.length} executions`);
	return activities.map((activity) => {
		const { _id, type, leadEmail } = activity;
		const execution = finished.find((one) => itemsOf(one, TRIGGER_NAME)[0]?._id === _id);
		if (execution?.status !== 'success') {
			throw new Error(`${type} did not run: ${(execution && errorOf(execution)) ?? ''}`);
		}
		const [item = {}, ...others] = itemsOf(execution, TRIGGER_NAME);
		const isSame = Object.entries(activity).every(([field, value]) => item[field] === value);
		if (!isSame || others.length > 0 || 'secret' in item) {
			throw new Error(`${type} ran with other data: ${JSON.stringify([item, ...others])}`);
		}
		return [type, leadEmail, _id, execution.id];
	});
}

void runProgram('demo', async (program) => {
	const { host, credential } = await startForPeople(program);
	const { id } = await step(
		`Publishing a workflow, and waiting for a webhook for each of its ${DEMO_EVENTS.length} events`,
		() => activateNewWorkflow(host, demoWorkflow(credential), DEMO_EVENTS.length),
	);
	const rows = await step('Delivering an event of each, and waiting for their executions', () =>
		deliverEvents(host, id),
	);
	print(markdownTable(['event', 'lead', 'activity', 'execution'], rows));
	print(`\n✓ The workflow ran with all ${DEMO_EVENTS.length} events.`);
	if (once) return;
	const { url, token } = await step(
		'Loading the examples',
		() => loadExamples(host, credential),
		({ count }) => `${count} workflows`,
	);
	explainHost(
		host,
		`/workflow/${id}`,
		`  Its executions:
             ${host.server.url}/workflow/${id}/executions
  The example workflows, which the events of the service's page start:
             ${host.server.url}/home/workflows
  For an MCP client:
             ${url}, token ${token}
`,
	);
	await program.untilStopped();
});

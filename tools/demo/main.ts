/** `npm run demo`: shows the package in a real n8n and keeps n8n running; with `--once` it exits by itself. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { itemsOf, repository, waitFor, type N8nWorkflow, type OutreachHost } from '../host';
import { activateNewWorkflow } from '../host/publishing';
import { print, runProgram, step } from '../terminal';
import { createTestedCredential, explainHost, startHostForPeople } from '../terminal/start';
import { loadExamples, MCP } from './examples';
import { DEMO_EVENTS, demoWorkflow, TRIGGER_NAME } from './workflow';

const { once, keep } = new Command('npm run demo --')
	.description(
		'Runs a workflow with the package in a real n8n, started by events of a local service.',
	)
	.option(
		'--once',
		'exit when everything is set up, with code 0 if the workflow ran with all events',
		false,
	)
	.option(
		'--keep',
		'keep n8n and what you create in it in the folder .demo, and go on there the next time',
		false,
	)
	.parse()
	.opts<{ once: boolean; keep: boolean }>();

const KEPT = join(repository, '.demo');
/** Is there once the demo in the folder is set up. */
const COMPLETE = join(KEPT, 'complete');

/** An activity of each event, with another lead. */
const ACTIVITIES = [
	{ leadEmail: 'ada@example.com', leadFirstName: 'Ada', leadLastName: 'Lovelace' },
	{ leadEmail: 'grace@example.com', leadFirstName: 'Grace', leadLastName: 'Hopper' },
	{ leadEmail: 'alan@example.com', leadFirstName: 'Alan', leadLastName: 'Turing' },
].map((lead, index) => ({
	_id: `act_demo${index + 1}`,
	type: DEMO_EVENTS[index] ?? '',
	campaignName: 'Autumn outreach',
	...lead,
}));

/**
 * Has the service deliver the activities, and waits for the executions.
 *
 * @returns a row for each
 * @throws unless each has run, with its data
 */
async function deliverEvents(
	{ server, service }: OutreachHost,
	workflowId: string,
): Promise<object[]> {
	for (const activity of ACTIVITIES) {
		const [delivery] = await service.emit(activity);
		if (delivery?.status !== 200) {
			throw new Error(`n8n responded to ${activity.type} with ${delivery?.status ?? 'nothing'}`);
		}
	}
	const { executions } = server.client;
	const finished = await executions.waitForFinished(workflowId, ACTIVITIES.length);
	return ACTIVITIES.map((activity) => {
		const execution = finished.find((one) => {
			const [item = {}] = itemsOf(one, TRIGGER_NAME);
			return Object.entries(activity).every(([field, value]) => item[field] === value);
		});
		if (execution?.status !== 'success') {
			throw new Error(
				`${activity.type} did not run: ${execution?.error?.message ?? 'no execution'}`,
			);
		}
		return { event: activity.type, lead: activity.leadEmail, execution: execution.id };
	});
}

/** Sets up everything, and shows that it works. @returns the demo's workflow */
async function setUp(host: OutreachHost): Promise<N8nWorkflow> {
	const credential = await createTestedCredential(host);
	const workflow = await step(
		`Publishing a workflow with a webhook for each of its ${DEMO_EVENTS.length} events`,
		() => activateNewWorkflow(host, demoWorkflow(credential)),
	);
	const rows = await step('Delivering an event of each, and waiting for their executions', () =>
		deliverEvents(host, workflow.id),
	);
	console.table(rows);
	print(`\n✓ The workflow ran with all ${DEMO_EVENTS.length} events.`);
	await step(
		'Loading the examples',
		() => loadExamples(host, credential),
		(count) => `${count} workflows`,
	);
	return workflow;
}

/** Goes on with what an earlier demo has set up: its active workflows register their webhooks again. */
const goOn = ({ service }: OutreachHost): Promise<void> =>
	step('Waiting until the active workflows have registered their webhooks', async () => {
		await waitFor(
			'a webhook',
			() => service.hooks(),
			(webhooks) => webhooks.length > 0,
		).catch(() => print('  No workflow is active, or it could not register.'));
	});

function explain(host: OutreachHost, editorPath: string): void {
	const removal = keep
		? `  Everything is kept in ${KEPT}. To go on, run the same command again.`
		: `  Everything that you create here is removed at the end. To keep it:
             npm run demo -- --keep (in the folder .demo of this clone)`;
	explainHost(
		host,
		editorPath,
		`
  Try next
    1. Open the service's page, click Send, and see the run under Executions in the editor.
    2. Open the trigger, add the option 'Test With', click Execute step.
    3. Look at the examples: ${host.server.url}/home/workflows

  For an MCP client: ${host.server.url}${MCP.path}, token ${MCP.token}

${removal}
`,
	);
}

void runProgram('demo', async (program) => {
	const isComplete = keep && existsSync(COMPLETE);
	if (keep && !isComplete && existsSync(KEPT)) {
		throw new Error(
			`The folder ${KEPT} has no complete demo. Remove it, then run the command again.`,
		);
	}
	const folder = keep ? KEPT : program.folder;
	const host = await startHostForPeople({ folder, atEnd: program.atEnd }, { isKept: keep });
	let editorPath = '';
	if (isComplete) await goOn(host);
	else editorPath = `/workflow/${(await setUp(host)).id}`;
	if (keep) await writeFile(COMPLETE, '');
	if (once) return;
	explain(host, editorPath);
	await program.untilStopped();
});

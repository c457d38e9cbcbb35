/** `npm run demo`: shows the package in a real n8n and keeps n8n running; with `--once` it exits by itself. */
import { Command } from 'commander';
import { errorOf, itemsOf, type OutreachHost } from '../host';
import { waitFor } from '../host';
import { activateNewWorkflow } from '../host/workflows';
import { markdownTable, print, runProgram, step, type Program } from '../terminal';
import { explainHost, startForPeople, startHostForPeople } from '../terminal/start';
import { loadExamples } from './examples';
import { openKept } from './kept';
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
		'--keep [folder]',
		'keep n8n and what you create in it in a folder (.demo), and go on there the next time',
	)
	.parse()
	.opts<{ once: boolean; keep?: string | true }>();

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

/** Sets up everything, and shows that it works. @returns the demo's workflow, and what an MCP client needs */
async function setUp(program: Pick<Program, 'folder' | 'atEnd'>, env: Record<string, string>) {
	const { host, credential } = await startForPeople(program, env);
	const { id } = await step(
		`Publishing a workflow, and waiting for a webhook for each of its ${DEMO_EVENTS.length} events`,
		() => activateNewWorkflow(host, demoWorkflow(credential), DEMO_EVENTS.length),
	);
	const rows = await step('Delivering an event of each, and waiting for their executions', () =>
		deliverEvents(host, id),
	);
	print(markdownTable(['event', 'lead', 'activity', 'execution'], rows));
	print(`\n✓ The workflow ran with all ${DEMO_EVENTS.length} events.`);
	return { host, credential, workflowId: id };
}

/** Goes on with a folder that an earlier demo has filled: its active workflows register their webhooks again. */
async function goOn(
	program: Pick<Program, 'folder' | 'atEnd'>,
	env: Record<string, string>,
	ports: { port: number; controlPort: number },
): Promise<OutreachHost> {
	const host = await startHostForPeople(program, { env, ports });
	await step('Waiting until the active workflows have registered their webhooks', () =>
		waitFor(
			'a webhook',
			() => host.service.hooks(),
			(webhooks) => webhooks.length > 0,
			{ timeoutMs: 60_000 },
		).catch(() => print('  No workflow is active, or it could not register.')),
	);
	return host;
}

function explain(
	host: OutreachHost,
	{ workflowId, mcp }: { workflowId: string; mcp: { url: string; token: string } },
	folder: string | undefined,
): void {
	const removal =
		folder === undefined
			? `  Everything that you create here is removed at the end. To keep it:
             npm run demo -- --keep (in the folder .demo of this clone)`
			: `  Everything is kept in ${folder}. To go on, run the same command again.`;
	explainHost(
		host,
		`/workflow/${workflowId}`,
		`
  Try next
    1. Open the service's page, click Send, and see the run under Executions in the editor.
    2. Open the trigger, add the option 'Test With', click Execute step.
    3. Look at the examples: ${host.server.url}/home/workflows

  For an MCP client: ${host.server.url}${new URL(mcp.url).pathname}, token ${mcp.token}

${removal}
`,
	);
}

void runProgram('demo', async (program) => {
	const kept = keep === undefined ? undefined : await openKept(keep === true ? '.demo' : keep);
	const place = { folder: kept?.folder ?? program.folder, atEnd: program.atEnd };
	const env = kept?.env ?? {};
	if (kept?.earlier !== undefined) {
		const host = await goOn(place, env, kept.earlier.service);
		if (once) return;
		explain(host, kept.earlier, kept.folder);
		await program.untilStopped();
		return;
	}
	const { host, credential, workflowId } = await setUp(place, env);
	const mcp = await step(
		'Loading the examples',
		() => loadExamples(host, credential),
		({ count }) => `${count} workflows`,
	);
	const portOf = (url: string): number => Number(new URL(url).port);
	const { baseUrl, controlUrl } = host.service;
	const ports = { port: portOf(baseUrl), controlPort: portOf(controlUrl) };
	await kept?.remember({ workflowId, mcp, service: ports });
	if (once) return;
	explain(host, { workflowId, mcp }, kept?.folder);
	await program.untilStopped();
});

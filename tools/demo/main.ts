/** `npm run demo`: shows the package in a real n8n and keeps n8n running; with `--once` it exits by itself. */
import { Command } from 'commander';
import { print } from '../terminal/print';
import { runProgram } from '../terminal/program';
import { explainHost } from '../terminal/start';
import { runDemo, showExamples } from './run';
import { DEMO_EVENTS } from './workflow';

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

void runProgram('demo', async ({ folder, cleanUp, untilStopped }) => {
	const demo = await runDemo(folder, cleanUp);
	const { server, service, workflowId } = demo;
	print(`\n✓ The workflow ran with all ${DEMO_EVENTS.length} events.`);
	if (once) return;
	const editorPath = `/workflow/${workflowId}`;
	const { mcp } = await showExamples(demo);
	const more = `  Its executions:
             ${server.url}${editorPath}/executions
  The example workflows, which the events of the service's page start:
             ${server.url}/home/workflows
  For an MCP client:
             ${mcp.url}, token ${mcp.token}
`;
	explainHost(server, service, folder, { editorPath, more });
	await untilStopped();
});

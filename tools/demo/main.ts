/** `npm run demo`: shows the package at work in a real n8n, and leaves n8n open; with `--once` it ends by itself. */
import { Command } from 'commander';
import { print } from '../terminal/print';
import { runProgram } from '../terminal/program';
import { explainHost } from '../terminal/start';
import { runDemo } from './run';

const { once } = new Command('npm run demo --')
	.description('Runs a workflow with the package in a real n8n, on events of a local service.')
	.option('--once', 'end after the events: exit code 0 if the workflow ran with all of them', false)
	.parse()
	.opts<{ once: boolean }>();

void runProgram('demo', async ({ folder, cleanUp, untilStopped }) => {
	const { server, service, workflowId } = await runDemo(folder, cleanUp);
	print('\n✓ The workflow ran with all three events.');
	if (once) return;
	const editorPath = `/workflow/${workflowId}`;
	const more = `  Its executions:\n             ${server.url}${editorPath}/executions\n`;
	explainHost(server, service, folder, { editorPath, more });
	await untilStopped();
});

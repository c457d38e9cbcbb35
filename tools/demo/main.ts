/** `npm run demo`: shows the package in a real n8n and keeps n8n running; with `--once` it exits by itself. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { owner } from '../host';
import { CleanUp, interrupted } from './cleanUp';
import { print } from './print';
import { N8N_FOLDER, runDemo, type Demo } from './run';
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

const FAILED = 1;
const INTERRUPTED = 130;

async function main(): Promise<number> {
	const interruption = interrupted();
	const folder = await mkdtemp(join(tmpdir(), 'outreach-demo-'));
	const cleanUp = new CleanUp();
	const code = await show(folder, cleanUp, interruption);
	await cleanUp.run();
	// Keep n8n's log after a failure: the message refers to it.
	const isLogNeeded = code === FAILED && existsSync(join(folder, N8N_FOLDER));
	if (!isLogNeeded) await rm(folder, { recursive: true, force: true });
	return code;
}

async function show(
	folder: string,
	cleanUp: CleanUp,
	interruption: Promise<void>,
): Promise<number> {
	try {
		const demo = await Promise.race([runDemo(folder, cleanUp), interruption]);
		if (demo === undefined) {
			print('\nInterrupted.');
			return INTERRUPTED;
		}
		print(`\n✓ The workflow ran with all ${DEMO_EVENTS.length} events.`);
		if (!once) {
			explain(demo, folder);
			await interruption;
			print('\nStopping.');
		}
		return 0;
	} catch (error) {
		print(`\n✗ ${error instanceof Error ? error.message : String(error)}`);
		return FAILED;
	}
}

function explain({ server, service, workflowId }: Demo, folder: string): void {
	print(`
  Editor     ${server.url}/workflow/${workflowId}
  Sign in    ${owner.email}
  Password   ${owner.password}

  For a credential of your own:
  Base URL   ${service.baseUrl}
  API Key    ${service.apiKey}

  The service's control page, with its webhooks and deliveries:
             ${service.controlUrl}
  To send another event, run in a second terminal:
             curl -X POST ${service.controlUrl}/events -H 'content-type: application/json' -d '{"type":"emailsReplied"}'
  Its executions:
             ${server.url}/workflow/${workflowId}/executions

  Files      ${folder} (removed on exit)
  Log        ${server.logFile}
  Stop       Ctrl-C ends n8n and the service.`);
}

// Exit immediately, so that an interrupted step, such as a download, ends with this process.
void main().then((code) => process.exit(code));

/**
 * Another trigger of the workflow fails. n8n 1 then ends all triggers of the workflow, and starts them again, while the
 * service may be down. The world is a real n8n with the package, a local service, and a trigger that fails on request.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { waitFor } from '../../../tools/host';
import { activate } from '../../../tools/host/publishing';
import { triggerWorkflow } from '../../../tools/host/workflows';
import { useOutreachHost, useServiceCredential } from '../outreachHost';
import { deliverEach, runsOf } from './deliveriesAndRuns';

/** A trigger that notes each start in a file, and fails once as soon as another file exists. */
const FAILING_TRIGGER = `
const { appendFileSync, existsSync, renameSync } = require('node:fs');
class FailingTrigger {
	description = {
		displayName: 'Failing Trigger', name: 'failingTrigger', group: ['trigger'], version: 1,
		description: 'Fails on request', defaults: { name: 'Failing Trigger' }, inputs: [], outputs: ['main'], properties: [],
	};
	async trigger() {
		appendFileSync(STARTS, '.');
		const timer = setInterval(() => {
			if (!existsSync(FAIL)) return;
			renameSync(FAIL, FAIL + '.done');
			this.emitError(new Error('The mailbox has closed the connection'));
		}, 100);
		return { closeFunction: async () => clearInterval(timer) };
	}
}
module.exports = { FailingTrigger };
`;

let folder = '';

const starts = (): string => join(folder, 'starts');

const host = useOutreachHost(async () => {
	folder = await mkdtemp(join(tmpdir(), 'failing-trigger-'));
	const files = `const FAIL = ${JSON.stringify(join(folder, 'fail'))}, STARTS = ${JSON.stringify(starts())};`;
	const source = `${files}\n${FAILING_TRIGGER}`;
	await writeFile(join(folder, 'FailingTrigger.node.js'), source);
	return { env: { N8N_CUSTOM_EXTENSIONS: folder } };
});
const credential = useServiceCredential(host);

afterAll(async () => {
	await rm(folder, { recursive: true, force: true });
});

test('A workflow whose other trigger fails while the service is down goes on running for each event', async () => {
	const { client } = host().server;
	const draft = triggerWorkflow(credential(), { events: ['emailsReplied'] });
	draft.nodes.push({
		id: '00000000-0000-4000-8000-00000000000f',
		name: 'Failing Trigger',
		type: 'CUSTOM.failingTrigger',
		typeVersion: 1,
		position: [0, 300],
		parameters: {},
	});
	const workflow = await client.createWorkflow(draft);
	expect(await activate(host(), workflow.id)).toMatchObject({ status: 'published' });
	const before = host().service.hooks();
	host().service.addFault({ kind: 'status', status: 503, times: 1000 });
	await writeFile(join(folder, 'fail'), '');
	await waitFor(
		'n8n to start the trigger again',
		() => readFile(starts(), 'utf8'),
		(text) => text === '..',
	);
	host().service.clearFaults();
	expect(host().service.hooks()).toEqual(before);
	await runsOf(host(), workflow.id, (await deliverEach(host(), ['emailsReplied'])).length);
});

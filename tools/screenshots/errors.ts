import { takeScreenshot } from './browser';
import type { Editor } from './editor';
import {
	actionNode,
	createCredential,
	createManualWorkflow,
	type Environment,
} from './environment';

const list = { operation: 'getAll' };

/** The error messages in the editor. */
export async function captureErrors(editor: Editor, environment: Environment): Promise<void> {
	const { server, service, credential } = environment;
	const other = (name: string, baseUrl: string, apiKey: string) =>
		createCredential(server, name, { baseUrl, apiKey });
	const wrongKey = await other('Wrong key', service.baseUrl, 'not-the-key');
	const lostTeam = await other('Lost team', service.baseUrl, 'lost-team');
	const webPage = await other('Web page', server.url, service.apiKey);
	const nobody = await other('Nobody there', 'http://127.0.0.1:9/api', service.apiKey);
	const missing = { __rl: true, mode: 'id', value: 'hoo_gone' };
	const removed = { operation: 'create', targetUrl: 'https://a.example.com', event: '=skipped' };
	const nodes = [
		actionNode(wrongKey, 'Wrong key', list),
		actionNode(lostTeam, 'Bad team', list),
		actionNode(webPage, 'Web page', list),
		actionNode(nobody, 'Nobody there', list),
		actionNode(credential, 'Not found', { operation: 'delete', webhookId: missing }),
		actionNode(credential, 'No filter', { operation: 'deleteMany' }),
		actionNode(credential, 'Removed event', removed),
	];
	for (const node of nodes) {
		await editor.open(await createManualWorkflow(environment, node.name, [node]));
		await editor.openNode(node.name);
		await editor.runNode('error');
		await takeScreenshot(editor.page, `error-${node.name.toLowerCase().replaceAll(' ', '-')}`);
		await editor.closeNode();
	}
}

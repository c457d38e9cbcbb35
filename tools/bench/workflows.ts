import { randomUUID } from 'node:crypto';
import {
	type N8nCredential,
	type N8nNode,
	type N8nWorkflowDraft,
	type OutreachHost,
} from '../host';
import { activateNewWorkflow } from '../host/publishing';
import {
	chain,
	createServiceCredential,
	nextNode,
	node,
	triggerWorkflow,
	using,
	webhookNode,
} from '../host/workflows';

/** An active workflow that receives deliveries. */
export interface Receiving {
	workflowId: string;
	url: string;
	/** What an authentic delivery has, besides the activity. */
	secret?: string | undefined;
	headers?: Record<string, string>;
}

/** Creates an active workflow, and waits until its URL, which is `/webhook/<path>`, takes deliveries. */
export async function activateAt(
	{ server }: OutreachHost,
	path: string,
	draft: N8nWorkflowDraft,
): Promise<Receiving> {
	const { id: workflowId } = await activateNewWorkflow({ server }, draft);
	return { workflowId, url: `${server.url}/webhook/${path}` };
}

let keys = 0;

/** Creates a key with its own team at the service, and its credentials in n8n. */
export async function newTeam(host: OutreachHost) {
	const { server, service } = host;
	const apiKey = `bench-key-${++keys}`;
	const team = `bench-team-${keys}`;
	service.addApiKey(apiKey, team);
	return {
		apiKey,
		team,
		/** For our nodes. */
		credential: await createServiceCredential({
			server,
			service: { baseUrl: service.baseUrl, apiKey },
		}),
		/** For the HTTP Request node (§5.3). */
		basicAuth: await server.client.createCredential({
			name: `${apiKey} (basic)`,
			type: 'httpBasicAuth',
			data: { user: '', password: apiKey },
		}),
	};
}

/** n8n's HTTP Request node with Basic Auth. */
export const httpRequestNode = (basicAuth: N8nCredential, parameters: object): N8nNode =>
	node(
		'HTTP Request',
		'n8n-nodes-base.httpRequest',
		4.2,
		{ authentication: 'genericCredentialType', genericAuthType: 'httpBasicAuth', ...parameters },
		using(basicAuth),
	);

/** Our trigger for all events, with a team of its own. */
export async function activateOurTrigger(
	host: OutreachHost,
	options: Record<string, unknown> = {},
): Promise<Receiving> {
	const { team, credential } = await newTeam(host);
	const draft = triggerWorkflow(credential, { events: ['*'], options });
	const { id: workflowId } = await activateNewWorkflow(host, draft);
	const { targetUrl: url, secret } = host.service.store.list(team)[0]!;
	return { workflowId, url, secret };
}

/** n8n's Webhook node as a user would protect it: like our trigger, it needs a credential and refuses forged calls. */
export async function activateWebhookNodeWithAuth(host: OutreachHost): Promise<Receiving> {
	const path = randomUUID();
	const header = { name: 'x-webhook-secret', value: randomUUID() };
	const credential = await host.server.client.createCredential({
		name: 'Webhook secret',
		type: 'httpHeaderAuth',
		data: header,
	});
	const webhook = webhookNode(path, { authentication: 'headerAuth' }, using(credential));
	const draft = chain('Webhook node, Header Auth', [webhook, nextNode()]);
	const headers = { [header.name]: header.value };
	return { ...(await activateAt(host, path, draft)), headers };
}

/** What people build without our package: a Webhook node, a check of the secret, and Remove Duplicates. */
export async function activateChain(host: OutreachHost): Promise<Receiving> {
	const path = randomUUID();
	const secret = randomUUID();
	const draft = chain('Chain', [
		webhookNode(path),
		secretCheck(secret),
		node('Remove Duplicates', 'n8n-nodes-base.removeDuplicates', 2, {
			operation: 'removeItemsSeenInPreviousExecutions',
			logic: 'removeItemsWithAlreadySeenKeyValues',
			dedupeValue: '={{ $json.body._id }}',
			options: {},
		}),
		nextNode(),
	]);
	return { ...(await activateAt(host, path, draft)), secret };
}

/** Passes an item on only if it carries the secret. */
const secretCheck = (secret: string): N8nNode =>
	node('Check secret', 'n8n-nodes-base.if', 2.2, {
		conditions: {
			options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
			conditions: [
				{
					id: randomUUID(),
					leftValue: '={{ $json.body.secret }}',
					rightValue: secret,
					operator: { type: 'string', operation: 'equals' },
				},
			],
			combinator: 'and',
		},
		options: {},
	});

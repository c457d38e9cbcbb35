/** The credential: its fields, and how a request is signed. */
import { UserError } from 'n8n-workflow';

import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	Icon,
	INodeProperties,
} from 'n8n-workflow';

export class OutreachServiceApi implements ICredentialType {
	name = 'outreachServiceApi';

	displayName = 'Outreach Service API';

	icon: Icon = {
		light: 'file:../nodes/OutreachService/outreachService.svg',
		dark: 'file:../nodes/OutreachService/outreachService.dark.svg',
	};

	documentationUrl = 'https://github.com/OWNER/n8n-nodes-outreach-service#credential';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://api.example.com/api',
			description: "The URL of your service's API. It ends in /api.",
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description:
				'Create or copy a key on the integrations page of your account settings in the service',
		},
	];

	/**
	 * Signs a request: Basic authentication with an empty login and the API key as the password (§5.3). With n8n's HTTP Request
	 * node, a user of the credential can enter any URL and other ways to another host, so what can be seen of them here is refused or
	 * turned off (D93, D118). Whoever may use a credential can still get its key, for example with a node of their own.
	 *
	 * It is a function because n8n's generic form needs the expression engine. Checks of webhooks run outside executions,
	 * where that is not ready, and n8n would fail with 'No bridge acquired'.
	 * @throws UserError for a URL that is not below the Base URL, and for a proxy of the request, before anything is sent
	 */
	authenticate = async (
		{ baseUrl, apiKey }: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => {
		if (!isBelow(baseUrl, request)) {
			throw new UserError(
				"The API key of this credential is sent only to URLs that begin with the credential's Base URL",
			);
		}
		if (request.proxy !== undefined) {
			throw new UserError(
				"With this credential, a request cannot have a proxy of its own, because the proxy could read the API key. Use n8n's HTTP_PROXY or HTTPS_PROXY",
			);
		}
		const key = typeof apiKey === 'string' ? apiKey.trim() : '';
		const Authorization = `Basic ${Buffer.from(`:${key}`, 'utf8').toString('base64')}`;
		return {
			...request,
			headers: { ...request.headers, Authorization },
			// Redirects are followed as the node says, but the key stays behind, also with nodes that leave the choice to n8n.
			sendCredentialsOnCrossOriginRedirect: false,
		};
	};
}

/** Whether a request goes to the Base URL or to a path below it, whatever notation both are in. */
function isBelow(baseUrl: unknown, request: IHttpRequestOptions): boolean {
	const { baseURL } = request;
	// n8n's HTTP Request node gives the options of an older helper, in which the URL has another name.
	const url = 'uri' in request && typeof request.uri === 'string' ? request.uri : request.url;
	const base = typeof baseUrl === 'string' ? baseUrl.trim() : '';
	const allowed = parseUrl(base);
	const asked = parseUrl(url, baseURL);
	if (!allowed || !asked) return false;
	const path = allowed.pathname.replace(/\/+$/, '');
	const isInPath = asked.pathname === path || asked.pathname.startsWith(`${path}/`);
	// A login in the URL would replace the key.
	return (
		asked.origin === allowed.origin && isInPath && asked.username === '' && asked.password === ''
	);
}

/** The same as `parseUrl` of the nodes: a credential imports nothing from them. */
function parseUrl(text: string, base?: string): URL | undefined {
	try {
		return new URL(text, base);
	} catch {
		return undefined;
	}
}

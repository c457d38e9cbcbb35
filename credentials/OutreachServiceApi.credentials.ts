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
			description: 'Create or copy it on the integrations page of the account settings',
		},
	];

	/**
	 * Basic authentication with an empty login and the API key as the password (§5.3).
	 * It is a function because n8n has no expression engine ready outside an execution, where webhooks are
	 * checked: the generic form fails there with 'No bridge acquired'.
	 */
	authenticate = async (
		{ apiKey }: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => {
		const key = typeof apiKey === 'string' ? apiKey.trim() : '';
		const Authorization = `Basic ${Buffer.from(`:${key}`, 'utf8').toString('base64')}`;
		return { ...request, headers: { ...request.headers, Authorization } };
	};
}

import type { INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import type { z } from 'zod';

import { credentialSchema, type ServiceCredential } from '../model/schemas';
import type { ErrorText } from './messages';

export const CREDENTIAL_TYPE = 'outreachServiceApi';

type CredentialReader = {
	getNode(): INode;
	getCredentials(type: string): Promise<object>;
};

/**
 * Reads the credential of a node. An execution uses that of its first item, as n8n's own helper does.
 * @throws NodeOperationError that says which field cannot be used
 */
export async function readCredential(ctx: CredentialReader): Promise<ServiceCredential> {
	const parsed = credentialSchema.safeParse(await ctx.getCredentials(CREDENTIAL_TYPE));
	if (parsed.success) return parsed.data;
	const { message, description } = describeInvalidCredential(parsed.error);
	throw new NodeOperationError(ctx.getNode(), message, { description });
}

/** What is wrong with a credential, and what to do about it; it holds nothing of the credential itself. */
export function describeInvalidCredential({ issues }: z.ZodError): ErrorText {
	return issues[0]?.path[0] === 'apiKey'
		? {
				message: "The 'API Key' of the credential cannot be used",
				description:
					'It is empty. Copy the key from the integrations page of the account settings.',
			}
		: {
				message: "The 'Base URL' of the credential cannot be used",
				description:
					'It must be a complete URL that begins with http:// or https:// and contains no username, password, ? or #, for example https://api.example.com/api.',
			};
}

/** What no error may quote, in the forms in which a service gets it (§5.3). */
export const confidentialIn = ({ apiKey }: ServiceCredential): string[] => [
	apiKey,
	Buffer.from(`:${apiKey}`).toString('base64'),
	Buffer.from(apiKey).toString('base64'),
];

/** Host and port of the API, as errors name it. */
export const hostOf = ({ baseUrl }: ServiceCredential): string =>
	/^https?:\/\/([^/]+)/i.exec(baseUrl)?.[1] ?? "the 'Base URL'";

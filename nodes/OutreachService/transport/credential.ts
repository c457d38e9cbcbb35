import { NodeOperationError } from 'n8n-workflow';

import { credentialSchema, type ServiceCredential } from '../model/schemas';
import type { ServiceContext } from './context';

export const CREDENTIAL_TYPE = 'outreachServiceApi';

/**
 * Reads the credential of the node.
 * @throws NodeOperationError that says which field is wrong
 */
export async function readCredential(ctx: ServiceContext): Promise<ServiceCredential> {
	const parsed = credentialSchema.safeParse(await ctx.getCredentials(CREDENTIAL_TYPE));
	if (parsed.success) return parsed.data;
	const field = parsed.error.issues[0]?.path[0] === 'apiKey' ? 'API Key' : 'Base URL';
	throw new NodeOperationError(ctx.getNode(), `The ${field} of the credential cannot be used`, {
		description:
			field === 'API Key'
				? 'It is empty. Copy the key from the integrations page of the account settings.'
				: 'It has to be a full address with http:// or https://, for example https://api.example.com/api.',
	});
}

export const hostOf = ({ baseUrl }: ServiceCredential): string =>
	/^https?:\/\/(?:[^/@]*@)?([^/?#]+)/i.exec(baseUrl)?.[1] ?? 'the Base URL';

import { NodeOperationError } from 'n8n-workflow';
import type { z } from 'zod';

import { credentialSchema, type ServiceCredential } from '../model/schemas';
import type { ServiceContext } from './context';

export const CREDENTIAL_TYPE = 'outreachServiceApi';

/** The credential of each running execution: it is read once, not for each request. */
const ofExecution = new WeakMap<ServiceContext, Promise<ServiceCredential>>();

/**
 * Reads the credential of the node. An execution reads it once, always for its first item, as n8n's own helper
 * does; contexts that live on, such as an active trigger's, see a change at once.
 * @throws NodeOperationError that says which field is wrong
 */
export async function readCredential(ctx: ServiceContext): Promise<ServiceCredential> {
	const isExecution = 'getExecutionCancelSignal' in ctx;
	const credential = ofExecution.get(ctx) ?? read(ctx);
	if (isExecution) ofExecution.set(ctx, credential);
	return await credential;
}

async function read(ctx: ServiceContext): Promise<ServiceCredential> {
	const parsed = credentialSchema.safeParse(await ctx.getCredentials(CREDENTIAL_TYPE));
	if (parsed.success) return parsed.data;
	const { message, description } = credentialInWords(parsed.error);
	throw new NodeOperationError(ctx.getNode(), message, { description });
}

/** What is wrong with a credential, and what to do about it; it holds nothing of the credential itself. */
export function credentialInWords({ issues }: z.ZodError): {
	message: string;
	description: string;
} {
	return issues[0]?.path[0] === 'apiKey'
		? {
				message: "The 'API Key' of the credential cannot be used",
				description:
					'It is empty. Copy the key from the integrations page of the account settings.',
			}
		: {
				message: "The 'Base URL' of the credential cannot be used",
				description:
					'It has to be a full address that begins with http:// or https:// and has no login, question mark or # in it, for example https://api.example.com/api.',
			};
}

/** What of a credential must not be shown, in the forms in which a service may repeat it (§5.3). */
export const confidentialIn = ({ apiKey }: ServiceCredential): string[] => [
	apiKey,
	Buffer.from(`:${apiKey}`).toString('base64'),
];

/** Host and port of the API, as it is named in errors. */
export const hostOf = ({ baseUrl }: ServiceCredential): string =>
	/^https?:\/\/([^/]+)/i.exec(baseUrl)?.[1] ?? "the 'Base URL'";

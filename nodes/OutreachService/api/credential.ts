/** The credential of the nodes: what it must hold, and which account and service it names. */
import { createHash } from 'crypto';
import { z } from 'zod';

import { LONGEST_URL } from '../domain/targetUrl';
import { parseUrl } from '../utils/parseUrl';
import { RequestError } from './errors';

/** The name of the credential type, which workflows store. */
export const CREDENTIAL_TYPE = 'outreachServiceApi';

/** Whether a URL contains a username or a password. */
function hasLogin(url: string): boolean {
	const parsed = parseUrl(url);
	// zod calls this even if an earlier check of the URL has failed.
	return parsed !== undefined && parsed.username + parsed.password !== '';
}

/**
 * The credential. Its base URL is normalized: scheme and host in lower case, no default port, no slash at its end. A login
 * in it is refused, because it would replace the API key, and so is a query or fragment, which would swallow the path.
 */
export const credentialSchema = z.object({
	baseUrl: z
		.string({ message: 'It is not text' })
		.trim()
		.min(1, 'It is empty')
		.max(LONGEST_URL, 'It is too long')
		.refine((url) => /^https?:\/\//i.test(url), 'It does not begin with http:// or https://')
		.refine((url) => !/[\s?#]/.test(url), 'It contains a space, ? or #')
		.refine((url) => parseUrl(url) !== undefined, 'Its host or port is not valid')
		.refine((url) => !hasLogin(url), 'It contains a username or a password')
		.transform((url) => new URL(url).href.replace(/\/+$/, '')),
	apiKey: z.string({ message: 'It is not text' }).trim().min(1, 'It is empty'),
});

/** A credential that can be used, with a normalized base URL. */
export type ServiceCredential = z.infer<typeof credentialSchema>;

/**
 * Checks a credential.
 * @throws RequestError that says which field cannot be used; it contains nothing of the credential itself
 */
export function parseCredential(data: unknown): ServiceCredential {
	const parsed = credentialSchema.safeParse(data);
	if (parsed.success) return parsed.data;
	const [issue] = parsed.error.issues;
	const isKey = issue?.path[0] === 'apiKey';
	throw new RequestError('credential', {
		message: `The '${isKey ? 'API Key' : 'Base URL'}' of the credential cannot be used`,
		description: isKey
			? `${issue.message}. Copy the key from the integrations page of the account settings.`
			: `${issue?.message ?? 'It is missing'}. Enter the complete URL, for example https://api.example.com/api.`,
	});
}

/**
 * Identifies the account: one API key at one host, however the path of the base URL is written. It is a digest, because it is
 * remembered for as long as the process runs, and an API key must not be.
 */
export const accountIdOf = ({ baseUrl, apiKey }: ServiceCredential): string =>
	createHash('sha256')
		.update(`${new URL(baseUrl).origin}\n${apiKey}`)
		.digest('base64');

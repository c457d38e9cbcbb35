/** The test of a credential. */
import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { createTestClient } from '../api/client';
import { inOneLine, RequestError, type ErrorText } from '../api/errors';
import { BUSY } from '../api/rateLimiter';
import type { Runtime } from '../runtime/runtime';
import { settle } from '../utils/settle';

/** What a user who tests a credential reads of an error. */
const describe = (error: Error): ErrorText => {
	if (!(error instanceof RequestError)) {
		return { message: 'No request could be sent', description: error.message };
	}
	// The text for a node blames another program. A test makes one attempt, so it knows only that the limit is used up now.
	if (error.failure === 'rateLimit') return BUSY;
	if (error.failure !== 'refused') return error;
	// The description for a node quotes the response once more, and speaks of the node's values.
	return {
		message: error.message,
		description: "Check 'Base URL' and 'API Key', then try again.",
	};
};

/**
 * Tests a credential with `GET /hooks` (§4.1). It is a function because n8n's declarative test can tell neither 'Bad team'
 * from other refusals nor a web page from the API. Never throws.
 */
export async function testCredential(
	ctx: ICredentialTestFunctions,
	runtime: Runtime,
	{ data }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const list = await settle(createTestClient(ctx, runtime, data).listWebhooks());
	if (list.ok) return { status: 'OK', message: 'The service accepted the API key' };
	return { status: 'Error', message: inOneLine(describe(list.error)) };
}

import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { createTestClient } from '../api/client';
import { inOneLine, RequestError, type ErrorText } from '../api/errors';
import { BUSY } from '../api/retry';
import type { Runtime } from '../runtime/runtime';
import { settle } from '../utils/settle';

const describe = (error: Error): ErrorText => {
	if (!(error instanceof RequestError)) {
		return { message: 'No request could be sent', description: error.message };
	}
	// A node waits for the rate limit as long as it takes. A test gives up early, so a 429 does not mean that it lasts.
	if (error.kind === 'rateLimited') return BUSY;
	if (error.kind !== 'rejected' || error.details.status === undefined) return error;
	// The description for a node quotes the service once more, and speaks of the node's values.
	return {
		message: error.message,
		description: "Check 'Base URL' and 'API Key', then try again.",
	};
};

/**
 * Tests a credential with `GET /hooks` (§4.1). It is a function and not n8n's declarative test because that one can
 * tell neither 'Bad team' from other refusals nor a web page from the API.
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

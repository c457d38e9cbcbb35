import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { createTestClient, describeInvalidCredential } from '../api/client';
import { RequestError, type ErrorText } from '../api/errors';
import { BUSY } from '../api/retry';
import { credentialSchema } from '../model/schemas';
import type { Runtime } from '../runtime/runtime';
import { settle } from '../utils/settle';

const failed = ({ message, description }: ErrorText): INodeCredentialTestResult => ({
	status: 'Error',
	message: `${message}. ${description}`,
});

const describe = (error: Error): ErrorText => {
	if (!(error instanceof RequestError)) {
		return { message: 'No request could be sent', description: error.message };
	}
	// A node waits for the rate limit as long as it takes. A test gives up early, so a 429 does not mean that it lasts.
	return error.kind === 'rateLimited' ? BUSY : error;
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
	const credential = credentialSchema.safeParse(data);
	if (!credential.success) return failed(describeInvalidCredential(credential.error));
	const client = createTestClient(ctx, runtime, credential.data);
	const list = await settle(client.listWebhooks());
	if (!list.ok) return failed(describe(list.error));
	return { status: 'OK', message: 'The service accepted the API key' };
}

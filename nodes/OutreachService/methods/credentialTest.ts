/** The test of a credential. */
import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { createTestClient } from '../api/client';
import { inOneLine, RequestError } from '../api/errors';
import type { Runtime } from '../runtime/runtime';
import { settle } from '../utils/settle';

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
	const { error } = list;
	const message =
		error instanceof RequestError ? inOneLine(error) : `No request could be sent. ${error.message}`;
	return { status: 'Error', message };
}

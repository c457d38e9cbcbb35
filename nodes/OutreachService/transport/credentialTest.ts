import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { z } from 'zod';

import { OutreachServiceApi } from '../../../credentials/OutreachServiceApi.credentials';
import { parseJson } from '../model/json';
import { credentialSchema, hookListSchema } from '../model/schemas';
import { isNotFound, type Words } from './answerWords';
import { confidentialIn, credentialInWords, hostOf } from './credential';
import { inWords, REQUEST_TIMEOUT_MS, type Outcome } from './errors';
import { failureCode } from './send';
import { settle } from './settle';

const answerSchema = z.object({ statusCode: z.number(), body: z.string().catch('') });

const failed = ({ message, description }: Words): INodeCredentialTestResult => ({
	status: 'Error',
	message: `${message}. ${description}`,
});

/** An address that answers with something else than a list of webhooks must not pass the test (D6). */
const isHookList = ({ status, text }: { status: number; text: string }): boolean =>
	isNotFound(text) || (status < 300 && hookListSchema.safeParse(parseJson(text)).success);

/**
 * Tests a credential with `GET /hooks` (§4.1). It is a function and not n8n's declarative test because that one can
 * tell neither 'Bad team' from other refusals nor a web page from the API.
 */
export async function testCredential(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const credential = credentialSchema.safeParse(data);
	if (!credential.success) return failed(credentialInWords(credential.error));
	const request = await new OutreachServiceApi().authenticate(
		{ ...credential.data },
		{ url: `${credential.data.baseUrl}/hooks`, headers: { Accept: 'application/json' } },
	);
	const options = {
		method: 'GET',
		uri: request.url,
		headers: request.headers,
		simple: false,
		resolveWithFullResponse: true,
		followRedirect: false,
		timeout: REQUEST_TIMEOUT_MS,
	};
	// A credential test gets this helper and no other.
	const { request: send } = this.helpers;
	const result = await settle<unknown>(send(options));
	const outcome: Outcome = result.ok
		? readAnswer(result.value)
		: { kind: 'unreachable', code: failureCode(result.error) ?? 'no code' };
	if (outcome.kind === 'answer' && isHookList(outcome)) {
		return { status: 'OK', message: 'The service accepted the API key' };
	}
	if (outcome.kind === 'answer' && outcome.status === 429) {
		return failed({
			message: 'The service is busy with other requests that use this API key',
			description: 'Its rate limit is used up at the moment. Test again in a few seconds.',
		});
	}
	return failed(inWords(outcome, hostOf(credential.data), confidentialIn(credential.data)));
}

function readAnswer(value: unknown): Outcome {
	const { statusCode, body } = answerSchema.parse(value);
	return { kind: 'answer', status: statusCode, text: body };
}

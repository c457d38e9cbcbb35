import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { z } from 'zod';

import { OutreachServiceApi } from '../../../credentials/OutreachServiceApi.credentials';
import { parseJson } from '../model/json';
import { credentialSchema, hookListSchema } from '../model/schemas';
import { hostOf } from './credential';
import { inWords, isNotFound, type Outcome } from './errors';
import { failureCode, REQUEST_TIMEOUT_MS } from './send';
import { settle } from './settle';

const answerSchema = z.object({ statusCode: z.number(), body: z.string().catch('') });

const failed = (message: string, description = ''): INodeCredentialTestResult => ({
	status: 'Error',
	message: description ? `${message}. ${description}` : message,
});

/** An address that answers with something else than a list of webhooks must not pass the test (D6). */
const isHookList = (text: string): boolean =>
	isNotFound(text) || hookListSchema.safeParse(parseJson(text)).success;

/**
 * Tests a credential with `GET /hooks` (§4.1). It is a function and not n8n's declarative test because that one can
 * tell neither 'Bad team' from other refusals nor a web page from the API.
 */
export async function testCredential(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const credential = credentialSchema.safeParse(data);
	if (!credential.success) {
		return credential.error.issues[0]?.path[0] === 'apiKey'
			? failed(
					'The API Key is empty',
					'Copy it from the integrations page of the account settings.',
				)
			: failed(
					'The Base URL cannot be used',
					'It has to be a full address with http:// or https://, for example https://api.example.com/api.',
				);
	}
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
	const host = hostOf(credential.data);
	const outcome: Outcome = result.ok
		? readAnswer(result.value)
		: { kind: 'unreachable', code: failureCode(result.error) ?? result.error.message };
	if (outcome.kind === 'answer' && outcome.status < 300 && isHookList(outcome.text)) {
		return { status: 'OK', message: 'The service accepted the API key' };
	}
	const { message, description } = inWords(outcome, host);
	return failed(message, description);
}

function readAnswer(value: unknown): Outcome {
	const { statusCode, body } = answerSchema.parse(value);
	return { kind: 'answer', status: statusCode, text: body };
}

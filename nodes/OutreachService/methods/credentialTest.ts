import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { z } from 'zod';

import { OutreachServiceApi } from '../../../credentials/OutreachServiceApi.credentials';
import { parseJson } from '../utils/json';
import { credentialSchema, hookListSchema, type ServiceCredential } from '../model/schemas';
import { isNotFound, type Words } from '../api/messages';
import { confidentialIn, credentialInWords, hostOf } from '../api/credential';
import { withDeadline } from '../api/deadline';
import { inWords, REQUEST_TIMEOUT_MS, type Outcome } from '../api/errors';
import { limiterFor } from '../api/rateLimiter';
import { waitAfterRefusal } from '../api/retryTiming';
import { failureCode } from '../api/send';
import { settle } from '../utils/settle';

/** How often a test is refused for the limit before it says so. */
const MAX_REFUSALS = 3;
/** Longer than this, in ms, a test does not wait for its next try. */
const LONGEST_WAIT_MS = 5_000;

const answerSchema = z.object({
	statusCode: z.number(),
	body: z.string().catch(''),
	headers: z.record(z.string(), z.unknown()).catch({}),
});

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
	const outcome = await ask(async () => {
		const request = async (): Promise<unknown> => await send(options);
		return await withDeadline(REQUEST_TIMEOUT_MS, undefined, request);
	}, credential.data);
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

/**
 * Asks at the pace of the other requests with this key, and again when the limit is used up all the same: workflows
 * that are at work say nothing against the key (§8). Nobody wants to wait for a test for long, though.
 */
async function ask(send: () => Promise<unknown>, credential: ServiceCredential): Promise<Outcome> {
	const limiter = limiterFor(credential);
	for (let refusals = 1; ; refusals++) {
		const done = await limiter.acquire();
		const result = await settle(send().finally(done));
		if (!result.ok) {
			return { kind: 'unreachable', code: failureCode(result.error) ?? 'no code' };
		}
		const { statusCode: status, body: text, headers } = answerSchema.parse(result.value);
		const wait = waitAfterRefusal(headers, refusals);
		if (status !== 429 || refusals === MAX_REFUSALS || wait > LONGEST_WAIT_MS) {
			return { kind: 'answer', status, text };
		}
		limiter.holdBack(wait);
	}
}

import { credentialSchema } from '../../../nodes/OutreachService/model/schemas';
import { Delays } from '../../../nodes/OutreachService/api/delays';
import { RateLimiter } from '../../../nodes/OutreachService/api/rateLimiter';
import { request } from '../../../nodes/OutreachService/api/request';
import { DEFAULT_POLICY, type RetryPolicy } from '../../../nodes/OutreachService/api/retryPolicy';
import { nodeTransport, type ApiRequest } from '../../../nodes/OutreachService/api/send';
import type { ActionExecution } from './action';

/** Sends one request through the request loop, with n8n's HTTP helper for an execution and a rate limiter of its own. */
export async function sendRequest(
	{ context, credential }: ActionExecution,
	what: ApiRequest,
	policy: Partial<RetryPolicy> = {},
) {
	const connection = {
		transport: nodeTransport(context),
		credential: credentialSchema.parse(credential),
		limiter: new RateLimiter(),
		policy: { ...DEFAULT_POLICY, ...policy },
		delays: new Delays(),
	};
	return await request(connection, what, {});
}

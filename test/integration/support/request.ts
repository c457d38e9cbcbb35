import { credentialSchema } from '../../../nodes/OutreachService/model/schemas';
import { RateLimiter } from '../../../nodes/OutreachService/api/rateLimiter';
import { request } from '../../../nodes/OutreachService/api/request';
import { PATIENCE, type Patience } from '../../../nodes/OutreachService/api/retryPolicy';
import { nodeTransport, type ApiRequest } from '../../../nodes/OutreachService/api/send';
import { actionExecution } from './action';
import type { Credential } from './n8n';

/** Sends one request through the request loop, with n8n's helper of an execution of its own. */
export async function sendRequest(
	credential: Credential,
	what: ApiRequest,
	patience: Partial<Patience> = {},
	{ context }: Pick<ReturnType<typeof actionExecution>, 'context'> = actionExecution(credential),
) {
	const connection = {
		transport: nodeTransport(context),
		credential: credentialSchema.parse(credential),
		limiter: new RateLimiter(),
		patience: { ...PATIENCE, ...patience },
	};
	return await request(connection, what, {});
}

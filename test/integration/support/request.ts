import type { ApiRequest } from '../../../nodes/OutreachService/transport/send';
import { apiRequest, type Patience } from '../../../nodes/OutreachService/transport/request';
import { actionExecution, type RunOptions } from './action';
import type { Credential } from './n8n';

/** Sends one request through the transport, in a context of an execution of its own. */
export async function request(
	credential: Credential,
	what: ApiRequest,
	{ patience, ...options }: RunOptions & { patience?: Patience } = {},
) {
	const { context } = actionExecution(credential, {}, options);
	return await apiRequest(context, what, patience);
}

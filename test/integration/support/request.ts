import type { ApiRequest } from '../../../nodes/OutreachService/api/send';
import { apiRequest, type Patience } from '../../../nodes/OutreachService/api/request';
import { actionExecution, type RunOptions } from './action';
import type { Credential } from './n8n';

/** Sends one request with the API client, in a context of an execution of its own. */
export async function request(
	credential: Credential,
	what: ApiRequest,
	{ patience, ...options }: RunOptions & { patience?: Patience } = {},
) {
	const { context } = actionExecution(credential, {}, options);
	return await apiRequest(context, what, patience);
}

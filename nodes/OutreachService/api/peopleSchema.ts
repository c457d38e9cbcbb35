import { parseJson } from '../utils/json';
import type { Api } from './api';
import { isErrorBody } from './errorBody';
import { isNotFound } from './messages';
import { isSuccess } from './outcome';

/**
 * The current definition of the People record, as the service returns it (§4.4).
 * @throws RequestError, also when the response is not a JSON object or list, or is an error (D6)
 */
export async function getPeopleSchema(api: Api): Promise<object> {
	const outcome = await api.request({ method: 'GET', path: '/schema/people' });
	const isUsable = outcome.kind === 'response' && isSuccess(outcome) && !isNotFound(outcome.text);
	const schema: unknown = isUsable ? parseJson(outcome.text) : undefined;
	if (typeof schema === 'object' && schema !== null && !isErrorBody(schema)) return schema;
	throw await api.failure(outcome);
}

import { parseJson } from '../utils/json';
import type { Api } from './api';
import { isNotFound } from './messages';
import { isSuccess } from './outcome';

const ERROR_KEYS = ['error', 'errors', 'message', 'code', 'status', 'statusCode', 'success', 'ok'];

/** An error that a gateway sends with a 2xx would pass for a schema: its fields would be those of a record. */
const isError = (schema: object): boolean => {
	const keys = Object.keys(schema);
	return keys.length > 0 && !Array.isArray(schema) && keys.every((key) => ERROR_KEYS.includes(key));
};

/**
 * The current definition of the People record, as the service returns it (§4.4).
 * @throws RequestError, also when the response is not a JSON object or list (D6)
 */
export async function getPeopleSchema(api: Api): Promise<object> {
	const outcome = await api.request({ method: 'GET', path: '/schema/people' });
	const isUsable = outcome.kind === 'response' && isSuccess(outcome) && !isNotFound(outcome.text);
	const schema: unknown = isUsable ? parseJson(outcome.text) : undefined;
	if (typeof schema === 'object' && schema !== null && !isError(schema)) return schema;
	throw await api.failure(outcome);
}

import { keyRedactor, mapFields, mapTexts } from '../api/redact';
import type { LoggedRequest } from '../api/requestLog';

/** A request as the control page lists it. */
export type RequestSummary = Omit<
	LoggedRequest,
	'at' | 'outside' | 'query' | 'body' | 'apiKeyIndex'
>;

/** Characters. The page lists hundreds of paths, and each can be as long as the headers of a request. */
const MAX_PATH = 300;

/** Returns a function that replaces the API keys in a request, `keys`, wherever a client has put them. */
export function requestView(keys: readonly string[]): (request: LoggedRequest) => LoggedRequest {
	const redact = keyRedactor(keys);
	return (request) => ({
		...request,
		path: redact(request.path),
		query: mapFields(request.query, redact),
		body: mapTexts(request.body, redact),
	});
}

/** The same for the list of the page. */
export function requestSummary(
	keys: readonly string[],
): (request: LoggedRequest) => RequestSummary {
	const redact = keyRedactor(keys);
	return ({ id, receivedAt, method, path, status, ms, faults, disconnected, overLimit }) => {
		const shown = redact(path);
		return {
			id,
			receivedAt,
			method,
			path: shown.length > MAX_PATH ? `${shown.slice(0, MAX_PATH)}…` : shown,
			status,
			ms,
			faults,
			...(disconnected && { disconnected }),
			...(overLimit && { overLimit }),
		};
	};
}

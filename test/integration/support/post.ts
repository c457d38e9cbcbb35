/** Posts JSON to a target URL, as the service does. A text is sent as it is. */
export async function post(url: string, body: unknown, signal?: AbortSignal): Promise<Response> {
	return await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
		...(signal ? { signal } : {}),
	});
}

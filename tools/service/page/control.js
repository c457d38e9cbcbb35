/** Calls the control API. Throws an Error with the service's message if the request fails. */
export async function control(method, path, body) {
	const response = await fetch(path, {
		method,
		...(body !== undefined && {
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		}),
	});
	const json = await response.json();
	if (!response.ok) throw new Error(json.error ?? `Status ${response.status}`);
	return json;
}

/** Calls a control route. Throws an Error with the service's own words when it refuses. */
export async function control(method, path, body) {
	const answer = await fetch(path, {
		method,
		...(body !== undefined && {
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		}),
	});
	const json = await answer.json();
	if (!answer.ok) throw new Error(json.error ?? `Status ${answer.status}`);
	return json;
}

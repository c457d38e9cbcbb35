const byId = (id) => document.getElementById(id);

/** Creates an element. All text goes through `textContent`, so that nothing is interpreted as markup. */
function element(name, text, ...children) {
	const created = document.createElement(name);
	created.textContent = text;
	created.append(...children);
	return created;
}

async function fetchJson(path, options) {
	const response = await fetch(path, options);
	const json = await response.json();
	if (!response.ok) throw new Error(json.error ?? json.message ?? `Status ${response.status}`);
	return json;
}

async function send(index, label) {
	byId('result').textContent = `${label} …`;
	try {
		const { accepted } = await fetchJson(`/events/${index}`, { method: 'POST' });
		const deliveries = `${accepted} ${accepted === 1 ? 'delivery' : 'deliveries'}`;
		byId('result').textContent =
			accepted === 0
				? `${label}: no active workflow takes this event.`
				: `${label}: n8n accepted ${deliveries}.`;
	} catch (error) {
		byId('result').textContent = `${label}: ${error.message}`;
	}
}

async function showMessages() {
	const messages = await fetchJson('/messages');
	byId('empty').hidden = messages.length > 0;
	byId('messages').replaceChildren(
		...messages.reverse().map(({ at, channel, text }) => {
			const time = element('time', new Date(at).toLocaleTimeString([], { hour12: false }));
			const name = element('strong', channel);
			return element('li', '', time, ' ', name, '\n', text);
		}),
	);
}

const events = await fetchJson('/events');
byId('events').append(
	...events.map(({ label, effect }, index) => {
		const button = element('button', label);
		button.addEventListener('click', () => send(index, label));
		const hint = element('span', effect);
		hint.className = 'effect';
		return element('li', '', button, hint);
	}),
);
for (;;) {
	try {
		await showMessages();
	} catch {
		byId('result').textContent = 'The demo has ended.';
	}
	await new Promise((resolve) => setTimeout(resolve, 1_000));
}

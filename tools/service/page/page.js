const byId = (id) => document.getElementById(id);

/** Creates an element. All text goes through `textContent`, so that nothing is interpreted as markup. */
function element(name, content, properties = {}) {
	const created = Object.assign(document.createElement(name), properties);
	if (Array.isArray(content)) created.append(...content);
	else created.textContent = content;
	return created;
}

async function control(method, path, body) {
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

/** Carries out what a button does, says what came of it, and shows the new state. */
async function act(action) {
	const result = byId('result');
	try {
		const outcome = await action();
		result.textContent = typeof outcome === 'string' ? outcome : 'Done.';
		result.className = '';
	} catch (error) {
		result.textContent = error.message;
		result.className = 'bad';
	}
	await refresh();
}

const onSubmit = (id, action) =>
	byId(id).addEventListener('submit', (event) => {
		event.preventDefault();
		void act(action);
	});
const onClick = (button, action) => button.addEventListener('click', () => void act(action));
const jsonOf = (id) => JSON.parse(byId(id).value);

/** What is shown, to leave alone what shows it already: nobody loses the focus or a selection. */
const shown = new Map();
function isNew(id, value) {
	const text = JSON.stringify(value);
	return shown.get(id) !== text && shown.set(id, text);
}

/** Shows a table with a row for each item, the newest first, and a column for each field that one of them has. */
function showTable(id, items, buttonsFor = () => []) {
	if (!isNew(id, items)) return;
	const fields = [...new Set(items.flatMap(Object.keys))];
	const textOf = (value) => (typeof value === 'string' ? value : JSON.stringify(value));
	const rows = items.reverse().map((item) => {
		const isBad = item.error !== undefined || item.status >= 300 || item.disconnected;
		const cells = fields.map((field) => element('td', textOf(item[field])));
		return element('tr', [...cells, element('td', buttonsFor(item))], {
			className: isBad ? 'bad' : '',
		});
	});
	const heading = fields.map((field) => element('th', field));
	byId(id).replaceChildren(element('table', [element('tr', heading), ...rows]));
}

/** The buttons of a webhook. */
const buttonsFor = ({ _id }) =>
	[
		['Disable', () => control('POST', `/hooks/${_id}/disable`, {})],
		['Delete', () => control('DELETE', `/hooks/${_id}`)],
	].map(([text, action]) => {
		const button = element('button', text, { ariaLabel: `${text} webhook ${_id}` });
		onClick(button, action);
		return button;
	});

/** Polls the state of the service. */
async function refresh() {
	const { hooks, ledger, requests, faults, switches } = await control('GET', '/state');
	showTable('hooks', hooks, buttonsFor);
	showTable('ledger', ledger);
	showTable('requests', requests);
	byId('faults').textContent = faults.map((fault) => JSON.stringify(fault)).join('\n');
	const field = byId('switch-body');
	if (document.activeElement !== field && isNew('switches', switches)) {
		field.value = JSON.stringify(switches, null, 2);
	}
}

/** Sends the activity of the form, and says what came of it. */
onSubmit('event-form', async () => {
	const { attempts } = await control('POST', '/events', jsonOf('event-body'));
	const outcomes = attempts.filter(({ final }) => final);
	if (outcomes.length === 0) return 'No webhook matches this event.';
	const failed = outcomes.filter(({ status }) => !(status >= 200 && status < 300)).length;
	return `Sent to ${outcomes.length}, ${failed === 0 ? 'all delivered' : `${failed} failed`}.`;
});
onSubmit('fault-form', () => control('POST', '/faults', jsonOf('fault-body')));
onSubmit('switch-form', () => control('PATCH', '/switches', jsonOf('switch-body')));
onClick(byId('fault-clear'), () => control('DELETE', '/faults'));

/** Lets the user choose what a form begins with. */
async function choose(id, options, fillIn) {
	byId(id).append(...options.map(([value, text]) => element('option', text, { value })));
	byId(id).addEventListener('change', () => void fillIn());
	await fillIn();
}

const { baseUrl, events, faults } = await control('GET', '/about');
byId('base-url').textContent = baseUrl;
await choose(
	'event-type',
	events.map((type) => [type, type]),
	// The `_id` and the time are set when it is sent.
	async () => {
		const { _id, createdAt, ...sample } = await control(
			'GET',
			`/samples/${byId('event-type').value}`,
		);
		byId('event-body').value = JSON.stringify(sample, null, 2);
	},
);
await choose(
	'fault-kind',
	faults.map(({ example, text }) => [JSON.stringify(example), `${example.kind}: ${text}`]),
	() => (byId('fault-body').value = byId('fault-kind').value),
);
for (;;) {
	try {
		await refresh();
		byId('connection').textContent = 'Live';
	} catch {
		byId('connection').textContent = 'Disconnected, reconnecting…';
	}
	await new Promise((resolve) => setTimeout(resolve, 500));
}

/** The control page: shows the state of the service, and does what its forms and buttons say. */
const byId = (id) => document.getElementById(id);

/** Creates an element with texts and elements in it. No text is interpreted as markup. */
function element(name, content, properties = {}) {
	const created = Object.assign(document.createElement(name), properties);
	created.append(...[content].flat());
	return created;
}

/** @param body JSON */
async function control(method, path, body) {
	const headers = body === undefined ? {} : { 'content-type': 'application/json' };
	const response = await fetch(path, { method, headers, body });
	const json = await response.json();
	if (!response.ok) throw new Error(json.message);
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

/** What is shown, to leave alone what shows it already: nobody loses the focus or a selection. */
const shown = new Map();
function isNew(id, value) {
	const text = JSON.stringify(value);
	return shown.get(id) !== text && shown.set(id, text);
}

const eventOf = ({ type = 'All events' }) => type;
const timeOf = (iso) => new Date(iso).toLocaleTimeString('en-GB');
const isSuccess = (status) => status >= 200 && status < 300;

/** What came of a delivery or a request, in words and in a color. */
function outcome({ status, error, ms }) {
	const words = status ?? error ?? 'no response';
	const text = ms === undefined ? `${words}` : `${words} in ${Math.round(ms)} ms`;
	return element('span', text, { className: isSuccess(words) ? 'good' : 'bad' });
}

/** A button of a webhook. It is not the main thing to do on the page, so it looks like one that resets a form. */
function hookButton(text, id, disabled, action) {
	const properties = { type: 'reset', ariaLabel: `${text} webhook ${id}`, disabled };
	const button = element('button', text, properties);
	button.addEventListener('click', () => void act(action));
	return button;
}

/** Each table by its ID: its rows, what it says without any, and what each column has for a row. */
const TABLES = {
	deliveries: {
		rows: ({ ledger }) => ledger.slice(-8).reverse(),
		empty: 'None yet. An event is delivered to each webhook that is registered for it.',
		columns: {
			Time: ({ at }) => timeOf(at),
			Event: eventOf,
			Response: outcome,
			Attempt: ({ attempt, final }) => (final ? String(attempt) : `${attempt}, more follow`),
			'Target URL': ({ targetUrl }) => targetUrl,
		},
	},
	hooks: {
		rows: ({ hooks }) => hooks.reverse(),
		empty: 'None yet. Publish a workflow with the trigger, or create one with the action node.',
		columns: {
			Event: (hook) => `${eventOf(hook)}${hook.disabled ? ' (disabled)' : ''}`,
			'Target URL': ({ targetUrl }) => targetUrl,
			Campaign: ({ campaignId = 'all' }) => campaignId,
			First: ({ isFirst }) => (isFirst ? 'only' : ''),
			Secret: ({ hasSecret }) => (hasSecret ? 'yes' : 'no'),
			Created: ({ createdAt }) => timeOf(createdAt),
			'': ({ _id, disabled }) => [
				hookButton('Disable', _id, disabled, () => control('POST', `/hooks/${_id}/disable`)),
				hookButton('Delete', _id, false, () => control('DELETE', `/hooks/${_id}`)),
			],
		},
	},
	faults: {
		rows: ({ faults }) => faults,
		empty: 'No fault waits for a request.',
		columns: { 'Waits for a request': (fault) => JSON.stringify(fault) },
	},
	requests: {
		rows: ({ requests }) => requests.reverse(),
		empty: 'None yet.',
		columns: {
			Time: ({ receivedAt }) => timeOf(receivedAt),
			Request: ({ method, path }) => `${method} ${path}`,
			Response: outcome,
			Remarks: ({ faults, overLimit }) =>
				[...(overLimit ? ['over the limit'] : []), ...faults].join(', '),
		},
	},
};

/** A text that is longer may wrap. */
const MAX_UNWRAPPED = 30;

function cell(content) {
	const created = element('td', content);
	if (created.textContent.length <= MAX_UNWRAPPED) created.className = 'short';
	return created;
}

function showTable(id, state) {
	const { rows, empty, columns } = TABLES[id];
	const items = rows(state);
	if (!isNew(id, items)) return;
	const headings = Object.keys(columns).map((title) => element('th', title));
	const body = items.map((item) =>
		element(
			'tr',
			Object.values(columns).map((contentOf) => cell(contentOf(item))),
		),
	);
	const table = element('table', [
		element('thead', element('tr', headings)),
		element('tbody', body),
	]);
	byId(id).replaceChildren(items.length === 0 ? element('p', empty) : table);
}

async function sendEvent() {
	const { attempts } = await control('POST', '/events', byId('event-body').value);
	const outcomes = attempts.filter(({ final }) => final);
	if (outcomes.length === 0) return 'No webhook is registered for this event.';
	const failed = outcomes.filter(({ status }) => !isSuccess(status)).length;
	const webhooks = outcomes.length === 1 ? '1 webhook' : `${outcomes.length} webhooks`;
	return `Sent to ${webhooks}: ${failed === 0 ? 'delivered' : `${failed} failed`}.`;
}

byId('event-form').addEventListener('submit', (event) => {
	event.preventDefault();
	void act(sendEvent);
});
byId('fault-form').addEventListener('submit', (event) => {
	event.preventDefault();
	void act(() => control('POST', '/faults', byId('fault').value));
});
byId('fault-form').addEventListener('reset', (event) => {
	event.preventDefault();
	void act(() => control('DELETE', '/faults'));
});

const { baseUrl, samples } = await control('GET', '/about');
byId('base-url').textContent = baseUrl;

const events = byId('event-type');
events.append(...Object.keys(samples).map((type) => element('option', type)));
let isChosen = false;
events.addEventListener('change', () => {
	isChosen = true;
	fillInEvent();
});
fillInEvent();

/** Replaces the activity by a sample of the event. The `_id` and the time are set when it is sent. */
function fillInEvent() {
	const { _id, createdAt, ...sample } = samples[events.value];
	byId('event-body').value = JSON.stringify(sample, null, 2);
}

/** Until somebody chooses an event, it is that of the first webhook. */
function suggestEvent({ hooks: [{ type } = {}] }) {
	if (isChosen || type === events.value || !Object.hasOwn(samples, type)) return;
	events.value = type;
	fillInEvent();
}

async function refresh() {
	const state = await control('GET', '/state');
	suggestEvent(state);
	for (const id of Object.keys(TABLES)) showTable(id, state);
}

/** Shows the state, and again every half second, as long as the page is open. */
async function keepUpToDate() {
	try {
		await refresh();
		byId('connection').textContent = 'Live';
	} catch {
		byId('connection').textContent = 'Disconnected, reconnecting…';
	}
	setTimeout(() => void keepUpToDate(), 500);
}

await keepUpToDate();

const byId = (id) => document.getElementById(id);

/** Creates an element. All text goes through `textContent`, so that nothing is interpreted as markup. */
function element(name, content = '', properties = {}) {
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

const eventOf = ({ type = 'All events' }) => type;
const timeOf = (iso) => new Date(iso).toLocaleTimeString('en-GB');
/** A cell whose text stays on one line. */
const SHORT = { className: 'short' };

/** @param columns each a heading, what a cell has for an item (a text, or elements), and properties of the cell */
function showTable(id, items, columns, empty) {
	if (!isNew(id, items)) return;
	if (items.length === 0) {
		byId(id).replaceChildren(element('p', empty));
		return;
	}
	const heading = element(
		'tr',
		columns.map(([title]) => element('th', title)),
	);
	const rows = items.map((item) =>
		element(
			'tr',
			columns.map(([, cell, properties]) => element('td', cell(item), properties)),
		),
	);
	byId(id).replaceChildren(element('table', [element('thead', [heading]), element('tbody', rows)]));
}

const isSuccess = (status) => status >= 200 && status < 300;

/** What came of a delivery or a request, in words and in a color. */
function outcome({ status, error, ms, disconnected }) {
	const words = disconnected ? 'disconnected' : (status ?? error ?? 'no response yet');
	const text = ms === undefined ? String(words) : `${words} in ${Math.round(ms)} ms`;
	const isWaiting = !disconnected && status === undefined && error === undefined;
	if (isWaiting) return [element('span', text)];
	return [
		element('span', text, { className: isSuccess(status) && !disconnected ? 'good' : 'bad' }),
	];
}

const DELIVERIES_SHOWN = 8;

function showDeliveries(ledger) {
	showTable(
		'deliveries',
		ledger.slice(-DELIVERIES_SHOWN).reverse(),
		[
			['Time', ({ at }) => timeOf(at), SHORT],
			['Event', eventOf, SHORT],
			['Response', outcome, SHORT],
			['Attempt', ({ attempt, final }) => (final ? String(attempt) : `${attempt}, more follow`)],
			['Target URL', ({ targetUrl }) => targetUrl],
		],
		'None yet. An event is delivered to each webhook that is registered for it.',
	);
}

/** The buttons of a webhook. */
const buttonsFor = ({ _id, disabled }) =>
	[
		['Disable', () => control('POST', `/hooks/${_id}/disable`, {}), disabled],
		['Delete', () => control('DELETE', `/hooks/${_id}`), false],
	].map(([text, action, isDisabled]) => {
		const button = element('button', text, {
			ariaLabel: `${text} webhook ${_id}`,
			// Not the main thing to do on the page.
			type: 'reset',
			disabled: isDisabled,
		});
		onClick(button, action);
		return button;
	});

function showHooks(hooks) {
	showTable(
		'hooks',
		[...hooks].reverse(),
		[
			['Event', (hook) => `${eventOf(hook)}${hook.disabled ? ' (disabled)' : ''}`, SHORT],
			['Target URL', ({ targetUrl }) => targetUrl],
			['Campaign', ({ campaignId = 'all' }) => campaignId],
			['First', ({ isFirst }) => (isFirst ? 'only' : '')],
			['Secret', ({ hasSecret }) => (hasSecret ? 'yes' : 'no')],
			['Created', ({ createdAt }) => timeOf(createdAt), SHORT],
			['', buttonsFor, SHORT],
		],
		'None yet. Publish a workflow with the trigger, or create one with the action node.',
	);
}

function showRequests(requests) {
	showTable(
		'requests',
		[...requests].reverse(),
		[
			['Time', ({ receivedAt }) => timeOf(receivedAt), SHORT],
			['Request', ({ method, path }) => `${method} ${path}`],
			['Response', outcome, SHORT],
			[
				'Remarks',
				({ faults, overLimit }) => [...(overLimit ? ['over the limit'] : []), ...faults].join(', '),
			],
		],
		'None yet.',
	);
}

/** The event that somebody has chosen; until then, it is the first of the list. */
let chosenType;
byId('event-type').addEventListener('change', () => {
	chosenType = byId('event-type').value;
	void fillInEvent();
});

/** Fills the list of events: first those that a webhook is registered for. */
function showEvents(hooks) {
	const registered = [...new Set(hooks.flatMap(({ type }) => type ?? []))];
	if (!isNew('events', registered)) return;
	const list = byId('event-type');
	const group = (label, types) => {
		const options = types.map((type) => element('option', type));
		return element('optgroup', options, { label });
	};
	list.replaceChildren(
		...(registered.length > 0 ? [group('With a webhook', registered)] : []),
		group('All', events),
	);
	if (chosenType !== undefined) list.value = chosenType;
	void fillInEvent();
}

/** The type for which the activity is filled in. */
let filledIn;
/** Replaces the activity by a sample of the chosen event. The `_id` and the time are set when it is sent. */
async function fillInEvent() {
	const type = byId('event-type').value;
	if (type === filledIn) return;
	filledIn = type;
	const { _id, createdAt, ...sample } = await control('GET', `/samples/${type}`);
	byId('event-body').value = JSON.stringify(sample, null, 2);
}

onSubmit('event-form', async () => {
	await fillInEvent();
	const { attempts } = await control('POST', '/events', jsonOf('event-body'));
	const outcomes = attempts.filter(({ final }) => final);
	if (outcomes.length === 0) return 'No webhook is registered for this event.';
	const failed = outcomes.filter(({ status }) => !isSuccess(status)).length;
	const webhooks = outcomes.length === 1 ? '1 webhook' : `${outcomes.length} webhooks`;
	return `Sent to ${webhooks}: ${failed === 0 ? 'delivered' : `${failed} failed`}.`;
});

onSubmit('fault-form', async () => {
	await control('POST', '/faults', jsonOf('fault-body'));
	return 'The fault waits for its requests.';
});
onClick(byId('fault-clear'), () => control('DELETE', '/faults'));

function showFaults(faults) {
	showTable(
		'faults',
		faults,
		[
			['Waiting for a request', ({ fault }) => fault.kind],
			['', ({ fault }) => [element('span', JSON.stringify(fault), { className: 'code' })]],
		],
		'No fault waits for a request.',
	);
}

const { baseUrl, events, faults: examples } = await control('GET', '/about');
byId('base-url').textContent = baseUrl;
byId('fault-kind').append(
	...examples.map(({ example, text }) =>
		element('option', `${example.kind}: ${text.replaceAll('`', '')}`, {
			value: JSON.stringify(example),
		}),
	),
);
function fillInFault() {
	byId('fault-body').value = byId('fault-kind').value;
}
byId('fault-kind').addEventListener('change', fillInFault);
fillInFault();

/** Shows the state of the service. */
async function refresh() {
	const { hooks, ledger, requests, faults } = await control('GET', '/state');
	showEvents(hooks);
	showDeliveries(ledger);
	showHooks(hooks);
	showRequests(requests);
	showFaults(faults);
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

const byId = (id) => document.getElementById(id);

/** Creates an element. All text goes through `textContent`, so that nothing is interpreted as markup. */
function element(name, text, properties = {}) {
	return Object.assign(document.createElement(name), { textContent: text, ...properties });
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
		result.textContent = (await action()) ?? 'Done.';
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

const jsonOf = (id) => JSON.parse(byId(id).value);

/** What each table shows, to leave one alone that shows it already: nobody loses the focus or a selection. */
const shown = new Map();

/** Shows a row for each item: an object with the text, or the buttons, of each column. */
function showRows(id, items, rowOf) {
	const text = JSON.stringify(items);
	if (shown.get(id) === text) return;
	shown.set(id, text);
	const rows = items.map(rowOf);
	byId(id)
		.closest('table')
		.tHead.replaceChildren(...Object.keys(rows[0] ?? {}).map((title) => element('th', title)));
	const cells = (row) =>
		Object.values(row).map((content) => {
			const cell = element('td', Array.isArray(content) ? '' : String(content ?? ''));
			if (Array.isArray(content)) cell.append(...content);
			return cell;
		});
	byId(id).replaceChildren(
		...rows.map((row) => {
			const line = element('tr', '', { className: row.Response?.startsWith('✗') ? 'bad' : '' });
			line.append(...cells(row));
			return line;
		}),
	);
}

const timeOf = (iso) => new Date(iso).toLocaleTimeString([], { hour12: false });
const isGood = ({ status }) => status >= 200 && status < 300;

const webhookRow = (hook) => ({
	'Target URL': hook.targetUrl,
	Event: nameOf(hook.type),
	Campaign: hook.campaignId,
	Secret: hook.hasSecret ? 'set' : 'none',
	State: [hook.disabled && 'disabled', hook.isFirst && 'first only'].filter(Boolean).join(', '),
	ID: hook._id,
	Actions: [
		button('Disable', `webhook ${hook._id}`, () =>
			control('POST', `/hooks/${hook._id}/disable`, {}),
		),
		button('Delete', `webhook ${hook._id}`, () => control('DELETE', `/hooks/${hook._id}`)),
	],
});

function button(text, what, action) {
	const created = element('button', text, { type: 'button', ariaLabel: `${text} ${what}` });
	created.addEventListener('click', () =>
		act(async () => {
			await action();
			return `${text}: done.`;
		}),
	);
	return created;
}

const deliveryRow = (attempt) => ({
	Time: timeOf(attempt.at),
	Event: nameOf(attempt.type),
	'Target URL': attempt.targetUrl,
	Response: `${isGood(attempt) ? '✓' : '✗'} ${attempt.status ?? attempt.error}`,
	ms: attempt.ms,
	Attempt: attempt.attempt,
	Activity: attempt.activityId,
});

const requestRow = (request) => ({
	Time: timeOf(request.receivedAt),
	Method: request.method,
	Path: request.path,
	Response: responseOf(request),
	ms: request.ms,
	Simulated: [request.overLimit && 'over the rate limit', ...request.faults]
		.filter(Boolean)
		.join(', '),
});

function responseOf(request) {
	if (request.ms === undefined) return '…';
	const status = request.status ?? 'no response';
	return `${isGood(request) ? '✓' : '✗'} ${status}${request.disconnected ? ', disconnected' : ''}`;
}

/** Polls the state of the service, the newest entries first. */
async function refresh() {
	const state = await control('GET', '/state');
	showRows('hooks', state.hooks.reverse(), webhookRow);
	showRows('ledger', state.ledger.reverse(), deliveryRow);
	showRows('requests', state.requests.reverse(), requestRow);
	byId('faults').textContent = state.faults.map((fault) => JSON.stringify(fault)).join('\n');
	const switches = byId('switch-body');
	if (
		document.activeElement !== switches &&
		shown.get('switches') !== JSON.stringify(state.switches)
	) {
		shown.set('switches', JSON.stringify(state.switches));
		switches.value = JSON.stringify(state.switches, null, 2);
	}
}

/** Sends the activity of the form. @returns what came of it */
async function send() {
	const { attempts } = await control('POST', '/events', jsonOf('event-body'));
	const outcomes = attempts.filter(({ final }) => final);
	if (outcomes.length === 0) return 'No webhook matches this event.';
	const failed = outcomes.filter((outcome) => !isGood(outcome)).length;
	return `Sent to ${outcomes.length}, ${failed === 0 ? 'all delivered' : `${failed} failed`}.`;
}

/** Fills the form with a sample, whose `_id` and time are set when it is sent. */
async function fillIn() {
	const { _id, createdAt, ...sample } = await control(
		'GET',
		`/samples/${byId('event-type').value}`,
	);
	byId('event-body').value = JSON.stringify(sample, null, 2);
}

const about = await control('GET', '/about');
byId('base-url').textContent = about.baseUrl;
const names = new Map(about.events.map(({ type, label }) => [type, label]));
const nameOf = (type) =>
	type === undefined ? 'All Events' : names.has(type) ? `${names.get(type)} (${type})` : type;
byId('event-type').append(
	...[...names].map(([type]) => element('option', nameOf(type), { value: type })),
);
byId('event-type').value = 'emailsReplied';
byId('event-type').addEventListener('change', () => void fillIn());
onSubmit('event-form', send);

const showExample = () => {
	const { example } = about.faults[byId('fault-kind').selectedIndex];
	byId('fault-body').value = JSON.stringify(example);
};
byId('fault-kind').append(
	...about.faults.map(({ example, text }) => element('option', `${example.kind}: ${text}`)),
);
byId('fault-kind').addEventListener('change', showExample);
onSubmit('fault-form', async () => {
	await control('POST', '/faults', jsonOf('fault-body'));
});
byId('fault-clear').addEventListener('click', () =>
	act(async () => {
		await control('DELETE', '/faults');
	}),
);
onSubmit('switch-form', async () => {
	await control('PATCH', '/switches', jsonOf('switch-body'));
});
showExample();
await fillIn();
for (;;) {
	try {
		await refresh();
		byId('connection').textContent = 'Live';
	} catch {
		byId('connection').textContent = 'Disconnected, reconnecting…';
	}
	await new Promise((resolve) => setTimeout(resolve, 500));
}

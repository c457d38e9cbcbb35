import { control } from './control.js';
import { attempt, byId, element, report } from './dom.js';
import { eventLabel } from './eventNames.js';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

const newId = () =>
	'act_' +
	Array.from(crypto.getRandomValues(new Uint8Array(17)), (byte) => LETTERS[byte % 62]).join('');

/** Fills the form with a sample, without the `_id` and time, which are set when it is sent. */
async function fillIn(seed) {
	const type = byId('event-type').value;
	const { _id, createdAt, ...sample } = await control('GET', `/samples/${type}?seed=${seed}`);
	byId('event-body').value = JSON.stringify(sample, null, 2);
}

async function send(event) {
	event.preventDefault();
	const result = byId('event-result');
	try {
		const activity = JSON.parse(byId('event-body').value);
		const created = { _id: newId(), createdAt: new Date().toISOString() };
		const { attempts } = await control('POST', '/events', { ...created, ...activity });
		report(result, describe(attempts), attempts.every(isAccepted));
	} catch (error) {
		report(result, error.message, false);
	}
}

const isAccepted = ({ final, status }) => !final || (status >= 200 && status < 300);

function describe(attempts) {
	const outcomes = attempts.filter(({ final }) => final);
	if (outcomes.length === 0) return 'No webhook matches this event.';
	const failures = outcomes.filter((outcome) => !isAccepted(outcome)).length;
	const responses = outcomes.map(({ status, error, ms }) => `${status ?? error} in ${ms} ms`);
	const list = `${responses.slice(0, 5).join(', ')}${responses.length > 5 ? ', …' : ''}`;
	const result = failures === 0 ? 'all delivered' : `${failures} failed`;
	return `Sent to ${outcomes.length}, ${result}: ${list}`;
}

/** Lists every event type with its name in the form, and selects `emailsReplied`. */
export function startEventForm(groups) {
	const select = byId('event-type');
	let seed = 1;
	for (const { heading, events } of groups) {
		const options = events.map(({ type }) =>
			element('option', { text: eventLabel(type), attributes: { value: type } }),
		);
		select.append(element('optgroup', { attributes: { label: heading }, children: options }));
	}
	select.value = 'emailsReplied';
	const fill = () => attempt(byId('event-result'), () => fillIn(seed));
	select.addEventListener('change', fill);
	byId('event-sample').addEventListener('click', () => {
		seed += 1;
		void fill();
	});
	byId('event-form').addEventListener('submit', send);
	void fill();
}

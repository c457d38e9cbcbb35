import { control } from './control.js';
import { byId, element, report } from './dom.js';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

const newId = () =>
	'act_' +
	Array.from(crypto.getRandomValues(new Uint8Array(17)), (byte) => LETTERS[byte % 62]).join('');

/** Fills the form with a sample; `_id` and time are left to the moment of sending. */
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
		report(result, describe(attempts), attempts.every(isTaken));
	} catch (error) {
		report(result, error.message, false);
	}
}

const isTaken = ({ final, status }) => !final || (status >= 200 && status < 300);

function describe(attempts) {
	const fates = attempts.filter(({ final }) => final);
	if (fates.length === 0) return 'Sent, but no webhook matches it.';
	const refusals = fates.filter((fate) => !isTaken(fate)).length;
	const answers = fates.map(({ status, error, ms }) => `${status ?? error} in ${ms} ms`);
	const list = `${answers.slice(0, 5).join(', ')}${answers.length > 5 ? ', …' : ''}`;
	const outcome = refusals === 0 ? 'all took it' : `${refusals} did not take it`;
	return `Sent to ${fates.length}, ${outcome}: ${list}`;
}

/** Offers every event type, and starts with a reply. */
export function startEventForm(eventTypes) {
	const select = byId('event-type');
	let seed = 1;
	for (const [heading, types] of Object.entries(eventTypes)) {
		const group = element('optgroup', {
			children: types.map((type) => element('option', { text: type })),
		});
		group.label = heading;
		select.append(group);
	}
	select.value = 'emailsReplied';
	select.addEventListener('change', () => fillIn(seed));
	byId('event-sample').addEventListener('click', () => fillIn((seed += 1)));
	byId('event-form').addEventListener('submit', send);
	void fillIn(seed);
}

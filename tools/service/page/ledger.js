import { byId, emptyRow, row, timeOf } from './dom.js';

const SHOWN = 200;
const isTaken = ({ status }) => status >= 200 && status < 300;

const entryRow = (entry) =>
	row([
		timeOf(entry.at),
		entry.type,
		{ text: entry.status ?? entry.error, className: isTaken(entry) ? 'good' : 'bad' },
		{ text: entry.ms, className: 'number' },
		entry.final ? entry.attempt : `${entry.attempt}…`,
		{ text: entry.targetUrl, className: 'long mono', title: entry.targetUrl },
		{ text: entry.activityId ?? '', className: 'short mono', title: entry.activityId ?? '' },
	]);

/** Shows these and no others. */
export function resetEntries(entries, attempts) {
	byId('ledger').replaceChildren(emptyRow('Nothing has been delivered yet.', 7));
	if (entries.length > 0) byId('ledger').replaceChildren();
	addEntries(entries, attempts);
}

/** Puts the newest on top; `attempts` is the count of all there ever were. */
export function addEntries(entries, attempts) {
	const body = byId('ledger');
	body.querySelector('.empty')?.closest('tr').remove();
	body.prepend(...entries.map(entryRow).reverse());
	while (body.rows.length > SHOWN) body.deleteRow(-1);
	byId('ledger-count').textContent =
		attempts > SHOWN ? `${attempts}, the newest ${SHOWN} are shown` : attempts;
}

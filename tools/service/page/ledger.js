import { byId, emptyRow, row, timeOf } from './dom.js';

const MAX_LISTED = 200;
const isDelivered = ({ status }) => status >= 200 && status < 300;

const entryRow = (entry) =>
	row([
		timeOf(entry.at),
		entry.type,
		{ text: entry.status ?? entry.error, className: isDelivered(entry) ? 'good' : 'bad' },
		{ text: entry.ms, className: 'number' },
		entry.final ? entry.attempt : `${entry.attempt}…`,
		{ text: entry.targetUrl, className: 'long mono', title: entry.targetUrl },
		{ text: entry.activityId ?? '', className: 'short mono', title: entry.activityId ?? '' },
	]);

/** Replaces the list. */
export function resetEntries(entries, attempts) {
	byId('ledger').replaceChildren(emptyRow('No deliveries yet.', 7));
	if (entries.length > 0) byId('ledger').replaceChildren();
	addEntries(entries, attempts);
}

/** Adds entries on top, newest first. `attempts` is the total count. */
export function addEntries(entries, attempts) {
	const body = byId('ledger');
	body.querySelector('.empty')?.closest('tr').remove();
	body.prepend(...entries.map(entryRow).reverse());
	while (body.rows.length > MAX_LISTED) body.deleteRow(-1);
	byId('ledger-count').textContent =
		attempts > MAX_LISTED ? `${attempts} (showing the newest ${MAX_LISTED})` : attempts;
}

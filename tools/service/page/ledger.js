import { byId, countOf, emptyRow, row, timeOf } from './dom.js';
import { eventLabel } from './eventNames.js';
import { targetUrl } from './targetUrl.js';

const MAX_LISTED = 200;
const isDelivered = ({ status }) => status >= 200 && status < 300;

const entryRow = (entry) =>
	row({
		Time: timeOf(entry.at),
		Event: { text: eventLabel(entry.type), className: 'event' },
		'Target URL': { className: 'target', children: [targetUrl(entry.targetUrl)] },
		Response: {
			text: entry.status ?? entry.error,
			className: isDelivered(entry) ? 'good' : 'bad',
		},
		ms: { text: entry.ms, className: 'number' },
		Attempt: {
			text: entry.final ? entry.attempt : `${entry.attempt}…`,
			title: entry.final ? '' : 'Another attempt follows',
		},
		Activity: { text: entry.activityId ?? '', className: 'short mono', title: entry.activityId },
	});

/** Replaces the list. */
export function resetEntries(entries, attempts) {
	byId('ledger').replaceChildren(emptyRow('No deliveries yet.', 7));
	if (entries.length > 0) byId('ledger').replaceChildren();
	addEntries(entries, attempts);
}

/** Adds entries on top, newest first. `attempts` is the total count. */
export function addEntries(entries, attempts) {
	const body = byId('ledger');
	if (entries.length > 0) body.querySelector('.empty')?.closest('tr').remove();
	body.prepend(...entries.map(entryRow).reverse());
	while (body.rows.length > MAX_LISTED) body.deleteRow(-1);
	byId('ledger-count').textContent = countOf(attempts, Math.min(attempts, MAX_LISTED));
}

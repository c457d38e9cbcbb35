/** Tables whose rows change while somebody uses them. */

/** What each row shows, to leave rows alone that show it already. */
const shown = new WeakMap();

const keyOf = (item) => String(item._id ?? item.id);

/** What in a row can have the focus. */
const controlsOf = (row) => [...row.querySelectorAll('button, summary')];

/** Creates the row of an item. A URL that is open in the row which it replaces stays open. */
function createRow(item, text, render, before) {
	const row = render(item);
	shown.set(row, text);
	row.dataset.key = keyOf(item);
	const details = row.querySelector('details');
	if (details) details.open = before?.querySelector('details')?.open ?? false;
	return row;
}

/**
 * Remembers which control of which row has the focus.
 *
 * @returns a function that restores it. If the control or its row is gone, the first control of that row or the next one
 * gets the focus, and never another button: a key that is pressed once more must not do something else
 */
function rememberFocus(body) {
	const row = [...body.rows].find((row) => row.contains(document.activeElement));
	if (!row) return () => undefined;
	const { sectionRowIndex } = row;
	const label = document.activeElement.textContent;
	return () => {
		if (row.contains(document.activeElement)) return;
		const rows = [...body.rows];
		const same = rows.find(({ dataset }) => dataset.key === row.dataset.key);
		const control = same && controlsOf(same).find(({ textContent }) => textContent === label);
		const [first] = controlsOf(same ?? rows[Math.min(sectionRowIndex, rows.length - 1)]);
		(control ?? first ?? body.closest('[tabindex]')).focus();
	};
}

/**
 * Shows a row for each item, which has an `_id` or `id`. Rows of items that haven't changed stay as they are, so that an
 * update disturbs nobody.
 *
 * @param placeholder the row to show if there are no items
 */
export function showRows(body, items, render, placeholder) {
	const restoreFocus = rememberFocus(body);
	const old = new Map([...body.rows].map((row) => [row.dataset.key, row]));
	const rows = items.map((item) => {
		const before = old.get(keyOf(item));
		const text = JSON.stringify(item);
		return before && shown.get(before) === text ? before : createRow(item, text, render, before);
	});
	if (rows.length === 0) rows.push(placeholder);
	const kept = new Set(rows);
	for (const row of [...body.rows]) if (!kept.has(row)) row.remove();
	rows.forEach((row, at) => {
		if (body.rows[at] !== row) body.insertBefore(row, body.rows[at] ?? null);
	});
	restoreFocus();
}

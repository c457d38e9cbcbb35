/** DOM helpers. All text goes through `textContent`, so that nothing is interpreted as markup. */

/** Returns the element with this ID. */
export const byId = (id) => document.getElementById(id);

/** Creates an element with text or children. */
export function element(name, { text, className, title, children = [], onClick } = {}) {
	const created = document.createElement(name);
	if (text !== undefined) created.textContent = String(text);
	if (className) created.className = className;
	if (title) created.title = title;
	if (onClick) created.addEventListener('click', onClick);
	created.append(...children);
	return created;
}

/** Creates a table row. Each cell is text, or options for `element`. */
export const row = (cells) =>
	element('tr', {
		children: cells.map((cell) => element('td', typeof cell === 'object' ? cell : { text: cell })),
	});

/** Creates the placeholder row of an empty table. */
export function emptyRow(text, columns) {
	const cell = element('td', { text, className: 'empty' });
	cell.colSpan = columns;
	return element('tr', { children: [cell] });
}

/** The time of day of an ISO date. */
export const timeOf = (iso) => new Date(iso).toLocaleTimeString([], { hour12: false });

/** Shows the result of an action, green if it succeeded and red if not. */
export function report(output, text, isSuccess) {
	output.textContent = text;
	output.className = isSuccess ? 'good' : 'bad';
}

/** Small helpers around the DOM. Everything shown goes through `textContent`, so nothing shown can be markup. */

/** The element with this id. */
export const byId = (id) => document.getElementById(id);

/** A new element with text or children in it. */
export function element(name, { text, className, title, children = [], onClick } = {}) {
	const created = document.createElement(name);
	if (text !== undefined) created.textContent = String(text);
	if (className) created.className = className;
	if (title) created.title = title;
	if (onClick) created.addEventListener('click', onClick);
	created.append(...children);
	return created;
}

/** A table row; a cell is text, or what `element` takes. */
export const row = (cells) =>
	element('tr', {
		children: cells.map((cell) => element('td', typeof cell === 'object' ? cell : { text: cell })),
	});

/** The one row of a table that has none. */
export function emptyRow(text, columns) {
	const cell = element('td', { text, className: 'empty' });
	cell.colSpan = columns;
	return element('tr', { children: [cell] });
}

/** The time of day of an ISO date. */
export const timeOf = (iso) => new Date(iso).toLocaleTimeString([], { hour12: false });

/** Says how something went, in words and in colour. */
export function report(output, text, isGood) {
	output.textContent = text;
	output.className = isGood ? 'good' : 'bad';
}

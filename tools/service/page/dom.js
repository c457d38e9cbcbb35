/** DOM helpers. All text goes through `textContent`, so that nothing is interpreted as markup. */

/** Returns the element with this ID. */
export const byId = (id) => document.getElementById(id);

/** Creates an element with text or children. */
export function element(
	name,
	{ text, className, title, children = [], onClick, attributes = {} } = {},
) {
	const created = document.createElement(name);
	if (text !== undefined) created.textContent = String(text);
	if (className) created.className = className;
	if (title) created.title = title;
	if (onClick) created.addEventListener('click', onClick);
	for (const [attribute, value] of Object.entries(attributes))
		created.setAttribute(attribute, value);
	created.append(...children);
	return created;
}

/**
 * Creates a table row from cells by the title of their column. Each is text, or options for `element`. In a narrow window
 * a row is shown as a card with these titles, and browsers no longer see a table: hence the roles.
 */
export const row = (cells) =>
	element('tr', {
		attributes: { role: 'row' },
		children: Object.entries(cells).map(([title, cell]) => {
			const options = typeof cell === 'object' ? cell : { text: cell };
			const created = element('td', options);
			created.setAttribute('role', 'cell');
			if (created.childNodes.length > 0 && created.textContent !== '')
				created.dataset.title = title;
			return created;
		}),
	});

/** Creates the placeholder row of an empty table. */
export function emptyRow(text, columns) {
	const cell = element('td', { text, className: 'empty', attributes: { role: 'cell' } });
	cell.colSpan = columns;
	return element('tr', { attributes: { role: 'row' }, children: [cell] });
}

/** The time of day of an ISO date. */
export const timeOf = (iso) => new Date(iso).toLocaleTimeString([], { hour12: false });

/** A count, and how many of it are listed if not all are. */
export const countOf = (count, listed) =>
	count > listed ? `${count} (showing the newest ${listed})` : String(count);

/** Shows the result of an action, green if it succeeded and red if not. */
export function report(output, text, isSuccess) {
	output.textContent = text;
	output.className = isSuccess ? 'good' : 'bad';
}

/** Creates a button that does something, and shows in `output` why it failed. */
export const actionButton = (text, name, output, action) =>
	element('button', {
		text,
		attributes: { type: 'button', 'aria-label': name },
		onClick: () => attempt(output, action),
	});

/** Does something, and shows in `output` why it failed. */
export async function attempt(output, action) {
	try {
		await action();
		report(output, '', true);
	} catch (error) {
		report(output, error.message, false);
	}
}

import { control } from './control.js';
import { byId, element, report, row } from './dom.js';

const fields = new Map();

function createField({ name, values, text, initial }) {
	const field = element(Array.isArray(values) ? 'select' : 'input', { title: text });
	if (Array.isArray(values))
		field.append(...values.map((value) => element('option', { text: value })));
	else field.type = values === 'boolean' ? 'checkbox' : 'number';
	if (field.type === 'number') field.step = 'any';
	field.setAttribute('aria-label', name);
	field.addEventListener('change', () => set(name, read(field)));
	const label = element('td', { text: name });
	fields.set(name, { field, label, initial });
	return label;
}

function read(field) {
	if (field.type === 'checkbox') return field.checked;
	return field.type === 'number' ? Number(field.value) : field.value;
}

async function set(name, value) {
	try {
		await control('PATCH', '/switches', { [name]: value });
		report(byId('switch-result'), '', true);
	} catch (error) {
		report(byId('switch-result'), error.message, false);
		showSwitches(await control('GET', '/switches'));
	}
}

/** Creates a field for each switch. */
export function startSwitches(switches) {
	byId('switches').append(
		...switches.map((about) => {
			const label = createField(about);
			const { field } = fields.get(about.name);
			const created = row([{ children: [field] }, { text: about.text, className: 'text hint' }]);
			created.prepend(label);
			return created;
		}),
	);
}

/** Shows the current values, with the names of changed switches in bold. */
export function showSwitches(switches) {
	let changed = 0;
	for (const [name, value] of Object.entries(switches)) {
		const { field, label, initial } = fields.get(name);
		if (field.type === 'checkbox') field.checked = value;
		else field.value = value;
		const isChanged = value !== initial;
		label.classList.toggle('changed', isChanged);
		changed += isChanged ? 1 : 0;
	}
	byId('switch-count').textContent = changed === 0 ? 'all at their defaults' : `${changed} changed`;
}

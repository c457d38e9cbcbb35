import { control } from './control.js';
import { byId, element, report, row } from './dom.js';

const fields = new Map();

function createField({ name, values, text, initial }) {
	const id = `switch-${name}`;
	const field = element(Array.isArray(values) ? 'select' : 'input', {
		title: text,
		attributes: { id, 'aria-describedby': `${id}-text` },
	});
	if (Array.isArray(values))
		field.append(...values.map((value) => element('option', { text: value })));
	else field.type = 'number';
	if (field.type === 'number') field.step = 'any';
	field.addEventListener('change', () => set(name, read(field)));
	const label = element('label', { text: name, attributes: { for: id } });
	fields.set(name, { field, label, initial });
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
			createField(about);
			const { field, label } = fields.get(about.name);
			return row({
				Switch: { children: [label] },
				Value: { children: [field] },
				Decides: {
					text: about.text,
					className: 'text hint',
					attributes: { id: `${field.id}-text` },
				},
			});
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

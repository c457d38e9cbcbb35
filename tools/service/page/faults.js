import { control } from './control.js';
import { actionButton, attempt, byId, element, report } from './dom.js';

/** Lists each kind of fault in the form, with an example to edit. */
export function startFaults(kinds) {
	const select = byId('fault-kind');
	select.append(...kinds.map(({ example }) => element('option', { text: example.kind })));
	const fillIn = () => {
		const { example, text } = kinds[select.selectedIndex];
		byId('fault-text').textContent = text;
		byId('fault-body').value = JSON.stringify(example, null, 2);
	};
	select.addEventListener('change', fillIn);
	byId('fault-form').addEventListener('submit', add);
	byId('fault-clear').addEventListener('click', () =>
		attempt(byId('fault-result'), () => control('DELETE', '/faults')),
	);
	fillIn();
}

async function add(event) {
	event.preventDefault();
	try {
		await control('POST', '/faults', JSON.parse(byId('fault-body').value));
		report(byId('fault-result'), 'Added.', true);
	} catch (error) {
		report(byId('fault-result'), error.message, false);
	}
}

/** Shows the active faults. */
export function showFaults(faults) {
	byId('fault-count').textContent = faults.length;
	byId('faults').replaceChildren(
		...faults.map(({ id, fault: { kind, ...details }, applied, timesLeft }) =>
			element('li', {
				children: [
					element('strong', { text: kind }),
					element('code', { text: JSON.stringify(details) }),
					element('span', {
						className: 'hint',
						text: `applied ${applied}, ${timesLeft === undefined ? 'no limit' : `${timesLeft} left`}`,
					}),
					actionButton('Remove', `Remove fault ${kind}`, byId('fault-result'), () =>
						control('DELETE', `/faults/${id}`),
					),
				],
			}),
		),
	);
}

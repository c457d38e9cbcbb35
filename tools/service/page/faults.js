import { control } from './control.js';
import { byId, element, report } from './dom.js';

/** Offers each kind of fault with an example to start from. */
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
	byId('fault-clear').addEventListener('click', () => control('DELETE', '/faults'));
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

/** Shows the faults that still wait for requests. */
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
						text: `applied ${applied}, ${timesLeft === undefined ? 'no end' : `${timesLeft} left`}`,
					}),
					element('button', {
						text: 'Remove',
						onClick: () => control('DELETE', `/faults/${id}`),
					}),
				],
			}),
		),
	);
}

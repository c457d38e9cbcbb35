import { control } from './control.js';
import { byId, element, emptyRow, row, timeOf } from './dom.js';

const button = (text, onClick) => element('button', { text, onClick });

const hookRow = (hook) =>
	row([
		{ text: hook.targetUrl, className: 'long mono', title: hook.targetUrl },
		hook.type ?? 'all events',
		hook.campaignId ?? '',
		hook.isFirst ? 'yes' : '',
		hook.hasSecret ? 'set' : 'not set',
		timeOf(hook.createdAt),
		{ text: hook._id, className: 'mono' },
		{
			children: [
				hook.disabled
					? element('span', { text: 'disabled ', className: 'bad' })
					: button('Disable', () => control('POST', `/hooks/${hook._id}/disable`)),
				' ',
				button('Delete', () => control('DELETE', `/hooks/${hook._id}`)),
			],
		},
	]);

/** Shows webhooks, newest first. `count` includes those not listed. */
export function showHooks(hooks, count) {
	byId('hook-count').textContent =
		count > hooks.length ? `${count} (showing the newest ${hooks.length})` : count;
	const rows = hooks.map(hookRow).reverse();
	byId('hooks').replaceChildren(
		...(rows.length > 0
			? rows
			: [emptyRow('No webhooks yet. Clients create them with POST /hooks.', 8)]),
	);
}

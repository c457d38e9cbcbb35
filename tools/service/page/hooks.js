import { control } from './control.js';
import { actionButton, byId, countOf, element, emptyRow, row, timeOf } from './dom.js';
import { eventLabel } from './eventNames.js';
import { showRows } from './rows.js';
import { targetUrl } from './targetUrl.js';

/** A button that calls the control API for a webhook. */
const button = (text, hook, method, path = '') =>
	actionButton(text, `${text} webhook ${hook._id}`, byId('hook-result'), () =>
		control(method, `/hooks/${hook._id}${path}`),
	);

const hookRow = (hook) =>
	row({
		'Target URL': { className: 'target', children: [targetUrl(hook.targetUrl)] },
		Event: {
			text: hook.type === undefined ? 'All Events' : eventLabel(hook.type),
			className: 'event',
		},
		Campaign: { text: hook.campaignId ?? '', className: 'mono break' },
		'First only': hook.isFirst ? 'yes' : '',
		Secret: hook.hasSecret ? 'set' : 'not set',
		Created: timeOf(hook.createdAt),
		ID: { text: hook._id, className: 'mono' },
		Actions: {
			className: 'actions',
			children: [
				hook.disabled
					? element('span', { text: 'disabled', className: 'bad' })
					: button('Disable', hook, 'POST', '/disable'),
				button('Delete', hook, 'DELETE'),
			],
		},
	});

/** Shows webhooks, newest first. `count` includes those not listed. */
export function showHooks(hooks, count) {
	byId('hook-count').textContent = countOf(count, hooks.length);
	const placeholder = emptyRow('No webhooks yet. Clients create them with POST /hooks.', 8);
	showRows(byId('hooks'), [...hooks].reverse(), hookRow, placeholder);
}

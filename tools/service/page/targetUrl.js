import { element } from './dom.js';

/** Characters of the end of a path that stay visible. */
const MAX_END = 16;
/** Parameters of a query that are shown before the URL is opened. */
const MAX_PARAMETERS = 6;

/** The URL before its query in two parts: the first gives way when there is little room, the second doesn't. */
function splitPath(base) {
	const lastSlash = base.lastIndexOf('/');
	const end = Math.max(lastSlash, base.length - MAX_END);
	// A URL without a path has nothing worth keeping at its end.
	return /^[a-z]+:\/\/[^/]*\/?$/i.test(base) ? [base, ''] : [base.slice(0, end), base.slice(end)];
}

/** The parameters of a query, each as it was sent. `event` is shown however many there are. */
function parametersOf(query) {
	const all = query === '' ? [] : query.split('&').map((text, i) => (i === 0 ? '?' : '&') + text);
	const shown = all.filter((text, i) => i < MAX_PARAMETERS || /^.event=/.test(text));
	return shown.length < all.length ? [...shown, `+${all.length - shown.length}`] : shown;
}

/**
 * A target URL that is shortened in its middle, with each parameter of its query as a part of its own, so that
 * `?event=…` is always visible. It opens to the full URL.
 */
export function targetUrl(url) {
	const [base, query = ''] = url.split(/\?(.*)/s);
	const [start, end] = splitPath(base);
	const path = element('span', {
		className: 'path',
		children: [
			element('span', { className: 'start', text: start }),
			...(end === '' ? [] : [element('span', { className: 'end', text: end })]),
		],
	});
	const parameters = parametersOf(query).map((text) =>
		element('span', { className: 'parameter', text }),
	);
	return element('details', {
		className: 'url mono',
		children: [
			element('summary', { title: url, children: [path, ...parameters] }),
			element('span', { className: 'full', text: url }),
		],
	});
}

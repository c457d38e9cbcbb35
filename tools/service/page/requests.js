import { byId, countOf, emptyRow, row, timeOf } from './dom.js';
import { showRows } from './rows.js';

const MAX_LISTED = 200;
let listed = new Map();

const isGood = ({ status }) => status >= 200 && status < 300;

/** The status of the response, or why there is none. */
function outcomeOf({ status, ms, disconnected }) {
	if (status === undefined && ms === undefined) return '…';
	if (!disconnected) return String(status);
	return status === undefined ? 'no response' : `${status}, disconnected`;
}

/** What the service did to the request on purpose: a fault, or a rejection by the rate limit. */
function simulatedFor({ faults, overLimit, status }) {
	const names = faults.map((kind) => (kind === 'status' ? `status ${status}` : kind));
	return [...(overLimit ? ['over the rate limit'] : []), ...names].join(', ');
}

function requestRow(request) {
	const hasEnded = request.ms !== undefined;
	return row({
		Time: timeOf(request.receivedAt),
		Method: { text: request.method, className: 'mono' },
		Path: { text: request.path, className: 'path mono', title: request.path },
		Response: {
			text: outcomeOf(request),
			className: isGood(request) && !request.disconnected ? 'good' : hasEnded ? 'bad' : '',
		},
		ms: { text: hasEnded ? request.ms : '', className: 'number' },
		Simulated: { text: simulatedFor(request), className: 'simulated' },
	});
}

function show(count) {
	const newest = [...listed.values()].sort((a, b) => b.id - a.id).slice(0, MAX_LISTED);
	listed = new Map(newest.map((request) => [request.id, request]));
	byId('request-count').textContent = countOf(count, newest.length);
	showRows(byId('requests'), newest, requestRow, emptyRow('No requests yet.', 6));
}

/** Replaces the list. `count` is the total count. */
export function resetRequests(requests, count) {
	listed = new Map(requests.map((request) => [request.id, request]));
	show(count);
}

/** Adds requests, or shows how those that are listed have ended. */
export function addRequests(requests, count) {
	for (const request of requests) listed.set(request.id, request);
	show(count);
}

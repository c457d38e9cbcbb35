import { control } from './control.js';
import { byId } from './dom.js';
import { startEventForm } from './eventForm.js';
import { setEventNames } from './eventNames.js';
import { startFaults, showFaults } from './faults.js';
import { showHooks } from './hooks.js';
import { addEntries, resetEntries } from './ledger.js';
import { addRequests, resetRequests } from './requests.js';
import { startSwitches, showSwitches } from './switches.js';

/** Applies an update. Each part is present only if it has changed. */
function show(update) {
	if (update.hooks) showHooks(update.hooks, update.hookCount);
	if (update.switches) showSwitches(update.switches);
	if (update.faults) showFaults(update.faults);
	if (update.ledger) resetEntries(update.ledger, update.attempts);
	if (update.newEntries) addEntries(update.newEntries, update.attempts);
	if (update.requests) resetRequests(update.requests, update.requestCount);
	if (update.newRequests) addRequests(update.newRequests, update.requestCount);
	if (update.stats) {
		const { requests, refused, maxStartsInWindow } = update.stats;
		byId('stats').textContent =
			`${requests} requests with a valid key, ${refused} over the limit, at most ${maxStartsInWindow} per window`;
	}
}

function connect() {
	const connection = byId('connection');
	const live = new EventSource('/live');
	live.onopen = () => {
		connection.textContent = 'Live';
		connection.className = 'live';
	};
	live.onerror = () => {
		connection.textContent = 'Disconnected, reconnecting…';
		connection.className = 'bad';
	};
	live.onmessage = ({ data }) => show(JSON.parse(data));
}

const about = await control('GET', '/about');
byId('base-url').textContent = about.baseUrl;
startSwitches(about.switches);
startFaults(about.faults);
setEventNames(about.eventGroups);
startEventForm(about.eventGroups);
connect();

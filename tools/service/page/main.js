import { control } from './control.js';
import { byId } from './dom.js';
import { startEventForm } from './eventForm.js';
import { startFaults, showFaults } from './faults.js';
import { showHooks } from './hooks.js';
import { addEntries, resetEntries } from './ledger.js';
import { startSwitches, showSwitches } from './switches.js';

/** Shows what the service says is new: each part is there only when it changed. */
function show(news) {
	if (news.hooks) showHooks(news.hooks, news.hookCount);
	if (news.switches) showSwitches(news.switches);
	if (news.faults) showFaults(news.faults);
	if (news.ledger) resetEntries(news.ledger, news.attempts);
	if (news.newEntries) addEntries(news.newEntries, news.attempts);
	if (news.stats) {
		const { requests, refused, maxStartsInWindow } = news.stats;
		byId('stats').textContent =
			`${requests} requests, ${refused} over the limit, at most ${maxStartsInWindow} in a window`;
	}
}

function connect() {
	const connection = byId('connection');
	const live = new EventSource('/live');
	live.onopen = () => {
		connection.textContent = 'live';
		connection.className = 'live';
	};
	live.onerror = () => {
		connection.textContent = 'not connected, trying again…';
		connection.className = 'bad';
	};
	live.onmessage = ({ data }) => show(JSON.parse(data));
}

const about = await control('GET', '/about');
byId('base-url').textContent = about.baseUrl;
startSwitches(about.switches);
startFaults(about.faults);
startEventForm(about.eventTypes);
connect();

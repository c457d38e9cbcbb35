import { DEFAULT_SWITCHES, SWITCH_NAMES, switchValues } from './switches';
import { SWITCH_TEXTS } from './switchTexts';

/** The control routes, for `--help`, the docs and the page. */
export const CONTROL_ROUTES: readonly (readonly [route: string, purpose: string])[] = [
	['GET /', 'the page for a person'],
	['POST /events', 'send an event: {"type": …} and what should differ from a sample'],
	['POST /events/many', 'send sample events: {"count": …, "types", "concurrency", "order", …}'],
	['GET /samples/TYPE?seed=N', 'a sample activity'],
	['GET /hooks', 'all hooks; POST adds one, DELETE /hooks/ID removes one'],
	['POST /hooks/ID/disable', 'disable a hook'],
	['GET /switches', 'all switches; PATCH sets some'],
	['GET /faults', 'the faults; POST adds one, DELETE removes all, DELETE /faults/ID one'],
	['POST /keys', 'add an API key: {"key": …, "team": …}; DELETE /keys/KEY removes one'],
	['GET /ledger', 'the newest delivery attempts'],
	['GET /requests', 'the newest API requests'],
	['GET /stats', 'requests, refusals, the most requests in any window'],
	['GET /live', 'what changes, as Server-Sent Events'],
];

/** Every switch with its values, the default first, and what it decides. */
export function describeSwitches(): string {
	const lines = SWITCH_NAMES.map((name) => {
		const values = switchValues(name);
		const initial = String(DEFAULT_SWITCHES[name]);
		const choice = typeof values === 'string' ? `${initial} (${values})` : values.join(' | ');
		return `  ${name}=${choice}\n      ${SWITCH_TEXTS[name]}`;
	});
	return ['Switches (the default stands first):', ...lines].join('\n');
}

/** One line for each control route. */
export function describeControlRoutes(): string {
	const lines = CONTROL_ROUTES.map(([route, purpose]) => `  ${route.padEnd(26)} ${purpose}`);
	return ['Control routes:', ...lines].join('\n');
}

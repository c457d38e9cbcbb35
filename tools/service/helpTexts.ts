import { SWITCHES } from './switches';

/** The routes of the control API, for `--help` and the docs. */
export const CONTROL_ROUTES: readonly (readonly [route: string, purpose: string])[] = [
	['GET /', 'the control page'],
	['POST /events', 'send an event: {"type": …} and the fields that differ from a sample'],
	['POST /events/many', 'send sample events: {"count": …, "types", "concurrency", "order", …}'],
	['GET /samples/TYPE?seed=N', 'a sample activity'],
	['GET /hooks', 'all webhooks; POST adds one, DELETE /hooks/ID removes one'],
	['POST /hooks/ID/disable', 'disable a webhook'],
	['GET /switches', 'all switches; PATCH sets some'],
	['GET /faults', 'active faults; POST adds one, DELETE removes all, DELETE /faults/ID one'],
	['POST /keys', 'add an API key: {"key": …, "team": …}; DELETE /keys/KEY removes one'],
	['GET /ledger', 'the newest delivery attempts; ?limit=N of them'],
	['GET /requests', 'the newest API requests; ?limit=N of them'],
	['GET /stats', 'API requests, those over the limit, the most in any window'],
	['GET /state', 'what the page shows: the newest of everything'],
];

/** Every switch with its values, default first, and what it decides. */
export function describeSwitches(): string {
	const lines = SWITCHES.map(({ name, values, initial, text }) => {
		const choice = values ? values.join(' | ') : `${initial} (number)`;
		return `  ${name}=${choice}\n      ${text}`;
	});
	return ['Switches (default first):', ...lines].join('\n');
}

/** One line for each control route. */
export function describeControlRoutes(): string {
	const lines = CONTROL_ROUTES.map(([route, purpose]) => `  ${route.padEnd(26)} ${purpose}`);
	return ['Control routes:', ...lines].join('\n');
}

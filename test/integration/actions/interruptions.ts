/** What can go wrong with a request of an operation, and what must be true afterwards. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import type { Fault, RunningService } from '../../../tools/service';
import type { ShownError } from '../support/action';

export const FAULTS: Record<string, Fault | undefined> = {
	refused: { kind: 'status', status: 400, body: 'No' },
	'refused from then on': { kind: 'status', status: 400, body: 'No', times: 100 },
	'failed before the work': { kind: 'status', status: 500 },
	'failed after the work': { kind: 'status', status: 500, when: 'after' },
	'cut off before the work': { kind: 'cut' },
	'cut off after the work': { kind: 'cut', when: 'after' },
	'answered by halves': { kind: 'half' },
	'answered with a page': { kind: 'html' },
	stopped: { kind: 'delay', delayMs: 60 },
	killed: undefined,
};

const OPERATIONS = ['create', 'delete', 'deleteMany', 'rotateSecret'] as const;

/** One operation, and what happens to one of its requests. */
export const cut = fc.record({
	operation: fc.constantFrom(...OPERATIONS),
	/** The request at which it happens, counted from 0. */
	k: fc.integer({ min: 0, max: 5 }),
	fault: fc.constantFrom(...Object.keys(FAULTS)),
	switches: fc.record({
		hookUrls: fc.constantFrom('shared', 'oncePerTeam'),
		deleteAnswer: fc.constantFrom('hook', 'empty'),
		createdAtForm: fc.constantFrom('zone', 'noZone', 'absent'),
		createStatus: fc.constantFrom(200, 201, 204),
	}),
});
export type Cut = typeof cut extends fc.Arbitrary<infer T> ? T : never;

const UNKNOWN_CREATE = 'Whether the webhook was created is not known';
const DOUBTFUL = 'A webhook may have been created';

export type World = { service: RunningService; targetUrl: string; foreign: string; old: string[] };
export type End = { output?: IDataObject[]; error?: ShownError };

const isOnly = (there: string[], [item]: IDataObject[]): boolean =>
	there.length === 1 && there[0] === item?._id;

/** What is wrong at the end, in words; undefined when all is well. */
export function complaint(
	{ operation, fault, switches }: Cut,
	world: World,
	end: End,
): string | undefined {
	const { service, targetUrl, foreign, old } = world;
	const hooks = service.hooks();
	const deleted = service.requests.filter(({ method }) => method === 'DELETE');
	if (deleted.some(({ path }) => path.endsWith(foreign))) return 'a foreign webhook got a DELETE';
	if (!hooks.some(({ _id }) => _id === foreign)) return 'a foreign webhook is gone';
	const there = hooks.filter((webhook) => webhook.targetUrl === targetUrl).map(({ _id }) => _id);
	const said = `${end.error?.message ?? ''} ${end.error?.description ?? ''}`;
	const unsaid = (ids: string[]) => ids.filter((id) => !said.includes(id));
	const isOpen = said.includes(UNKNOWN_CREATE) || said.includes(DOUBTFUL);

	if (operation === 'rotateSecret') {
		if (there.length === 0 && switches.hookUrls === 'shared') return 'there was a gap';
		if (fault === 'killed' && !end.output && !end.error) return undefined;
		if (end.output) {
			return isOnly(there, end.output) ? undefined : 'the output is not in force';
		}
		if (there.join() === old.join()) return undefined;
		if (there.length === 0)
			return unsaid(old).length > 0 ? 'nobody says that none is left' : undefined;
		const strangers = unsaid(there.filter((id) => !old.includes(id)));
		return strangers.length > 0 && !isOpen ? 'a successor is there that is not named' : undefined;
	}
	if (!end.output && !end.error) return undefined;
	if (operation === 'create') {
		if (end.output) {
			return isOnly(there, end.output) ? undefined : 'not the one that was output';
		}
		return there.length > 0 && !isOpen && unsaid(there).length > 0
			? 'a webhook is there that is not named'
			: undefined;
	}
	const gone = old.filter((id) => !there.includes(id));
	if (end.output) return gone.length === old.length ? undefined : 'not all are deleted';
	return unsaid(gone).length > 0 ? 'a webhook is gone that is not named' : undefined;
}

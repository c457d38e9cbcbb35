/** The ways in which a request of an operation can fail, and what must be true afterwards. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import type { Fault } from '../../../tools/service';
import type { ShownError } from '../support/action';
import type { World } from '../support/world';

export const FAULTS: Record<string, Fault> = {
	refused: { kind: 'status', status: 400, body: 'No' },
	'refused from then on': { kind: 'status', status: 400, body: 'No', times: 100 },
	'fails before the change': { kind: 'status', status: 500 },
	'fails after the change': { kind: 'status', status: 500, when: 'after' },
	'disconnects before the change': { kind: 'cut' },
	'disconnects after the change': { kind: 'cut', when: 'after' },
	'responds incompletely': { kind: 'half' },
	'responds with a web page': { kind: 'html' },
	'execution stopped': { kind: 'delay', delayMs: 60 },
	// While it waits for the response, so that the service has carried out all requests before, and none from then on.
	'process killed': { kind: 'delay', delayMs: 600_000, times: 100 },
};

/** The operations that change webhooks. */
export const OPERATIONS = ['create', 'delete', 'deleteMany', 'rotateSecret'] as const;

/** All others. They only read, or send the one request that a user has entered, so nothing can be half done. */
export const OTHER_OPERATIONS = [
	'api: request',
	'peopleSchema: compare',
	'peopleSchema: get',
	'webhook: check',
	'webhook: get',
	'webhook: getAll',
	'webhook: sendTest',
];

/** One operation, and what happens during one of its requests. */
export const interruption = fc.record({
	operation: fc.constantFrom(...OPERATIONS),
	/** The position of the request, counted from 0. */
	request: fc.integer({ min: 0, max: 5 }),
	fault: fc.constantFrom(...Object.keys(FAULTS)),
	switches: fc.record({
		hookUrls: fc.constantFrom('shared', 'oncePerTeam'),
		deleteBody: fc.constantFrom('hook', 'empty'),
		createdAt: fc.constantFrom('present', 'absent'),
		createStatus: fc.constantFrom(200, 201, 204),
	}),
});
export type Interruption = typeof interruption extends fc.Arbitrary<infer T> ? T : never;

const UNKNOWN_CREATE = 'Whether the new webhook was created is not known';

/** A world with webhooks that the operation changes (`old`) and one that it must not touch (`foreign`). */
export type Scene = { world: World; targetUrl: string; foreign: string; old: string[] };
/** How the operation ended; without both when the process was killed. */
export type Outcome = { output?: IDataObject[]; error?: ShownError };

const isOnly = (ids: string[], [item]: IDataObject[]): boolean =>
	ids.length === 1 && ids[0] === item?._id;

/** Describes what is wrong after the operation. @returns undefined when nothing is */
export function findProblem(
	{ operation, fault }: Interruption,
	{ world, targetUrl, foreign, old }: Scene,
	{ output, error }: Outcome,
): string | undefined {
	const deletes = world.service.requests.filter(({ method }) => method === 'DELETE');
	if (deletes.some(({ path }) => path.endsWith(foreign))) return 'a foreign webhook got a DELETE';
	if (!world.webhookIds.includes(foreign)) return 'a foreign webhook is gone';
	const ids = world.webhooks
		.filter((webhook) => webhook.targetUrl === targetUrl)
		.map(({ _id }) => _id);
	const text = `${error?.message ?? ''} ${error?.description ?? ''}`;
	const notNamed = (all: string[]) => all.filter((id) => !text.includes(id));
	const isUncertain = text.includes(UNKNOWN_CREATE);

	if (operation === 'rotateSecret') {
		if (ids.length === 0) return 'there was a gap';
		if (fault === 'process killed' && !output && !error) return undefined;
		if (output) {
			const [item] = output;
			const others = ids.filter((id) => id !== item?._id);
			if (others.length === ids.length) return 'the webhook in the output does not exist';
			return others.every((id) => JSON.stringify(item?.note ?? '').includes(id))
				? undefined
				: 'the item does not name a webhook that is left beside it';
		}
		const successors = notNamed(ids.filter((id) => !old.includes(id)));
		return successors.length > 0 && !isUncertain
			? 'the error does not name a successor that exists'
			: undefined;
	}
	if (!output && !error) return undefined;
	if (operation === 'create') {
		if (output) return isOnly(ids, output) ? undefined : 'the webhook is not the one in the output';
		return ids.length > 0 && !isUncertain && notNamed(ids).length > 0
			? 'the error does not name a webhook that exists'
			: undefined;
	}
	const deleted = old.filter((id) => !ids.includes(id));
	if (output) return deleted.length === old.length ? undefined : 'not all webhooks are deleted';
	return notNamed(deleted).length > 0
		? 'the error does not name a webhook that was deleted'
		: undefined;
}

/**
 * Cut at k: whichever request of an operation goes wrong, and in whatever way, afterwards one webhook is in force with a
 * secret that the user has, or the error says what stands.
 */
import { randomUUID } from 'node:crypto';

import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import { startService } from '../../../tools/service';
import { actionExecution } from '../support/action';
import { actionNode } from '../support/n8n';
import { byId } from '../support/webhooks';
import { complaint, cut, FAULTS, type Cut, type End, type World } from './cut';

async function makeWorld({ operation, switches }: Cut): Promise<World> {
	const service = await startService({ switches });
	// Creates of one target URL wait for each other in a process: here they are of different n8ns.
	const targetUrl = `https://mine.test/${randomUUID()}`;
	const foreign = service.addHook({ targetUrl: 'https://foreign.test/in' })._id;
	const count = { create: 0, delete: 1, deleteMany: 3, rotateSecret: 1 }[operation];
	const old = Array.from(
		{ length: count },
		() => service.addHook({ targetUrl, secret: 'old' })._id,
	);
	return { service, targetUrl, foreign, old };
}

const parametersOf = ({ operation }: Cut, { targetUrl, old }: World): INodeParameters => ({
	resource: 'webhook',
	operation,
	...(operation === 'create' ? { targetUrl, event: '*' } : {}),
	...(operation === 'deleteMany' ? { filters: { targetUrl }, dryRun: false } : {}),
	...(old[0] === undefined ? {} : { webhookId: byId(old[0]) }),
});

/** Carries out the operation. @returns how it ended; nothing when the process was killed before that */
async function carryOut(given: Cut, world: World): Promise<End> {
	const { service } = world;
	const stop = new AbortController();
	const { context, workflow } = actionExecution(service, parametersOf(given, world), {
		signal: stop.signal,
	});
	const fault = FAULTS[given.fault];
	if (fault) service.addFault({ ...fault, skip: given.k });
	let kill: () => void = () => undefined;
	const killed = new Promise<End>((resolve) => {
		kill = () => resolve({});
	});
	let bury: () => void = () => undefined;
	// What a killed process waits for; afterwards it ends, so that nothing of it outlives the test.
	const forever = new Promise<never>((_resolve, reject) => {
		bury = () => reject(Object.assign(new Error('killed'), { code: 'ECONNREFUSED' }));
	});
	forever.catch(() => undefined);
	if (given.fault === 'killed') {
		const real = context.helpers.httpRequestWithAuthentication.bind(context);
		let sent = 0;
		context.helpers.httpRequestWithAuthentication = async (...args) => {
			sent += 1;
			if (sent > given.k + 1) return await forever;
			const answer: unknown = await real(...args);
			if (sent <= given.k) return answer;
			kill();
			return await forever;
		};
	}
	await workflow.expression.acquireIsolate();
	const running = actionNode.execute.call(context).then(
		([items]): End => ({ output: (items ?? []).map(({ json }) => json) }),
		(error: unknown): End => ({ error: error instanceof Error ? error : new Error('no error') }),
	);
	const over = { yes: false };
	const end = Promise.race([running, killed]).finally(() => (over.yes = true));
	if (given.fault === 'stopped') {
		while (!over.yes && service.requests.length <= given.k) await new Promise(setImmediate);
		stop.abort();
	}
	const result = await end;
	bury();
	stop.abort();
	await workflow.expression.releaseIsolate();
	return result;
}

it('After an operation that went wrong at any request, one webhook is in force, or the error says what stands', async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(cut, { minLength: 25, maxLength: 25 }), async (cuts) => {
			const verdicts = await Promise.all(
				cuts.map(async (given) => {
					const world = await makeWorld(given);
					const end = await carryOut(given, world);
					const wrong = complaint(given, world, end);
					const requests = world.service.requests.map(
						({ method, status }) => `${method} ${status ?? '-'}`,
					);
					await world.service.close();
					return (
						wrong && {
							wrong,
							...given,
							requests,
							said: end.error?.description ?? end.error?.message,
						}
					);
				}),
			);
			expect(verdicts.filter(Boolean)).toEqual([]);
		}),
		{ numRuns: Number(process.env.CUT_RUNS ?? 4), endOnFailure: true },
	);
}, 60_000);

/**
 * Whichever request of an operation fails, and in whatever way: afterwards one webhook works, with a secret that the
 * user has, or the error says which webhooks exist.
 */
import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import { byId } from '../support/action';
import { until } from '../support/until';
import { World } from '../support/world';
import {
	FAULTS,
	findProblem,
	interruption,
	type Interruption,
	type Outcome,
	type Scene,
} from './interruptions';

async function startScene({ operation, switches }: Interruption): Promise<Scene> {
	const world = new World({ switches });
	await world.start();
	const targetUrl = 'https://mine.test/in';
	const foreign = world.addWebhook({ targetUrl: 'https://foreign.test/in' })._id;
	const count = { create: 0, delete: 1, deleteMany: 3, rotateSecret: 1 }[operation];
	const old = Array.from(
		{ length: count },
		() => world.addWebhook({ targetUrl, secret: 'old' })._id,
	);
	return { world, targetUrl, foreign, old };
}

const parametersOf = ({ operation }: Interruption, { targetUrl, old }: Scene): INodeParameters => ({
	resource: 'webhook',
	operation,
	...(operation === 'create' ? { targetUrl, event: '*' } : {}),
	...(operation === 'deleteMany' ? { filters: { targetUrl }, dryRun: false } : {}),
	...(old[0] === undefined ? {} : { webhookId: byId(old[0]) }),
});

/** Runs the operation. @returns its outcome; an empty one when the process was killed before that */
async function runInterrupted(given: Interruption, scene: Scene): Promise<Outcome> {
	const { service } = scene.world;
	const stop = new AbortController();
	const execution = scene.world.execution(parametersOf(given, scene), { signal: stop.signal });
	const fault = FAULTS[given.fault];
	if (fault) service.addFault({ ...fault, skip: given.request });
	let kill: () => void = () => undefined;
	const killed = new Promise<Outcome>((resolve) => {
		kill = () => resolve({});
	});
	let endForever: () => void = () => undefined;
	// The responses for which a killed process waits. They end after the kill, so that nothing outlives the test.
	const forever = new Promise<never>((_resolve, reject) => {
		endForever = () => reject(Object.assign(new Error('killed'), { code: 'ECONNREFUSED' }));
	});
	forever.catch(() => undefined);
	if (given.fault === 'process killed') {
		const { context } = execution;
		const send = context.helpers.httpRequestWithAuthentication.bind(context);
		let sent = 0;
		context.helpers.httpRequestWithAuthentication = async (...args) => {
			sent += 1;
			if (sent > given.request + 1) return await forever;
			const response: unknown = await send(...args);
			if (sent <= given.request) return response;
			kill();
			return await forever;
		};
	}
	let isOver = false;
	const running = execution.run().then(
		(items): Outcome => ({ output: items.map(({ json }) => json) }),
		(error: unknown): Outcome => ({
			error: error instanceof Error ? error : new Error('not an error'),
		}),
	);
	const end = Promise.race([running, killed]).finally(() => (isOver = true));
	if (given.fault === 'execution stopped') {
		await until(() => isOver || service.requests.length > given.request);
		stop.abort();
	}
	const outcome = await end;
	endForever();
	stop.abort();
	await running;
	return outcome;
}

it('Whichever request of an operation fails, one webhook works afterwards, or the error says which webhooks exist', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(interruption, { minLength: 25, maxLength: 25 }),
			async (interruptions) => {
				const problems = await Promise.all(
					interruptions.map(async (given) => {
						const scene = await startScene(given);
						const outcome = await runInterrupted(given, scene);
						const problem = findProblem(given, scene, outcome);
						const requests = scene.world.service.requests.map(
							({ method, status }) => `${method} ${status ?? '-'}`,
						);
						await scene.world.end();
						return (
							problem && {
								problem,
								...given,
								requests,
								error: outcome.error?.description ?? outcome.error?.message,
							}
						);
					}),
				);
				expect(problems.filter(Boolean)).toEqual([]);
			},
		),
		{
			numRuns: Number(process.env.INTERRUPTION_RUNS ?? 4),
			endOnFailure: true,
		},
	);
}, 300_000);

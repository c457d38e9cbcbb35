/**
 * Whichever request of an operation fails, and in whatever way: afterwards one webhook works, with a secret that the
 * user has, or the error says which webhooks exist. Each operation has a world of its own: a local service with webhooks
 * that it changes and one that it must not touch.
 */
import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import { tries } from '../../propertyRuns';
import { byId } from '../support/action';
import { EVERY_OPERATION, operationIn } from '../support/operations';
import { until } from '../support/until';
import { World } from '../support/world';
import {
	FAULTS,
	findProblem,
	interruption,
	OPERATIONS,
	OTHER_OPERATIONS,
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

/** An operation that has ended, or whose process counts as killed, and what ends its world. */
type Interrupted = { outcome: Outcome; end: () => Promise<void> };

/**
 * Runs the operation. When its process is to be killed, it is left waiting for a response: the service then has what it
 * would have after a kill, and nobody has heard of an outcome. What it waits for fails when the world ends.
 */
async function runInterrupted(
	given: Interruption,
	{ world, ...scene }: Scene,
): Promise<Interrupted> {
	const { service } = world;
	const stop = new AbortController();
	const parameters = parametersOf(given, { world, ...scene });
	const execution = world.execution(parameters, { signal: stop.signal });
	service.addFault({ ...FAULTS[given.fault]!, skip: given.request });
	const progress = { isOver: false };
	const running = execution
		.run()
		.then(
			(items): Outcome => ({ output: items.map(({ json }) => json) }),
			(error: unknown): Outcome => ({
				error: error instanceof Error ? error : new Error('not an error'),
			}),
		)
		.finally(() => {
			progress.isOver = true;
		});
	const end = async () => {
		await world.end();
		stop.abort();
		await running;
	};
	const isSent = () => progress.isOver || service.requests.length > given.request;
	if (given.fault === 'process killed') {
		await until(isSent);
		return { outcome: progress.isOver ? await running : {}, end };
	}
	if (given.fault === 'execution stopped') {
		await until(isSent);
		stop.abort();
	}
	return { outcome: await running, end };
}

it('Each operation that changes something is interrupted', () => {
	const interrupted = OPERATIONS.map((operation) =>
		operationIn({ resource: 'webhook', operation }),
	);
	expect([...interrupted, ...OTHER_OPERATIONS].sort()).toEqual(EVERY_OPERATION);
});

it('Whichever request of an operation fails, one webhook works afterwards, or the error says which webhooks exist', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(interruption, { minLength: 25, maxLength: 25 }),
			async (interruptions) => {
				const problems = await Promise.all(
					interruptions.map(async (given) => {
						const scene = await startScene(given);
						const { outcome, end } = await runInterrupted(given, scene);
						const problem = findProblem(given, scene, outcome);
						const requests = scene.world.service.requests.map(
							({ method, status }) => `${method} ${status ?? '-'}`,
						);
						await end();
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
			numRuns: Number(process.env.INTERRUPTION_RUNS ?? tries(2)),
			endOnFailure: true,
		},
	);
});

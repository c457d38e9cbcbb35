import type { OutreachHost } from '../host';
import { count, figure, sideBySide, type Figure, type Scale, type Topic } from './figures';
import { measureRound, type Load, type Round } from './round';
import {
	activateChain,
	activateOurTrigger,
	activateWebhookNodeWithAuth,
	type ComparedWorkflow,
} from './workflows';

/**
 * Measures workflows side by side. The warm-up is not timed, because n8n and the nodes are still being compiled; events
 * lost in it count.
 *
 * @returns the values of a field in the rounds that are timed, and in all rounds
 */
async function compare<Name extends string>(
	host: OutreachHost,
	workflows: Readonly<Record<Name, ComparedWorkflow>>,
	{ warmUp, load, rounds }: { warmUp: Load | undefined; load: Load; rounds: number },
) {
	const names = Object.keys(workflows) as Name[];
	const variants = (one: Load) =>
		names.map((name) => [name, () => measureRound(host, workflows[name], one)] as const);
	const before = warmUp && (await sideBySide(variants(warmUp), 1));
	const timed = await sideBySide(variants(load), rounds);
	const valuesIn =
		(roundsOf: (name: Name) => Round[]) =>
		<Field extends keyof Round>(name: Name, field: Field): Array<Round[Field]> =>
			roundsOf(name).map((round) => round[field]);
	return {
		names,
		timed: valuesIn(timed),
		all: valuesIn((name) => [...(before?.(name) ?? []), ...timed(name)]),
	};
}

const SENDERS = 30;
const OURS = 'our trigger';

/**
 * What our trigger is compared with, one after the other: the second evaluates expressions, each execution of which takes
 * four times as long and leaves n8n slower for whoever follows.
 */
const COMPARED: Readonly<Record<string, (host: OutreachHost) => Promise<ComparedWorkflow>>> = {
	'Webhook node, Header Auth': activateWebhookNodeWithAuth,
	'Webhook node, secret check, Remove Duplicates': activateChain,
};

/** Completed executions per second and lost events of each workflow. */
export async function deliveries(
	host: OutreachHost,
	{ engine, rounds, deliveryMs }: Scale,
): Promise<Topic[]> {
	const speeds: Figure[] = [];
	const losses: Figure[] = [];
	const ours = await activateOurTrigger(host);
	for (const [other, activate] of Object.entries(COMPARED)) {
		const workflows = { [OURS]: ours, [other]: await activate(host) };
		const { names, timed, all } = await compare(host, workflows, {
			warmUp: rounds > 1 ? { forMs: 2 * deliveryMs, senders: SENDERS } : undefined,
			load: { forMs: deliveryMs, senders: SENDERS },
			rounds,
		});
		for (const name of names) {
			// The first comparison has shown ours.
			if (name === OURS && speeds.length > 1) continue;
			const atMost = name === OURS ? 0 : undefined;
			speeds.push(figure(name, 'per second', timed(name, 'perSecond')));
			losses.push(count(`${name}: lost`, 'events', all(name, 'lost'), atMost));
			losses.push(count(`${name}: repeated`, 'events', all(name, 'repeated'), atMost));
		}
	}
	return [
		{ title: `Completed executions, ${engine} expression engine`, figures: speeds },
		{ title: `Events of these, ${engine} expression engine`, figures: losses },
	];
}

const BURST_SENDERS = 200;
const BATCH = { maxEvents: 100, maxSeconds: 1 };

/**
 * A burst from many senders to our trigger with Batch, and forged, so that our trigger refuses each delivery. A refusal is
 * the least that a trigger can do with a delivery, so its speed is that of n8n's own route.
 */
export async function batches(
	host: OutreachHost,
	{ engine, rounds, deliveryMs }: Scale,
): Promise<Topic[]> {
	const batched = await activateOurTrigger(host, { batch: { values: BATCH } });
	const { timed, all } = await compare(
		host,
		{ batched, refused: { ...batched, isForged: true } },
		{
			// As many senders as fill a batch: otherwise it would mostly wait.
			warmUp: { forMs: 1_000, senders: BATCH.maxEvents },
			load: { forMs: 2 * deliveryMs, senders: BURST_SENDERS },
			rounds: Math.ceil(rounds / 2),
		},
	);
	const forged = [...all('refused', 'accepted'), ...all('refused', 'executions')];
	return [
		{
			title: `Batches of ${BATCH.maxEvents} events or ${BATCH.maxSeconds} s, ${BURST_SENDERS} senders, ${engine} expression engine`,
			figures: [
				figure('batched events', 'per second', timed('batched', 'perSecond')),
				figure('refused deliveries', 'per second', timed('refused', 'refusedPerSecond')),
				figure('events in an execution', '', timed('batched', 'perExecution')),
				count('batched: lost', 'events', all('batched', 'lost'), 0),
				count('batched: repeated', 'events', all('batched', 'repeated'), 0),
				count('forged: accepted, or ran', 'events', forged, 0),
			],
		},
	];
}

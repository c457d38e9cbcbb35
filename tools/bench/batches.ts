import type { OutreachHost } from '../host';
import { NONE, quantile, ratios, sideBySide, total, type Topic } from './figures';
import { measureRound, type Round } from './round';
import type { Scale } from './scale';
import { activateOurTrigger, activateWebhookNode } from './workflows';

const SENDERS = 200;
const BATCH = { maxEvents: 100, maxSeconds: 1 };
/** As many senders as fill a batch: otherwise it would mostly wait. */
const WARM_UP = { forMs: 1_000, senders: BATCH.maxEvents };

/**
 * A burst from many senders: to our trigger with Batch, to n8n's Webhook node, and forged, so that our trigger refuses
 * each delivery. A refusal is the least that a trigger can do with a delivery, so its speed is that of n8n's own route.
 */
export async function batches(
	host: OutreachHost,
	{ engine, rounds, deliveryMs }: Scale,
): Promise<Topic[]> {
	const batched = await activateOurTrigger(host, { batch: { values: BATCH } });
	const webhookNode = await activateWebhookNode(host);
	const variants = (load: { forMs: number; senders: number }) =>
		[
			['batched', () => measureRound(host, batched, load)],
			['Webhook node', () => measureRound(host, webhookNode, load)],
			['refused', () => measureRound(host, batched, { ...load, isForged: true })],
		] as const;
	// Not timed, because n8n and the nodes are still being compiled. Events lost here count.
	const warmUp = await sideBySide(variants(WARM_UP), 1);
	const timed = await sideBySide(
		variants({ forMs: 2 * deliveryMs, senders: SENDERS }),
		Math.ceil(rounds / 2),
	);
	const of = (name: 'batched' | 'Webhook node' | 'refused', value: (round: Round) => number) =>
		timed(name).map(value);
	const batchedSpeed = of('batched', ({ perSecond }) => perSecond);
	const webhookSpeed = of('Webhook node', ({ perSecond }) => perSecond);
	const refusedSpeed = of('refused', ({ refusedPerSecond }) => refusedPerSecond);
	const count = (name: 'batched' | 'refused', value: (round: Round) => number) =>
		total([...warmUp(name), ...timed(name)].map(value));
	const responses = (share: number) =>
		of('batched', ({ responseSeconds }) => quantile(responseSeconds, share));
	const atLeast = engine === 'lazy' ? 4 : 1.1;
	return [
		{
			title: `Batches of ${BATCH.maxEvents} events or ${BATCH.maxSeconds} s, ${SENDERS} senders, ${engine} expression engine`,
			figures: [
				{ name: 'batched events', unit: 'per second', values: batchedSpeed },
				{ name: 'Webhook node', unit: 'per second', values: webhookSpeed },
				{ name: 'refused deliveries', unit: 'per second', values: refusedSpeed },
				{
					name: 'batched ÷ Webhook node',
					unit: '×',
					values: ratios(batchedSpeed, webhookSpeed),
					target: { atLeast },
				},
				{
					name: 'batched ÷ refused',
					unit: '×',
					values: ratios(batchedSpeed, refusedSpeed),
				},
				{
					name: "batched: n8n's CPU time for each event",
					unit: 'ms',
					values: of('batched', ({ cpuMs }) => cpuMs),
				},
				{
					name: "Webhook node: n8n's CPU time for each event",
					unit: 'ms',
					values: of('Webhook node', ({ cpuMs }) => cpuMs),
				},
				{
					name: 'events in an execution',
					unit: '',
					values: of('batched', ({ events, executions }) => events / executions),
				},
				{ name: 'response to a batched event, median', unit: 's', values: responses(0.5) },
				{
					name: 'response to a batched event, 99th percentile',
					unit: 's',
					values: responses(0.99),
				},
				{
					name: 'batched: lost',
					unit: 'events',
					values: count('batched', ({ lost }) => lost),
					target: NONE,
				},
				{
					name: 'batched: repeated',
					unit: 'events',
					values: count('batched', ({ repeated }) => repeated),
					target: NONE,
				},
				{
					name: 'forged: accepted, or ran',
					unit: 'events',
					values: count('refused', ({ accepted, executions }) => Math.max(accepted, executions)),
					target: NONE,
				},
			],
		},
	];
}

import type { OutreachHost } from '../host';
import { count, figure, quantile, ratio, sideBySide, type Scale, type Topic } from './figures';
import { measureRound, type Round } from './round';
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
	const load = { forMs: 2 * deliveryMs, senders: SENDERS };
	const timed = await sideBySide(variants(load), Math.ceil(rounds / 2));
	type Name = 'batched' | 'Webhook node' | 'refused';
	const of = (name: Name, value: (round: Round) => number) => timed(name).map(value);
	const ofAll = (name: Name, value: (round: Round) => number) =>
		[...warmUp(name), ...timed(name)].map(value);
	const batchedSpeed = of('batched', ({ perSecond }) => perSecond);
	const webhookSpeed = of('Webhook node', ({ perSecond }) => perSecond);
	const refusedSpeed = of('refused', ({ refusedPerSecond }) => refusedPerSecond);
	const response = (share: number) =>
		of('batched', ({ responseSeconds }) => quantile(responseSeconds, share));
	const cpu = (name: Name) =>
		figure(
			`${name}: n8n's CPU time for each event`,
			'ms',
			of(name, ({ cpuMs }) => cpuMs),
		);
	const wrong = (name: string, values: number[]) => count(name, 'events', values, 0);
	return [
		{
			title: `Batches of ${BATCH.maxEvents} events or ${BATCH.maxSeconds} s, ${SENDERS} senders, ${engine} expression engine`,
			figures: [
				figure('batched events', 'per second', batchedSpeed),
				figure('Webhook node', 'per second', webhookSpeed),
				figure('refused deliveries', 'per second', refusedSpeed),
				ratio('batched ÷ Webhook node', batchedSpeed, webhookSpeed),
				ratio('batched ÷ refused', batchedSpeed, refusedSpeed),
				cpu('batched'),
				cpu('Webhook node'),
				figure(
					'events in an execution',
					'',
					of('batched', ({ events, executions }) => events / executions),
				),
				figure('response to a batched event, median', 's', response(0.5)),
				figure('response to a batched event, 99th percentile', 's', response(0.99)),
				wrong(
					'batched: lost',
					ofAll('batched', ({ lost }) => lost),
				),
				wrong(
					'batched: repeated',
					ofAll('batched', ({ repeated }) => repeated),
				),
				wrong(
					'forged: accepted, or ran',
					ofAll('refused', ({ accepted, executions }) => Math.max(accepted, executions)),
				),
			],
		},
	];
}

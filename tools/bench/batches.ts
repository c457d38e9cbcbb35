import type { OutreachHost } from '../host';
import { count, figure, quantile, ratio, sideBySide, type Scale, type Topic } from './figures';
import { measureRound } from './round';
import { activateOurTrigger, activateWebhookNode } from './workflows';

const SENDERS = 200;
const BATCH = { maxEvents: 100, maxSeconds: 1 };
/** As many senders as fill a batch: otherwise it would mostly wait. */
const WARM_UP = { forMs: 1_000, senders: BATCH.maxEvents };

/**
 * A burst from many senders, about as many leads: to our trigger with Batch, of all leads and of each, to n8n's Webhook
 * node, and forged, so that our trigger refuses each delivery. A refusal is the least that a trigger can do with a delivery, so its speed is that of n8n's own route.
 */
export async function batches(
	host: OutreachHost,
	{ engine, rounds, deliveryMs }: Scale,
): Promise<Topic[]> {
	const batched = await activateOurTrigger(host, { batch: { values: BATCH } });
	const byLead = await activateOurTrigger(host, {
		batch: { values: { ...BATCH, groupBy: 'lead' } },
	});
	const webhookNode = await activateWebhookNode(host);
	const variants = (load: { forMs: number; senders: number }) =>
		[
			['batched', () => measureRound(host, batched, load)],
			['by lead', () => measureRound(host, byLead, load)],
			['Webhook node', () => measureRound(host, webhookNode, load)],
			['refused', () => measureRound(host, batched, { ...load, isForged: true })],
		] as const;
	// Not timed, because n8n and the nodes are still being compiled. Events lost here count.
	const warmUp = await sideBySide(variants(WARM_UP), 1);
	const load = { forMs: 2 * deliveryMs, senders: SENDERS };
	const timed = await sideBySide(variants(load), Math.ceil(rounds / 2));
	type Name = 'batched' | 'by lead' | 'Webhook node' | 'refused';
	const of = (name: Name, field: 'perSecond' | 'refusedPerSecond' | 'cpuMs') =>
		timed(name).map((round) => round[field]);
	const batchedSpeed = of('batched', 'perSecond');
	const byLeadSpeed = of('by lead', 'perSecond');
	const webhookSpeed = of('Webhook node', 'perSecond');
	const refusedSpeed = of('refused', 'refusedPerSecond');
	const response = (share: number) =>
		timed('batched').map(({ responseSeconds }) => quantile(responseSeconds, share));
	const perExecution = (name: Name) =>
		timed(name).map(({ events, executions }) => events / executions);
	const ofAll = (name: Name) => [...warmUp(name), ...timed(name)];
	const ours = [...ofAll('batched'), ...ofAll('by lead')];
	const lost = ours.map((round) => round.lost);
	const repeated = ours.map((round) => round.repeated);
	const forged = ofAll('refused').map(({ accepted, executions }) => Math.max(accepted, executions));
	const cpu = (name: Name) =>
		figure(`${name}: n8n's CPU time for each event`, 'ms', of(name, 'cpuMs'));
	return [
		{
			title: `Batches of ${BATCH.maxEvents} events or ${BATCH.maxSeconds} s, ${SENDERS} senders, ${engine} expression engine`,
			figures: [
				figure('batched events', 'per second', batchedSpeed),
				figure('batched by lead', 'per second', byLeadSpeed),
				figure('Webhook node', 'per second', webhookSpeed),
				figure('refused deliveries', 'per second', refusedSpeed),
				ratio('batched ÷ Webhook node', batchedSpeed, webhookSpeed),
				ratio('batched by lead ÷ Webhook node', byLeadSpeed, webhookSpeed),
				ratio('batched ÷ refused', batchedSpeed, refusedSpeed),
				cpu('batched'),
				cpu('Webhook node'),
				figure('events in an execution', '', perExecution('batched')),
				figure('events in an execution by lead', '', perExecution('by lead')),
				figure('response to a batched event, median', 's', response(0.5)),
				figure('response to a batched event, 99th percentile', 's', response(0.99)),
				count('batched: lost', 'events', lost, 0),
				count('batched: repeated', 'events', repeated, 0),
				count('forged: accepted, or ran', 'events', forged, 0),
			],
		},
	];
}

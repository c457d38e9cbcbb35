import { randomUUID } from 'node:crypto';
import { EVENT_TYPES } from '../../service';
import { waitFor } from '../../host';
import { pairedRounds } from '../measure/rounds';
import { newApiKey, serviceCredential, type BenchHost } from '../n8n/benchHost';
import { chain, noOperation, ourTrigger } from '../n8n/workflows';
import { row, type BenchRow } from '../report/row';
import type { Scale } from '../scale';

const TOPIC = 'Activation of our trigger';
const COUNTS = [1, 10, 50] as const;
/** How long to wait for further requests once all webhooks exist. */
const SETTLE_MS = 300;

interface Sample {
	seconds: number;
	requests: number;
}

/** Activates a new workflow with a new key, so that the full rate limit is available. */
async function activate(host: BenchHost, types: number): Promise<Sample> {
	const { server, service } = host;
	const apiKey = newApiKey(service);
	const before = service.hooks().length;
	const credential = await serviceCredential(host, apiKey);
	const events = EVENT_TYPES.slice(0, types);
	const { id } = await server.client.createWorkflow(
		chain(randomUUID(), [ourTrigger(credential, events), noOperation()]),
	);
	const startedAt = performance.now();
	await server.client.activateWorkflow(id);
	await waitFor(
		`${types} webhooks`,
		() => service.hooks().length - before,
		(count) => count >= types,
		{ timeoutMs: 60_000, everyMs: 5 },
	);
	const seconds = (performance.now() - startedAt) / 1000;
	await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
	return { seconds, requests: service.stats(apiKey).requests };
}

/** The time and the number of requests until the service has a webhook for each selected event type. */
export async function activationRows(
	host: BenchHost,
	{ deletionRounds }: Scale,
): Promise<BenchRow[]> {
	await activate(host, 1);
	const samples = await pairedRounds(
		COUNTS.map((types) => [String(types), () => activate(host, types)] as const),
		deletionRounds,
	);
	return COUNTS.flatMap((types) => {
		const name = `${types} event type${types === 1 ? '' : 's'}`;
		const of = samples(String(types));
		return [
			row(
				{ topic: TOPIC, name: `${name}: time`, unit: 's' },
				of.map(({ seconds }) => seconds),
			),
			// One request for the list, and one for each webhook.
			row(
				{
					topic: TOPIC,
					name: `${name}: requests`,
					unit: 'requests',
					target: { atMost: types + 1 },
				},
				of.map(({ requests }) => requests),
			),
		];
	});
}

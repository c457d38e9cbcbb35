import { createServer, type Server } from 'node:http';
import autocannon from 'autocannon';
import { request } from 'undici';
import { z } from 'zod';
import { row, type BenchRow } from '../report/row';
import type { Scale } from '../scale';
import { startServiceProcess, type ServiceProcess } from './serviceProcess';

const TOPIC = 'The local service';
const ROUNDS = 3;
const WEBHOOKS = 200;
const summary = z.object({ failed: z.number(), deliveriesPerSecond: z.number() });

/** The speed of the local service itself: other figures are meaningless if it is the bottleneck. */
export async function localServiceRows(scale: Scale): Promise<BenchRow[]> {
	return [await listing(scale), ...(await deliveries(scale))];
}

/** `GET /hooks` over ten connections, without a rate limit. */
async function listing({ serviceSeconds }: Scale): Promise<BenchRow> {
	const service = await startServiceProcess(
		...['--seed-hooks', String(WEBHOOKS), '--switch', 'rateLimit=off'],
	);
	try {
		const credential = Buffer.from(`:${service.apiKey}`).toString('base64');
		const headers = { authorization: `Basic ${credential}` };
		const options = { url: `${service.baseUrl}/hooks`, headers, connections: 10 };
		// Warm-up.
		await autocannon({ ...options, duration: 1 });
		const perSecond: number[] = [];
		for (let round = 0; round < ROUNDS; round++) {
			const result = await autocannon({ ...options, duration: serviceSeconds });
			perSecond.push(result['2xx'] / result.duration);
		}
		const name = `GET /hooks with ${WEBHOOKS} webhooks`;
		return row({ topic: TOPIC, name, unit: 'per second', target: { atLeast: 2000 } }, perSecond);
	} finally {
		await service.stop();
	}
}

/** Deliveries to a receiver in this process that responds immediately. */
async function deliveries({ serviceDeliveries: count }: Scale): Promise<BenchRow[]> {
	const service = await startServiceProcess();
	const receiver = createServer((incoming, response) => {
		incoming.resume();
		incoming.on('end', () => response.end());
	});
	try {
		const targetUrl = await listen(receiver);
		await postControl(service, '/hooks', { targetUrl, secret: 'a shared secret of some length' });
		const send = async (events: number) =>
			summary.parse(await postControl(service, '/events/many', { count: events, concurrency: 64 }));
		await send(1000);
		const sent = [];
		for (let round = 0; round < ROUNDS; round++) sent.push(await send(count));
		const name = 'deliveries to a receiver that responds immediately';
		return [
			row(
				{ topic: TOPIC, name, unit: 'per second', target: { atLeast: 1000 } },
				sent.map(({ deliveriesPerSecond }) => deliveriesPerSecond),
			),
			row(
				{ topic: TOPIC, name: 'failed deliveries', unit: 'deliveries', target: { atMost: 0 } },
				// In all rounds: a median would hide those of one.
				[sent.reduce((total, { failed }) => total + failed, 0)],
			),
		];
	} finally {
		await service.stop();
		receiver.closeAllConnections();
		receiver.close();
	}
}

async function listen(server: Server): Promise<string> {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('The server has no port');
	return `http://127.0.0.1:${address.port}/`;
}

async function postControl(service: ServiceProcess, path: string, body: object): Promise<unknown> {
	const response = await request(`${service.controlUrl}${path}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	return response.body.json();
}

import { createServer } from 'node:http';
import autocannon from 'autocannon';
import { request } from 'undici';
import { z } from 'zod';
import { startServiceProcess, type ServiceProcess } from './serviceProcess';

/** One figure. */
export interface BenchResult {
	name: string;
	perSecond: number;
	/** What is wanted at least. */
	wanted: number;
	details: Record<string, number>;
}

const SECONDS = 5;
const HOOKS = 200;
const DELIVERIES = 10_000;
const summary = z.object({
	delivered: z.number(),
	failed: z.number(),
	ms: z.number(),
	deliveriesPerSecond: z.number(),
});

/** How many `GET /hooks` a second the local service answers with 200 hooks and the limit off, from ten connections. */
export async function benchListing(): Promise<BenchResult> {
	const service = await startServiceProcess(
		...['--seed-hooks', String(HOOKS), '--switch', 'rateLimit=off'],
	);
	try {
		const credential = Buffer.from(`:${service.apiKey}`).toString('base64');
		const headers = { authorization: `Basic ${credential}` };
		const url = `${service.baseUrl}/hooks`;
		// The first second or two go to compiling.
		await autocannon({ url, headers, connections: 10, duration: 2 });
		const result = await autocannon({ url, headers, connections: 10, duration: SECONDS });
		return {
			name: `GET /hooks with ${HOOKS} hooks`,
			perSecond: Math.round(result.requests.average),
			wanted: 2000,
			details: {
				answered: result['2xx'],
				failed: result.non2xx + result.errors,
				medianMs: result.latency.p50,
				p99Ms: result.latency.p99,
			},
		};
	} finally {
		await service.stop();
	}
}

/** How many deliveries a second the local service makes to a receiver that answers at once, in this process. */
export async function benchDeliveries(): Promise<BenchResult> {
	const service = await startServiceProcess();
	const receiver = createServer((incoming, response) => {
		incoming.resume();
		incoming.on('end', () => response.end());
	});
	try {
		await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
		const address = receiver.address();
		if (address === null || typeof address === 'string') throw new Error('No address');
		const targetUrl = `http://127.0.0.1:${address.port}/`;
		await postControl(service, '/hooks', { targetUrl, secret: 'a shared secret of some length' });
		const send = async (count: number) =>
			summary.parse(await postControl(service, '/events/many', { count, concurrency: 64 }));
		await send(2000);
		const { deliveriesPerSecond, ...details } = await send(DELIVERIES);
		return {
			name: `${DELIVERIES} deliveries to a receiver that answers at once`,
			perSecond: deliveriesPerSecond,
			wanted: 1000,
			details,
		};
	} finally {
		await service.stop();
		receiver.closeAllConnections();
		receiver.close();
	}
}

async function postControl(service: ServiceProcess, path: string, body: object): Promise<unknown> {
	const answer = await request(`${service.controlUrl}${path}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	return answer.body.json();
}

/** Both figures of the local service, one after the other. */
export async function benchService(): Promise<BenchResult[]> {
	return [await benchListing(), await benchDeliveries()];
}

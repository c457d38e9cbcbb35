/**
 * A response costs a bounded amount of memory and time. The world is a local service, the action node in one process of
 * n8n, and servers at target URLs.
 */
import { useRealTime } from '../../clock';
import { byId } from '../support/action';
import { useTargets } from '../support/targets';
import { useWorld } from '../support/world';

// Reading hundreds of megabytes takes real time.
useRealTime();
const world = useWorld();
const targets = useTargets();

const MB = 1024 * 1024;
const TOO_LARGE = 'The response is too large';

/** How many bytes of heap and buffers a run needs at the most, beyond what it keeps. */
async function memoryOf(run: () => Promise<unknown>): Promise<number> {
	const used = () => process.memoryUsage().rss;
	const before = used();
	let most = before;
	const timer = setInterval(() => {
		most = Math.max(most, used());
	}, 5);
	await run();
	clearInterval(timer);
	return Math.max(most, used()) - before;
}

/** A server that sends 300 MB with a status. @returns its URL, and how many of them it has not sent */
async function startFlood(status: number) {
	const block = 'x'.repeat(MB);
	let left = 300;
	const { url } = await targets.start((response) => {
		response.writeHead(status);
		const next = (): void => {
			while (left > 0 && !response.destroyed) {
				left -= 1;
				if (!response.write(block)) return;
			}
			response.end();
		};
		response.on('drain', next);
		next();
	});
	return { url, left: () => left };
}

describe('A long response', () => {
	it('is not read to its end', async () => {
		const { url, left } = await startFlood(400);
		const memory = await memoryOf(async () => {
			const { message } = await world.fail(
				'getAll',
				{},
				{ credential: { baseUrl: url, apiKey: 'k' } },
			);
			expect(message).toMatch(/refused the request with status 400: "x{199}…"$/);
		});
		expect(memory).toBeLessThan(150 * MB);
		expect(left()).toBeGreaterThan(200);
	});

	it('that is compressed takes no more memory than its limit', async () => {
		const fault = { kind: 'status', status: 200, gzipBytes: 200 * MB } as const;
		world.service.addFault(fault);
		const memory = await memoryOf(async () => {
			expect((await world.fail('getAll')).description).toMatch(TOO_LARGE);
		});
		// Read whole, it takes several times its length. The service alone takes most of this.
		expect(memory).toBeLessThan(200 * MB);
	});

	it('is not read to its end by the credential test either', async () => {
		world.service.addFault({ kind: 'status', status: 200, gzipBytes: 20 * MB });
		const { message } = await world.testCredential();
		expect(message).toContain(TOO_LARGE);
	});

	it('of almost 16 MB is read whole', async () => {
		const webhook = { _id: 'hoo_1', targetUrl: 'https://crm.test/in', note: 'ü'.repeat(7.9 * MB) };
		world.service.addFault({
			kind: 'status',
			status: 200,
			body: JSON.stringify([webhook]),
			contentType: 'application/json',
		});
		const [item] = await world.run('getAll');
		expect(item?.json).toEqual(webhook);
	});

	it('of a target URL costs nothing', async () => {
		const { url } = await startFlood(500);
		const { _id } = world.addWebhook({ targetUrl: `${url}/in` });
		const memory = await memoryOf(async () => {
			const [checked] = await world.run('check');
			expect(checked?.json).toMatchObject({ target: 'unknown' });
			const [sent] = await world.run('sendTest', { webhookId: byId(_id) });
			expect(sent?.json).toMatchObject({ status: 500 });
		});
		expect(memory).toBeLessThan(100 * MB);
	});
});

it('A byte order mark and characters that are cut between two packets are read', async () => {
	const { url } = await targets.start((response) => {
		const body = Buffer.from(
			`\ufeff${JSON.stringify([{ _id: 'hoo_ü😀', targetUrl: 'https://crm.test' }])}`,
		);
		response.writeHead(200, { 'content-type': 'application/json' });
		const send = (at: number): void => {
			if (at >= body.length) response.end();
			else response.write(body.subarray(at, at + 1), () => setImmediate(() => send(at + 1)));
		};
		send(0);
	});
	const [item] = await world.run('getAll', {}, { credential: { baseUrl: url, apiKey: 'key' } });
	expect(item?.json._id).toBe('hoo_ü😀');
});

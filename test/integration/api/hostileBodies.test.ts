/**
 * No more is read of a response than its limit. The world is a local service, the action node in one process of
 * n8n, and servers at target URLs.
 */
import { PassThrough, pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';

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

/** A server that sends 300 MB. @returns its URL, and how many of them it has not sent */
async function startFlood(status: number, { isCompressed = false } = {}) {
	const block = Buffer.alloc(MB, 'x');
	let left = 300;
	function* blocks() {
		for (; left > 0; left -= 1) yield block;
	}
	const { url } = await targets.start((response) => {
		response.writeHead(status, isCompressed ? { 'content-encoding': 'gzip' } : {});
		// Level 0 sends as many bytes as without compression: else, all would be on their way at once.
		const encoding = isCompressed ? createGzip({ level: 0 }) : new PassThrough();
		pipeline(Readable.from(blocks()), encoding, response, () => undefined);
	});
	return { url, left: () => left };
}

describe('A long response', () => {
	it.each([
		[400, {}, /refused the request with status 400: "x{199}…"$/],
		[200, {}, TOO_LARGE],
		[200, { isCompressed: true }, TOO_LARGE],
	])('with status %d and %j is not read to its end', async (status, options, said) => {
		const { url, left } = await startFlood(status, options);
		const credential = { baseUrl: url, apiKey: 'k' };
		const { message, description } = await world.fail('getAll', {}, { credential });
		expect(`${description} ${message}`).toMatch(said);
		expect(left()).toBeGreaterThan(200);
	});

	it('counts as long as it is without compression', async () => {
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

	it('of a target URL is not read', async () => {
		const { url, left } = await startFlood(500);
		const { _id } = world.addWebhook({ targetUrl: `${url}/in` });
		const [checked] = await world.run('check');
		expect(checked?.json).toMatchObject({ target: 'unknown' });
		const [sent] = await world.run('sendTest', { webhookId: byId(_id) });
		expect(sent?.json).toMatchObject({ status: 500 });
		expect(left()).toBeGreaterThan(200);
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

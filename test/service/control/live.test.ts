import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { callApi } from '../testing/apiClient';
import { receiver, serviceWithControl } from '../testing/fixture';
import type { RunningService } from '../../../tools/service/index';

/** Reads the stream of the page. @returns a function that waits for the next update with `part` */
async function follow(running: RunningService) {
	const stream = await new Promise<IncomingMessage>((resolve, reject) => {
		get(`${running.controlUrl}/live`, resolve).on('error', reject);
	});
	const lines = createInterface(stream)[Symbol.asyncIterator]();
	return async (part: string): Promise<unknown> => {
		for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
			if (!line.value.startsWith('data: ')) continue;
			const update: unknown = JSON.parse(line.value.slice('data: '.length));
			if (typeof update === 'object' && update !== null && part in update) return update;
		}
		return 'the stream has ended';
	};
}

describe('GET /live', () => {
	it('starts with the whole state', async () => {
		const running = await serviceWithControl({ seedHooks: 3 });
		const next = await follow(running);
		expect(await next('hooks')).toMatchObject({
			hookCount: 3,
			hooks: running.hooks(),
			switches: running.switches,
			faults: [],
			ledger: [],
			attempts: 0,
			requests: [],
			requestCount: 0,
		});
	});

	it('sends each change of webhooks, switches, faults and deliveries', async () => {
		const target = await receiver();
		const running = await serviceWithControl();
		const next = await follow(running);
		await next('hooks');

		running.addHook({ targetUrl: target.url, secret: 'hush' });
		const hooks = await next('hooks');
		expect(hooks).toMatchObject({ hookCount: 1, hooks: [{ hasSecret: true }] });
		expect(JSON.stringify(hooks)).not.toContain('hush');

		running.setSwitches({ createStatus: 201 });
		expect(await next('switches')).toMatchObject({ switches: { createStatus: 201 } });

		running.addFault({ kind: 'cut' });
		expect(await next('faults')).toMatchObject({ faults: [{ fault: { kind: 'cut' } }] });

		await running.emit({ type: 'paused' });
		expect(await next('newEntries')).toMatchObject({
			attempts: 1,
			newEntries: [{ type: 'paused', status: 200 }],
		});
	});

	it('sends each API request as it arrives and again when it has ended, without key, query and body', async () => {
		const running = await serviceWithControl();
		const next = await follow(running);
		await next('requests');
		running.addFault({ kind: 'delay', delayMs: 400 });
		const path = `/hooks?secret=hush&key=${running.apiKey}`;
		const response = callApi(running, 'POST', path, { body: { secret: 'hush' } });
		expect(await next('newRequests')).toMatchObject({
			requestCount: 1,
			newRequests: [{ id: 1, method: 'POST', path: '/hooks', faults: ['delay'] }],
		});
		await response;
		const ended = await next('newRequests');
		expect(ended).toMatchObject({ requestCount: 1, newRequests: [{ id: 1, status: 400 }] });
		expect(ended).toHaveProperty('newRequests.0.ms', expect.any(Number));
		expect(JSON.stringify(ended)).not.toMatch(/hush|local-/);
	});

	it('sends a client that connects again nothing twice', async () => {
		const target = await receiver();
		const running = await serviceWithControl();
		running.addHook({ targetUrl: target.url });
		const first = await follow(running);
		await first('ledger');
		await running.emit({ type: 'paused' });
		// Before the next tick: the ledger that it gets has the delivery, and no update must repeat it.
		const second = await follow(running);
		expect(await second('ledger')).toMatchObject({ ledger: [{ type: 'paused' }], attempts: 1 });
		await running.emit({ type: 'resumed' });
		expect(await second('newEntries')).toMatchObject({ newEntries: [{ type: 'resumed' }] });
		expect(await first('newEntries')).toMatchObject({ newEntries: [{ type: 'paused' }] });
	});

	it('sends the newest entries of a long list, with the total count', async () => {
		const running = await serviceWithControl({ seedHooks: 500 });
		const next = await follow(running);
		expect(await next('hooks')).toMatchObject({
			hookCount: 500,
			hooks: running.hooks().slice(-200),
		});
	});

	it('ends when the service stops, without delaying it', async () => {
		const running = await serviceWithControl();
		const next = await follow(running);
		await next('hooks');
		await running.close();
		await expect(next('never').catch(() => 'the stream has ended')).resolves.toBe(
			'the stream has ended',
		);
	});
});

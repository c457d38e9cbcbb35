import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { receiver, service } from '../testing/fixture';
import type { RunningService } from '../../../tools/service/index';

/** Reads what the page reads; each call of the function it gives waits for the next news that has `part`. */
async function follow(running: RunningService) {
	const stream = await new Promise<IncomingMessage>((resolve, reject) => {
		get(`${running.controlUrl}/live`, resolve).on('error', reject);
	});
	const lines = createInterface(stream)[Symbol.asyncIterator]();
	return async (part: string): Promise<unknown> => {
		for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
			if (!line.value.startsWith('data: ')) continue;
			const news: unknown = JSON.parse(line.value.slice('data: '.length));
			if (typeof news === 'object' && news !== null && part in news) return news;
		}
		return 'the stream has ended';
	};
}

describe('what the page is told while it is open', () => {
	it('first the whole state', async () => {
		const running = await service({ seedHooks: 3 });
		const next = await follow(running);
		expect(await next('hooks')).toMatchObject({
			hookCount: 3,
			hooks: running.hooks(),
			switches: running.switches,
			faults: [],
			ledger: [],
			attempts: 0,
		});
	});

	it('then each change: hooks, switches, faults, figures and deliveries', async () => {
		const target = await receiver();
		const running = await service();
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

	it('of a long list the newest, with the count of all', async () => {
		const running = await service({ seedHooks: 500 });
		const next = await follow(running);
		expect(await next('hooks')).toMatchObject({
			hookCount: 500,
			hooks: running.hooks().slice(-200),
		});
	});

	it('until the service stops, which an open page does not hold up', async () => {
		const running = await service();
		const next = await follow(running);
		await next('hooks');
		await running.close();
		await expect(next('never').catch(() => 'the stream has ended')).resolves.toBe(
			'the stream has ended',
		);
	});
});

import { startService, type RunningService } from '../service';
import { TriggerHost } from './support/trigger';

let service: RunningService;
let hosts: TriggerHost[] = [];

beforeEach(async () => {
	service = await startService();
});
afterEach(async () => {
	await Promise.all(hosts.map(async (host) => await host.stop()));
	hosts = [];
	await service.close();
});

async function trigger(
	...args: Parameters<typeof TriggerHost.start> extends [unknown, ...infer R] ? R : never
) {
	const host = await TriggerHost.start(service, ...args);
	hosts.push(host);
	return host;
}

const requestsSince = (at: number) =>
	service.requests
		.slice(at)
		.map(({ method, path }) => `${method} ${path.replace(/hoo_.*/, ':id')}`);

describe('Activation', () => {
	it('registers one webhook for each event, with a secret, and removes them on deactivation', async () => {
		const host = await trigger({ events: ['emailsReplied', 'dialerEnded'] });
		await host.activate();
		expect(service.hooks()).toEqual([
			expect.objectContaining({ type: 'emailsReplied', hasSecret: true }),
			expect.objectContaining({ type: 'dialerEnded', hasSecret: true }),
		]);
		await host.deactivate();
		expect(service.hooks()).toEqual([]);
	});

	it('asks once, and once more for each webhook that it makes or removes', async () => {
		const host = await trigger({ events: ['emailsReplied', 'dialerEnded'] });
		await host.activate();
		expect(requestsSince(0)).toEqual(['GET /hooks', 'POST /hooks', 'POST /hooks']);
		const at = service.requests.length;
		await host.activate();
		expect(requestsSince(at)).toEqual(['GET /hooks']);
	});
});

describe('A delivery', () => {
	it('starts the workflow with the activity, without the secret', async () => {
		const host = await trigger({ events: ['emailsReplied'] });
		await host.activate();
		const [attempt] = await service.emit({ type: 'emailsReplied', subject: 'Hi' });
		expect(attempt).toMatchObject({ status: 200 });
		expect(host.started).toHaveLength(1);
		expect(host.started[0]?.json).toMatchObject({
			type: 'emailsReplied',
			subject: 'Hi',
			_id: attempt?.activityId,
		});
		expect(host.started[0]?.json).not.toHaveProperty('secret');
	});
});

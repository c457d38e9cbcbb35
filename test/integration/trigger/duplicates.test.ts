import { World } from './world';

let world: World;
beforeEach(async () => {
	world = await World.start();
});
afterEach(async () => {
	await world.end();
});

const activity = { type: 'emailsReplied', _id: 'act_same' };

describe('An activity that is delivered again', () => {
	it('runs once, and is answered with 200', async () => {
		const host = await world.trigger(['emailsReplied']);
		await host.activate();
		await world.service.emit(activity);
		const [again] = await world.service.emit(activity);
		expect(again?.status).toBe(200);
		expect(host.started).toHaveLength(1);
	});

	it('while the first copy is under way waits for its fate', async () => {
		const host = await world.trigger(['emailsReplied']);
		await host.activate();
		let taking = 0;
		host.takes = async () => {
			taking += 1;
			await new Promise((resolve) => setTimeout(resolve, 100));
			return 200;
		};
		const attempts = await world.service.emit(activity, { copies: 5 });
		expect(attempts.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
		expect([taking, host.started.length]).toEqual([1, 1]);
	});

	it('runs after all when n8n could not take the first copy', async () => {
		const host = await world.trigger(['emailsReplied']);
		await host.activate();
		const answers = [500, 500, 200];
		host.takes = () => answers.shift() ?? 200;
		const attempts = await world.service.emit(activity, { copies: 4 });
		expect(attempts.map(({ status }) => status).sort()).toEqual([200, 200, 500, 500]);
		expect(host.started).toHaveLength(1);
	});

	it('runs once when the sender gave up waiting for the first copy', async () => {
		world.service.setSwitches({ deliveryTimeoutMs: 200, redeliveries: 5, redeliveryDelayMs: 50 });
		const host = await world.trigger(['emailsReplied']);
		await host.activate();
		// n8n is still at it when the next copy comes.
		host.takes = async () => {
			while (host.bodies.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
			return 200;
		};
		const attempts = await world.service.emit(activity);
		expect(attempts.length).toBeGreaterThan(1);
		expect(attempts.at(-1)?.status).toBe(200);
		expect(host.started).toHaveLength(1);
	});

	it('runs again for another subscription, another workflow, and in a test run', async () => {
		const host = await world.trigger(['emailsReplied', 'warmed']);
		await host.activate();
		const other = await world.trigger(['emailsReplied']);
		await other.activate();
		const test = await world.trigger(['emailsReplied'], {}, { mode: 'manual' });
		await test.activate('manual');
		await world.service.emit(activity);
		await world.service.emit(activity);
		expect(host.started).toHaveLength(2);
		expect(other.started).toHaveLength(1);
		expect(test.started).toHaveLength(2);
	});

	it('runs each time when duplicates are wanted', async () => {
		const host = await world.trigger(['emailsReplied'], { ignoreDuplicates: false });
		await host.activate();
		await world.service.emit(activity);
		await world.service.emit(activity);
		expect(host.started).toHaveLength(2);
	});

	it('runs each time when it has no ID, or one of a wrong type', async () => {
		const host = await world.trigger(['emailsReplied']);
		await host.activate();
		for (const _id of [undefined, '', 42, null]) {
			const body = { teamId: 'tea_1', type: 'emailsReplied', _id } as never;
			await world.service.emit(body, {
				exact: true,
				copies: 2,
				team: world.service.hooks()[0]!.team,
			});
		}
		expect(host.started).toHaveLength(8);
	});
});

describe('A thousand deliveries, some of them doubled, forged, malformed, out of order', () => {
	it('run exactly once each if genuine, and not at all otherwise', async () => {
		// All at once on a busy machine: the sender is to be patient, so that none is sent again.
		world.service.setSwitches({ deliveryTimeoutMs: 25_000 });
		const host = await world.trigger(['*']);
		await host.activate();
		const { targetUrl } = world.service.hooks()[0]!;
		host.takes = async () => {
			await new Promise((resolve) => setTimeout(resolve, 2));
			return 200;
		};
		const genuine = Array.from({ length: 700 }, (_, index) => ({
			type: 'emailsOpened',
			_id: `act_${index}`,
		}));
		const bad = async (body: string) =>
			(
				await fetch(targetUrl, {
					method: 'POST',
					headers: { 'content-type': 'application/json' },
					body,
				})
			).status;
		const forged = Array.from({ length: 100 }, async (_, index) =>
			bad(JSON.stringify({ type: 'emailsOpened', _id: `act_f${index}`, secret: 'guess' })),
		);
		const malformed = Array.from({ length: 50 }, async (_, index) =>
			bad(['[]', '{"a":', '"x"', '', '{}'][index % 5]!),
		);
		const summary = await world.service.emitMany(genuine, { order: 'shuffled', double: 300 / 700 });
		expect(summary).toMatchObject({ events: 700, deliveries: 1000, failed: 0 });
		expect(new Set(await Promise.all(forged))).toEqual(new Set([401]));
		expect((await Promise.all(malformed)).every((status) => status === 401 || status === 422)).toBe(
			true,
		);
		const ids = host.started.map(({ json }) => json._id).sort();
		expect(ids).toEqual(genuine.map(({ _id }) => _id).sort());
	});
});

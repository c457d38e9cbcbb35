import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { runtime } from '../support/n8n';
import type { TriggerHost } from '../support/trigger';
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

	it('while the first copy is under way waits for its outcome', async () => {
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

describe('All Events', () => {
	it('run the workflow for each event of one activity', async () => {
		const host = await world.trigger(['*']);
		await host.activate();
		for (const type of ['emailsReplied', 'warmed', 'interested', 'warmed'] as const) {
			await world.service.emit({ ...activity, type });
		}
		const types = host.started.map(({ json }) => json.type);
		expect(types).toEqual(['emailsReplied', 'warmed', 'interested']);
	});
});

/** Sends a copy of the activity, with a sender that disconnects after so many milliseconds. */
async function copy(
	timeoutMs = 5_000,
	_id = activity._id,
): Promise<{ status: number; retryAfter: string | null } | undefined> {
	return await fetch(world.service.hooks()[0]!.targetUrl, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ ...activity, _id }),
		signal: AbortSignal.timeout(timeoutMs),
	}).then(
		({ status, headers }) => ({ status, retryAfter: headers.get('retry-after') }),
		() => undefined,
	);
}

/** Waits for something that takes milliseconds; far beyond the bounds of the node, the test has failed. */
async function until(condition: () => boolean): Promise<void> {
	const since = performance.now();
	while (!condition()) {
		expect(performance.now() - since).toBeLessThan(3_000);
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
}

/** An active trigger whose n8n queues each execution until the test gives it a status. */
async function queueing(): Promise<{ host: TriggerHost; queue: Array<(status: number) => void> }> {
	const host = await world.trigger(['emailsReplied'], { verifySecret: false });
	await host.activate();
	const queue: Array<(status: number) => void> = [];
	host.takes = async () => await new Promise((resolve) => queue.push(resolve));
	return { host, queue };
}

describe('While n8n queues the execution of the first copy', () => {
	it.each([
		[200, 200, 1],
		[500, 200, 1],
	])(
		'senders that time out leave nothing open when n8n responds with %d: the next copy gets %d',
		async (status, expected, runs) => {
			const { host, queue } = await queueing();
			expect(await Promise.all([copy(100), copy(150), copy(200)])).toEqual(
				Array(3).fill(undefined),
			);
			expect(queue).toHaveLength(1);
			queue[0]?.(status);
			await until(() => host.underWay === 0 && runtime.stats().claimedActivities === 0);
			host.takes = () => 200;
			expect(await copy()).toEqual({ status: expected, retryAfter: null });
			expect(host.started).toHaveLength(runs);
			expect(runtime.stats()).toMatchObject({ claimedActivities: 0, waitingDuplicates: 0 });
		},
	);

	it('the next copy claims it whose sender is still there', async () => {
		const { host, queue } = await queueing();
		const first = copy();
		await until(() => queue.length === 1);
		const impatient = copy(100);
		await until(() => runtime.stats().waitingDuplicates === 1);
		const patient = copy();
		await until(() => runtime.stats().waitingDuplicates === 2);
		expect(await impatient).toBeUndefined();
		await until(() => runtime.stats().waitingDuplicates === 1);
		queue[0]?.(500);
		await until(() => queue.length === 2);
		queue[1]?.(200);
		expect([(await first)?.status, (await patient)?.status]).toEqual([500, 200]);
		expect(host.started).toHaveLength(1);
	});

	it('a few copies wait, and the others are asked to retry later', async () => {
		const { host, queue } = await queueing();
		const copies = Array.from({ length: 25 }, async () => await copy());
		const refused = await Promise.race([Promise.any(copies), Promise.all(copies)]);
		expect(refused).toEqual({ status: 503, retryAfter: '10' });
		await until(() => host.answers.length === 4);
		expect(runtime.stats()).toMatchObject({ claimedActivities: 1, waitingDuplicates: 20 });
		queue[0]?.(200);
		const statuses = (await Promise.all(copies)).map((one) => one?.status).sort();
		expect(statuses).toEqual([...Array<number>(21).fill(200), ...Array<number>(4).fill(503)]);
		expect(host.started).toHaveLength(1);
	});

	it('and the execution is cancelled, so that n8n never responds, a later copy can run', async () => {
		const { host } = await queueing();
		host.takes = async () => await new Promise<never>(() => undefined);
		expect(await copy(50)).toBeUndefined();
		host.takes = () => 200;
		const later = copy();
		await until(() => runtime.stats().waitingDuplicates === 1);
		setFlagsFromString('--expose-gc');
		(runInNewContext('gc') as () => void)();
		expect((await later)?.status).toBe(200);
		expect(host.started).toHaveLength(1);
	});
});

it('Sixty activities with an ID of 4 MB leave nothing of it in memory', async () => {
	const host = await world.trigger(['emailsReplied'], { verifySecret: false });
	await host.activate();
	setFlagsFromString('--expose-gc');
	const collectGarbage = runInNewContext('gc') as () => void;
	const heapMb = (): number => {
		host.bodies.length = 0;
		host.started.length = 0;
		collectGarbage();
		return process.memoryUsage().heapUsed / 1024 / 1024;
	};
	const remembered = runtime.stats().rememberedActivities;
	await copy();
	const before = heapMb();
	for (let n = 0; n < 60; n += 1) {
		expect(await copy(5_000, `${n}`.padEnd(4_000_000, 'x'))).toMatchObject({ status: 200 });
		host.bodies.length = 0;
		host.started.length = 0;
	}
	expect(runtime.stats().rememberedActivities - remembered).toBe(61);
	expect(heapMb() - before).toBeLessThan(40);
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

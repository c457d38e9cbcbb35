import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { TriggerHost } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();
const stats = () => world.n8n.runtime.stats();

const activity = { type: 'emailsReplied', _id: 'act_same' };

describe('An activity that is delivered again', () => {
	it('runs once and gets a 200', async () => {
		const host = await world.activeTrigger(['emailsReplied']);
		await world.service.emit(activity);
		const [duplicate] = await world.service.emit(activity);
		expect(duplicate?.status).toBe(200);
		expect(host.started).toHaveLength(1);
	});

	it('waits for the outcome of the first copy while n8n handles it', async () => {
		const host = await world.activeTrigger(['emailsReplied']);
		let executions = 0;
		host.respond = async () => {
			executions += 1;
			await new Promise((resolve) => setTimeout(resolve, 100));
			return 200;
		};
		const attempts = await world.service.emit(activity, { copies: 5 });
		expect(attempts.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
		expect([executions, host.started.length]).toEqual([1, 1]);
	});

	it('runs when n8n failed to start the first copy', async () => {
		const host = await world.activeTrigger(['emailsReplied']);
		const statuses = [500, 500, 200];
		host.respond = () => statuses.shift() ?? 200;
		const attempts = await world.service.emit(activity, { copies: 4 });
		expect(attempts.map(({ status }) => status).sort()).toEqual([200, 200, 500, 500]);
		expect(host.started).toHaveLength(1);
	});

	it('runs once when the sender timed out while n8n handled the first copy', async () => {
		world.service.setSwitches({ deliveryTimeoutMs: 200, redeliveries: 5, redeliveryDelayMs: 50 });
		const host = await world.activeTrigger(['emailsReplied']);
		// n8n still handles the first copy when the next one arrives.
		host.respond = async () => {
			while (host.bodies.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
			return 200;
		};
		const attempts = await world.service.emit(activity);
		expect(attempts.length).toBeGreaterThan(1);
		expect(attempts.at(-1)?.status).toBe(200);
		expect(host.started).toHaveLength(1);
	});

	it('runs again for another subscription, another workflow, and in a test run', async () => {
		const host = await world.activeTrigger(['emailsReplied', 'warmed']);
		const other = await world.activeTrigger(['emailsReplied']);
		const test = await world.activeTrigger(['emailsReplied'], {}, { mode: 'manual' });
		await world.service.emit(activity);
		await world.service.emit(activity);
		expect(host.started).toHaveLength(2);
		expect(other.started).toHaveLength(1);
		expect(test.started).toHaveLength(2);
	});

	it('runs each time with Ignore Duplicates off', async () => {
		const host = await world.activeTrigger(['emailsReplied'], { ignoreDuplicates: false });
		await world.service.emit(activity);
		await world.service.emit(activity);
		expect(host.started).toHaveLength(2);
	});

	it('runs each time when its ID is missing or has the wrong type', async () => {
		const host = await world.activeTrigger(['emailsReplied']);
		for (const _id of [undefined, '', 42, null]) {
			const body = { teamId: 'tea_1', type: 'emailsReplied', _id } as never;
			await world.service.emit(body, {
				exact: true,
				copies: 2,
				team: world.webhooks[0]!.team,
			});
		}
		expect(host.started).toHaveLength(8);
	});
});

describe('All Events', () => {
	it('run the workflow for each event of one activity', async () => {
		const host = await world.activeTrigger(['*']);
		for (const type of ['emailsReplied', 'warmed', 'interested', 'warmed'] as const) {
			await world.service.emit({ ...activity, type });
		}
		const types = host.started.map(({ json }) => json.type);
		expect(types).toEqual(['emailsReplied', 'warmed', 'interested']);
	});
});

/** Sends a copy of the activity. @param timeoutMs when the sender disconnects, in milliseconds */
async function sendCopy(
	timeoutMs = 5_000,
	_id = activity._id,
): Promise<{ status: number; retryAfter: string | null } | undefined> {
	return await fetch(world.webhooks[0]!.targetUrl, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ ...activity, _id }),
		signal: AbortSignal.timeout(timeoutMs),
	}).then(
		({ status, headers }) => ({ status, retryAfter: headers.get('retry-after') }),
		() => undefined,
	);
}

/** Far beyond any limit of the node, in milliseconds. */
const DECIDED_MS = 3_000;

/** An active trigger in an n8n that queues each execution until the test gives it a status. */
async function queueingTrigger(): Promise<{
	host: TriggerHost;
	queue: Array<(status: number) => void>;
}> {
	const host = await world.activeTrigger(['emailsReplied'], { verifySecret: false });
	const queue: Array<(status: number) => void> = [];
	host.respond = async () => await new Promise((resolve) => queue.push(resolve));
	return { host, queue };
}

describe('While n8n queues the execution of the first copy', () => {
	it.each([
		[200, 200, 1],
		[500, 200, 1],
	])(
		'senders that time out leave nothing open when n8n responds with %d, and the next copy gets a %d',
		async (status, expected, runs) => {
			const { host, queue } = await queueingTrigger();
			expect(await Promise.all([sendCopy(500), sendCopy(550), sendCopy(600)])).toEqual(
				Array(3).fill(undefined),
			);
			expect(queue).toHaveLength(1);
			// n8n notices a little later than the senders that they are gone.
			await until(() => stats().waitingDuplicates === 0, DECIDED_MS);
			queue[0]?.(status);
			await until(() => host.pending === 0 && stats().claimedActivities === 0, DECIDED_MS);
			host.respond = () => 200;
			expect(await sendCopy()).toEqual({ status: expected, retryAfter: null });
			expect(host.started).toHaveLength(runs);
			expect(stats()).toMatchObject({ claimedActivities: 0, waitingDuplicates: 0 });
		},
	);

	it('the next copy whose sender is still connected runs if the first one fails', async () => {
		const { host, queue } = await queueingTrigger();
		const first = sendCopy();
		await until(() => queue.length === 1, DECIDED_MS);
		const impatient = sendCopy(500);
		await until(() => stats().waitingDuplicates === 1, DECIDED_MS);
		const patient = sendCopy();
		await until(() => stats().waitingDuplicates === 2, DECIDED_MS);
		expect(await impatient).toBeUndefined();
		await until(() => stats().waitingDuplicates === 1, DECIDED_MS);
		queue[0]?.(500);
		await until(() => queue.length === 2, DECIDED_MS);
		queue[1]?.(200);
		expect([(await first)?.status, (await patient)?.status]).toEqual([500, 200]);
		expect(host.started).toHaveLength(1);
	});

	it('20 copies wait, and the senders of the others are asked to retry later', async () => {
		const { host, queue } = await queueingTrigger();
		const copies = Array.from({ length: 25 }, async () => await sendCopy());
		const refused = await Promise.race([Promise.any(copies), Promise.all(copies)]);
		expect(refused).toEqual({ status: 503, retryAfter: '10' });
		await until(() => host.statuses.length === 4, DECIDED_MS);
		expect(stats()).toMatchObject({ claimedActivities: 1, waitingDuplicates: 20 });
		queue[0]?.(200);
		const statuses = (await Promise.all(copies)).map((one) => one?.status).sort();
		expect(statuses).toEqual([...Array<number>(21).fill(200), ...Array<number>(4).fill(503)]);
		expect(host.started).toHaveLength(1);
	});
});

it('Fifteen activities with IDs of 4 MB do not stay in memory', async () => {
	const host = await world.activeTrigger(['emailsReplied'], { verifySecret: false });
	setFlagsFromString('--expose-gc');
	const collectGarbage = runInNewContext('gc') as () => void;
	const heapMb = (): number => {
		host.bodies.length = 0;
		host.started.length = 0;
		collectGarbage();
		return process.memoryUsage().heapUsed / 1024 / 1024;
	};
	await sendCopy();
	const before = heapMb();
	for (let n = 0; n < 15; n += 1) {
		expect(await sendCopy(5_000, `${n}`.padEnd(4_000_000, 'x'))).toMatchObject({ status: 200 });
		host.bodies.length = 0;
		host.started.length = 0;
	}
	expect(stats().rememberedActivities).toBe(16);
	expect(heapMb() - before).toBeLessThan(30);
});

describe('A thousand deliveries, some of them duplicated, forged, malformed or out of order', () => {
	it('run exactly once each if verified, and otherwise not at all', async () => {
		// All are sent at once, perhaps on a busy machine: the long timeout keeps the sender from retrying.
		world.service.setSwitches({ deliveryTimeoutMs: 25_000 });
		const host = await world.activeTrigger(['*']);
		const { targetUrl } = world.webhooks[0]!;
		host.respond = async () => {
			await new Promise((resolve) => setTimeout(resolve, 2));
			return 200;
		};
		const activities = Array.from({ length: 700 }, (_, index) => ({
			type: 'emailsOpened',
			_id: `act_${index}`,
		}));
		const post = async (body: string) =>
			(
				await fetch(targetUrl, {
					method: 'POST',
					headers: { 'content-type': 'application/json' },
					body,
				})
			).status;
		const forged = Array.from({ length: 100 }, async (_, index) =>
			post(JSON.stringify({ type: 'emailsOpened', _id: `act_f${index}`, secret: 'guess' })),
		);
		const malformed = Array.from({ length: 50 }, async (_, index) =>
			post(['[]', '{"a":', '"x"', '', '{}'][index % 5]!),
		);
		const twice = activities.flatMap((one, index) => (index < 300 ? [one, one] : [one]));
		const summary = await world.service.emitMany(twice);
		expect(summary).toMatchObject({ delivered: 1000, failed: 0 });
		expect(new Set(await Promise.all(forged))).toEqual(new Set([401]));
		expect((await Promise.all(malformed)).every((status) => status === 401 || status === 422)).toBe(
			true,
		);
		const ids = host.started.map(({ json }) => json._id).sort();
		expect(ids).toEqual(activities.map(({ _id }) => _id).sort());
	});
});

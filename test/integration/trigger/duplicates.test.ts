/**
 * An activity that is delivered again runs once, unless n8n could not start it or an option says otherwise. The world
 * is a local service and one trigger in one process of n8n.
 */

import { useRealTime } from '../../clock';
import { post } from '../support/post';
import type { TriggerHost } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';

// Senders wait for real time.
useRealTime();
const world = useWorld();
const stats = () => world.n8n.runtime.stats();

const activity = { type: 'emailsReplied', _id: 'act_same' };

describe('An activity that is delivered again', () => {
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
		const host = await world.activeTrigger(['emailsReplied'], { duplicateMemory: 'off' });
		await world.service.emit(activity);
		await world.service.emit(activity);
		expect(host.started).toHaveLength(2);
	});
});

/** Sends a copy of the activity. @param timeoutMs when the sender disconnects, in milliseconds */
async function sendCopy(
	timeoutMs = 5_000,
	_id = activity._id,
): Promise<{ status: number; retryAfter: string | null } | undefined> {
	const { targetUrl } = world.webhooks[0]!;
	return await post(targetUrl, { ...activity, _id }, AbortSignal.timeout(timeoutMs)).then(
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

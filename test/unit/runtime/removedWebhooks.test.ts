/** For how long deliveries of removed webhooks are accepted, and that nothing is kept for longer. On jest's clock. */
import { RemovedWebhooks } from '../../../nodes/OutreachService/runtime/removedWebhooks';
import { digestOf } from '../../../nodes/OutreachService/domain/secret';

beforeEach(() => {
	jest.useFakeTimers({ now: 0 });
});
afterEach(() => {
	jest.useRealTimers();
});

const reply = { event: 'emailsReplied', digest: digestOf('a') };
const bounce = { event: 'emailsBounced', digest: digestOf('b') };

it('are accepted for a minute, each of its own', () => {
	const removed = new RemovedWebhooks();
	removed.add('node', [reply]);
	jest.advanceTimersByTime(30_000);
	removed.add('node', [bounce]);
	expect(removed.of('node')).toMatchObject([reply, bounce]);
	jest.advanceTimersByTime(29_999);
	expect(removed.of('node')).toMatchObject([reply, bounce]);
	jest.advanceTimersByTime(1);
	expect(removed.of('node')).toMatchObject([bounce]);
	jest.advanceTimersByTime(30_000);
	expect(removed.of('node')).toEqual([]);
});

it('are those of the node alone', () => {
	const removed = new RemovedWebhooks();
	removed.add('node', [reply]);
	expect(removed.of('other')).toEqual([]);
});

it('are forgotten when webhooks of any node are removed later', () => {
	const removed = new RemovedWebhooks();
	removed.add('deleted', [reply]);
	jest.advanceTimersByTime(60_000);
	removed.add('node', [bounce]);
	expect(removed.size).toBe(1);
});

it('take no memory if nothing was removed', () => {
	const removed = new RemovedWebhooks();
	removed.add('node', []);
	expect(removed.size).toBe(0);
});

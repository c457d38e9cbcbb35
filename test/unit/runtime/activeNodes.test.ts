import type { RegisteredWebhook } from '../../../nodes/OutreachService/model/registration';
import { ActiveNodes } from '../../../nodes/OutreachService/runtime/activeNodes';
import { Mutex } from '../../../nodes/OutreachService/utils/mutex';
import { activeNode, registered } from './activeNode';

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => {
	jest.useRealTimers();
});

const node = (id: string) => ({ getWorkflow: () => ({ id: '1' }), getNode: () => ({ id }) });
const [A, B] = [node('a'), node('b')];
const ACTIVE = activeNode();

const asWebhook = ({ id, targetUrl }: RegisteredWebhook) => ({ _id: id, targetUrl });

describe('A trigger whose `trigger()` n8n has ended', () => {
	it('is known for another minute, because n8n may still call `delete`, but is not active', () => {
		const nodes = new ActiveNodes(new Mutex());
		nodes.set(A, ACTIVE);
		jest.advanceTimersByTime(40_000);
		nodes.watch(A)();
		expect([nodes.get(A), nodes.hasAny]).toEqual([ACTIVE, false]);
		jest.advanceTimersByTime(60_000);
		nodes.set(B, ACTIVE);
		expect(nodes.get(A)).toBe(ACTIVE);
		jest.advanceTimersByTime(1);
		nodes.set(B, ACTIVE);
		expect([nodes.get(A), nodes.stats().nodes]).toEqual([undefined, 1]);
	});

	it('stays active when n8n has called `trigger()` again before it ended the first one', () => {
		const nodes = new ActiveNodes(new Mutex());
		nodes.set(A, ACTIVE);
		const endFirst = nodes.watch(A);
		nodes.watch(A);
		endFirst();
		expect(nodes.hasAny).toBe(true);
	});
});

it('A trigger that n8n unregistered before it ended `trigger()` is not known any more', () => {
	const nodes = new ActiveNodes(new Mutex());
	nodes.set(A, ACTIVE);
	const end = nodes.watch(A);
	nodes.delete(A);
	end();
	expect([nodes.get(A), nodes.stats().nodes]).toEqual([undefined, 0]);
});

describe('A trigger whose webhooks this process has begun to remove', () => {
	it('is known as such until it is active again', () => {
		const nodes = new ActiveNodes(new Mutex());
		nodes.beginLeaving(A);
		nodes.beginLeaving(B);
		expect([A, B].map((one) => nodes.isLeaving(one))).toEqual([true, true]);
		nodes.set(A, ACTIVE);
		expect([A, B].map((one) => nodes.isLeaving(one))).toEqual([false, true]);
	});

	it('is forgotten with all others when there are 5,000', () => {
		const nodes = new ActiveNodes(new Mutex());
		for (let id = 0; id < 5_000; id++) nodes.beginLeaving(node(String(id)));
		expect([nodes.isLeaving(node('0')), nodes.stats().leaving]).toEqual([true, 5_000]);
		nodes.beginLeaving(A);
		expect([nodes.isLeaving(node('0')), nodes.stats().leaving]).toEqual([false, 1]);
	});
});

it('A trigger is being changed while a change of its webhooks runs: no other one is, nor its test run', async () => {
	const nodes = new ActiveNodes(new Mutex());
	const changing = () => [
		nodes.isChanging(A, ACTIVE.base),
		nodes.isChanging(B, ACTIVE.base),
		nodes.isChanging(A, 'http://n8n.test/webhook-test/a'),
	];
	await nodes.exclusively(A, ACTIVE.base, async () =>
		expect(changing()).toEqual([true, false, false]),
	);
	expect(changing()).toEqual([false, false, false]);
});

it('The end of a trigger that is not active need not be waited for', async () => {
	const nodes = new ActiveNodes(new Mutex());
	await nodes.untilDeleted(A);
	expect(nodes.stats().awaited).toBe(0);
});

it('The end of an active trigger is waited for until it is unregistered', async () => {
	const nodes = new ActiveNodes(new Mutex());
	nodes.set(A, ACTIVE);
	let isOver = false;
	const end = nodes.untilDeleted(A).then(() => (isOver = true));
	await Promise.resolve();
	expect([isOver, nodes.stats().awaited]).toEqual([false, 1]);
	nodes.delete(A);
	await end;
	expect([isOver, nodes.stats().awaited]).toEqual([true, 0]);
});

describe('A webhook', () => {
	const [FIRST, SECOND] = [registered('hoo_1'), registered('hoo_2', { event: 'warmed' })];
	const setUp = () => {
		const nodes = new ActiveNodes(new Mutex());
		const third = registered('hoo_3', { event: 'interested' });
		const [a, b] = [activeNode([FIRST]), activeNode([SECOND, third])];
		nodes.set(A, a);
		nodes.set(B, b);
		return { nodes, a, b };
	};

	it.each([
		['its ID', { _id: 'hoo_2', targetUrl: 'https://elsewhere.test' }],
		['its URL', { _id: 'hoo_9', targetUrl: SECOND.targetUrl }],
		[
			'its URL in another notation',
			{ _id: 'hoo_9', targetUrl: SECOND.targetUrl.replace('http', 'HTTP') },
		],
	])('belongs to the active trigger that knows %s', (_, webhook) => {
		const { nodes, b } = setUp();
		expect([nodes.using(webhook), nodes.workflowUsing(webhook)]).toEqual([b, '1']);
	});

	it('belongs to nobody when no trigger knows it, or the one that did is not active any more', () => {
		const { nodes } = setUp();
		const foreign = { _id: 'hoo_9', targetUrl: 'https://crm.test/in' };
		expect([nodes.using(foreign), nodes.workflowUsing(foreign)]).toEqual([undefined, undefined]);
		nodes.watch(B)();
		expect(nodes.using(asWebhook(SECOND))).toBeUndefined();
	});

	it('is that of another trigger for every trigger but its own', () => {
		const { nodes } = setUp();
		expect([...nodes.webhooksOfOthers(A)]).toEqual(['hoo_2', 'hoo_3']);
		expect([...nodes.webhooksOfOthers(node('c'))]).toEqual(['hoo_1', 'hoo_2', 'hoo_3']);
	});

	it('is changed one after the other with the changes of its own trigger, and with no other one', async () => {
		const { nodes, a, b } = setUp();
		let end = (): void => undefined;
		const change = nodes.exclusively(
			A,
			a.base,
			async () => await new Promise<void>((resolve) => (end = resolve)),
		);
		const seen: unknown[] = [];
		const see = async (user: unknown) => seen.push(user);
		const own = nodes.exclusivelyForWebhook(asWebhook(FIRST), see);
		await nodes.exclusivelyForWebhook(asWebhook(SECOND), async () => seen.push('another trigger'));
		await nodes.exclusivelyForWebhook({ _id: 'hoo_9', targetUrl: 'https://crm.test/in' }, see);
		await nodes.exclusively(B, b.base, async () => seen.push('another node'));
		expect(seen).toEqual(['another trigger', undefined, 'another node']);
		end();
		await Promise.all([change, own]);
		expect(seen.slice(3)).toEqual([a]);
	});

	it('has no trigger any more when that was unregistered in the meantime', async () => {
		const { nodes, a } = setUp();
		const change = nodes.exclusively(A, a.base, async () => nodes.delete(A));
		const user = nodes.exclusivelyForWebhook(asWebhook(FIRST), async (trigger) => trigger);
		await change;
		expect(await user).toBeUndefined();
	});
});

describe('A repair', () => {
	it('is the only one of its node until it ends', () => {
		const nodes = new ActiveNodes(new Mutex());
		const repair = nodes.beginRepair(A);
		expect([nodes.beginRepair(A), nodes.stats().repairs]).toEqual([undefined, 1]);
		expect(nodes.beginRepair(B)).toBeDefined();
		repair?.end();
		expect([nodes.beginRepair(A) === undefined, nodes.stats().repairs]).toEqual([false, 2]);
	});

	it('is told why it is cancelled, and that of another node goes on', () => {
		const nodes = new ActiveNodes(new Mutex());
		const [a, b] = [nodes.beginRepair(A), nodes.beginRepair(B)];
		nodes.cancelRepair(A);
		nodes.cancelRepair(node('c'));
		expect(a?.signal.reason).toEqual(new Error('The workflow was deactivated'));
		expect([a?.signal.aborted, b?.signal.aborted]).toEqual([true, false]);
	});
});

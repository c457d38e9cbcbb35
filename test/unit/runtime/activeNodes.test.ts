import { ActiveNodes, type ActiveNode } from '../../../nodes/OutreachService/runtime/activeNodes';
import { Mutex } from '../../../nodes/OutreachService/utils/mutex';

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => {
	jest.useRealTimers();
});

const node = (id: string) => ({ getWorkflow: () => ({ id: '1' }), getNode: () => ({ id }) });
const [A, B] = [node('a'), node('b')];
const ACTIVE: ActiveNode = {
	base: 'https://n8n.test/webhook/1/webhook',
	desired: [],
	webhooks: [],
	leftovers: [],
	unsaved: new Set(),
	incomplete: false,
	health: { failures: 0, isReported: false, restored: [] },
};

describe('A trigger whose `trigger()` n8n has ended', () => {
	it('is known for another minute, because n8n may still call `delete`, but is not active', () => {
		const nodes = new ActiveNodes(new Mutex());
		nodes.set(A, ACTIVE);
		nodes.watch(A)();
		expect([nodes.get(A), nodes.hasAny]).toEqual([ACTIVE, false]);
		jest.advanceTimersByTime(60_000);
		nodes.set(B, ACTIVE);
		expect(nodes.get(A)).toBe(ACTIVE);
		jest.advanceTimersByTime(1);
		nodes.set(B, ACTIVE);
		expect([nodes.get(A), nodes.size]).toEqual([undefined, 1]);
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

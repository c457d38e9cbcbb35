import { NEW_HEALTH } from '../../../nodes/OutreachService/runtime/activeNodes';
import { Runtime } from '../../../nodes/OutreachService/runtime/runtime';
import { Response } from './deliveries';

const CREDENTIAL = { baseUrl: 'https://api.test/api', apiKey: 'key' };
const NODE = { getWorkflow: () => ({ id: '1' }), getNode: () => ({ id: 'a' }) };
const ACTIVE = {
	base: 'https://n8n.test/webhook/1/webhook',
	selection: undefined,
	desired: [],
	webhooks: [],
	missing: [],
	retrySoon: false,
	health: NEW_HEALTH,
};

/** Adds an entry of every kind to a runtime. */
function fill(runtime: Runtime): void {
	runtime.activeNodes.open(NODE, ACTIVE);
	const change = async () => await new Promise<never>(() => undefined);
	void runtime.activeNodes.exclusively(NODE, ACTIVE.base, change);
	runtime.activeNodes.leaveBehind([{ id: 'hoo_1', targetUrl: 'https://n8n.test/' }]);
	runtime.activeNodes.beginTestRun(NODE, 'https://n8n.test/webhook-test/1/webhook');
	runtime.limiters.for(CREDENTIAL);
	runtime.recentCreates.add('hoo_1');
	void runtime.mutex.run('key', async () => await new Promise(() => undefined));
	void runtime.derivedDigests.get(
		'key',
		async () => [],
		() => true,
		fail,
	);
	runtime.once('node');
	const call = async () => await new Promise<never>(() => undefined);
	const run = { node: 'node', values: { record: call, remove: call }, isOnlyProcess: true };
	void runtime.recordedActivities.claim(run, ['key@1']);
	const held = { item: { json: {} }, bytes: 1, response: new Response(), isRemembered: true };
	const batch = { maxEvents: 2, maxSeconds: 1 };
	void runtime.batches.add(
		{ node: 'node', group: 'all' },
		{ ...held, respond: () => undefined },
		batch,
	);
	const taken = new Response();
	void runtime.duplicates.claim('node', 'taken', taken);
	taken.end(200);
	for (const response of [new Response(), new Response()]) {
		void runtime.duplicates.claim('node', 'pending', response);
	}
}

const fail = (error: Error): never => {
	throw error;
};

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => {
	jest.useRealTimers();
});

describe('A runtime', () => {
	it('counts an entry of each kind that it holds', async () => {
		const runtime = new Runtime();
		fill(runtime);
		// A change begins once it holds the lock, and an outcome is noted once it is known.
		await jest.advanceTimersByTimeAsync(0);
		expect(Object.values(runtime.stats()).filter((count) => count === 0)).toEqual([]);
	});

	it('shares nothing with another one', () => {
		const [used, unused] = [new Runtime(), new Runtime()];
		fill(used);
		expect(unused.stats()).toEqual(new Runtime().stats());
		for (const [name, part] of Object.entries(used)) {
			expect(part).not.toBe(Object.entries(unused).find(([other]) => other === name)?.[1]);
		}
	});
});

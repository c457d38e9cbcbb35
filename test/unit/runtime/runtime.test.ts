import { Runtime } from '../../../nodes/OutreachService/runtime/runtime';
import { readSelection } from '../../../nodes/OutreachService/trigger/parameters';
import { node as TRIGGER } from '../trigger/selections';
import { moduleStateIn, shippedModuleState } from './moduleState';
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
	health: { failures: 0, isReported: false, restored: [] },
};

/** Adds an entry of every kind to a runtime. */
function fill(runtime: Runtime): void {
	runtime.activeNodes.open(NODE, ACTIVE);
	runtime.activeNodes.beginCheck(NODE);
	runtime.activeNodes.beginTestRun(NODE, 'https://n8n.test/webhook-test/1/webhook');
	runtime.limiters.for(CREDENTIAL);
	runtime.recentCreates.add('hoo_1');
	void runtime.mutex.run('key', async () => await new Promise(() => undefined));
	const selection = readSelection({ getNode: () => TRIGGER, getNodeParameter: () => undefined });
	runtime.selections.get('key', {}, () => selection);
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
	void runtime.batches.add('node', { ...held, respond: () => undefined }, batch);
	const taken = new Response();
	void runtime.deduplicator.claim('node', 'taken', taken);
	taken.end(200);
	for (const response of [new Response(), new Response()]) {
		void runtime.deduplicator.claim('node', 'pending', response);
	}
}

/** The fields of a runtime and of its parts that hold any number of entries, as paths. */
function collectionsIn(part: object, path: string[] = [], seen = new Set<object>()): string[] {
	if (seen.has(part)) return [];
	seen.add(part);
	if (part instanceof Map || part instanceof Set || Array.isArray(part)) return [path.join('.')];
	return Object.entries(part).flatMap(([name, value]: [string, unknown]) =>
		typeof value === 'object' && value !== null ? collectionsIn(value, [...path, name], seen) : [],
	);
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
	it('is empty at first', () => {
		const counts = Object.values(new Runtime().stats());
		expect(counts.length).toBeGreaterThan(0);
		expect(counts.every((count) => count === 0)).toBe(true);
	});

	it('counts an entry of each kind that it holds', () => {
		const runtime = new Runtime();
		fill(runtime);
		expect(Object.values(runtime.stats()).filter((count) => count === 0)).toEqual([]);
	});

	it('has a count for each collection', () => {
		const stats = new Runtime().stats();
		const COUNTED: Record<string, keyof typeof stats> = {
			'activeNodes.entries': 'activeNodes',
			'activeNodes.testRuns': 'testRuns',
			'batches.open': 'heldDeliveries',
			'batches.unfinished': 'heldDeliveries',
			'deduplicator.claims': 'claimedActivities',
			'deduplicator.remembered.nodes': 'rememberedActivities',
			'deduplicator.waiters': 'waitingDuplicates',
			'derivedDigests.entries': 'derivedDigests',
			happened: 'happened',
			'limiters.limiters': 'limiters',
			'mutex.last': 'locks',
			'recentCreates.until': 'recentCreates',
			'recordedActivities.waiting': 'recordingNodes',
			'selections.known': 'selections',
		};
		expect(collectionsIn(new Runtime()).sort()).toEqual(Object.keys(COUNTED).sort());
		expect(Object.keys(stats)).toEqual(expect.arrayContaining(Object.values(COUNTED)));
	});

	it('says of each of 1,000 things that it happens once; one more, and all are forgotten', () => {
		const runtime = new Runtime();
		const keys = Array.from({ length: 1_000 }, (_, index) => String(index));
		expect(keys.filter((key) => !runtime.once(key))).toEqual([]);
		expect(keys.filter((key) => runtime.once(key))).toEqual([]);
		expect([runtime.once('one more'), runtime.stats().happened]).toEqual([true, 1]);
		expect(runtime.once('0')).toBe(true);
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

describe('State in modules', () => {
	it('is the runtime of the process and nothing else', () => {
		expect(shippedModuleState()).toEqual([
			'nodes/OutreachService/runtime/runtime.ts: processRuntime',
		]);
	});

	it.each([
		['a variable that can be reassigned', 'let x = 0;'],
		['a map', 'const x = new Map<string, number>();'],
		['a set that is exported', 'export const x = new Set([1]);'],
		['a weak map', 'const x = new WeakMap();'],
		['an array made with `new`', 'const x = new Array<number>(3);'],
		['a map that a function returned', 'const make = () => new Map(); const x = make();'],
		['a map inside an object', 'const x = { seen: new Map() };'],
		['an instance of a class', 'class A {} const x = new A();'],
		['a static property', 'class A { static x = 0; }'],
		['a variable in an immediately invoked function', '(() => { let x = 0; })();'],
		['an array that a function extends', 'const x: number[] = []; const f = () => x.push(1);'],
		['an object that a function changes', 'const x = { n: 0 }; function f() { x.n += 1; }'],
		[
			'an element that a function removes',
			"const x = { a: 1 } as any; const f = () => delete x['a'];",
		],
	])('includes %s', (_, source) => {
		expect(moduleStateIn(source)).toEqual(['x']);
	});

	it.each([
		['a set that is declared read-only', 'const x: ReadonlySet<number> = new Set([1]);'],
		['a constant', 'const x = 1; const y = { a: [1] } as const;'],
		['a function and its variables', 'const f = () => { let n = 0; n += 1; return new Map(); };'],
		['a class that is not instantiated', 'class A { readonly seen = new Map(); }'],
	])('does not include %s', (_, source) => {
		expect(moduleStateIn(source)).toEqual([]);
	});
});

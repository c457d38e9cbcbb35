/** When a batch closes, and what each of its deliveries gets. On jest's clock. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import type { INodeExecutionData } from 'n8n-workflow';

import { Batches } from '../../../nodes/OutreachService/runtime/batches';
import { tries } from '../../propertyRuns';
import { Response } from './response';

const MAX_OPEN = 20;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
const MAX_HELD = 5_000;
const MAX_HELD_BYTES = 32 * 1024 * 1024;
/** A day. */
const LEASE_MS = 86_400_000;

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => {
	jest.restoreAllMocks();
	jest.useRealTimers();
});

const LIMITS = { maxEvents: 3, maxSeconds: 2 };

/** One delivery to a node. */
class Delivery {
	readonly response = new Response();

	/** Undefined until the node has decided; none if it follows another delivery. */
	items: INodeExecutionData[] | undefined;

	constructor(
		batches: Batches,
		readonly id: number,
		{ node = 'node', version = 'v1', group = 'all', limits = LIMITS, bytes = 100 } = {},
	) {
		const item = { json: { id, group, version } };
		const held = { item, bytes, response: this.response };
		const add = async () => {
			this.items = await batches.add({ nodeKey: node, version, group }, held, limits);
		};
		void add();
	}

	/** Whether n8n has still to respond to the run that this delivery starts: it stores it, or refuses it. */
	get isHandedOver(): boolean {
		return (this.items ?? []).length > 0 && !this.response.writableEnded;
	}

	get ids(): unknown {
		return this.items?.map(({ json }) => json.id);
	}
}

const setUp = () => {
	const batches = new Batches();
	let id = 0;
	const deliver = (options: ConstructorParameters<typeof Delivery>[2] = {}) => {
		id += 1;
		return new Delivery(batches, id, options);
	};
	return { batches, deliver };
};
const settle = async (ms = 0) => await jest.advanceTimersByTimeAsync(ms);

describe('A batch', () => {
	it('closes after its time, counted from its first event', async () => {
		const { deliver } = setUp();
		const first = deliver();
		await settle(1_500);
		const second = deliver();
		await settle(499);
		expect(first.ids).toBeUndefined();
		await settle(2);
		expect([first.ids, second.ids]).toEqual([[1, 2], []]);
	});

	it('is handed over at once when n8n shuts down, as are those of all groups of the node', async () => {
		const { batches, deliver } = setUp();
		const deliveries = [deliver(), deliver(), deliver({ group: 'other' }), deliver({ node: 'b' })];
		void batches.close('node');
		void batches.close('node');
		await settle();
		expect(deliveries.map(({ ids }) => ids)).toEqual([[1, 2], [], [3], undefined]);
	});

	it('closes early when more than 20 others open, because n8n keeps memory for each', async () => {
		const { deliver } = setUp();
		const deliveries = Array.from({ length: MAX_OPEN }, (_, index) =>
			deliver({ group: String(index) }),
		);
		await settle();
		expect(deliveries.filter(({ ids }) => ids !== undefined)).toEqual([]);
		deliver({ group: 'one more' });
		await settle();
		expect(deliveries.map(({ ids }) => ids).slice(0, 2)).toEqual([[1], undefined]);
	});

	it('is forgotten once n8n has responded to it', async () => {
		const { deliver } = setUp();
		const respond = async () => {
			const { response } = deliver({ limits: { ...LIMITS, maxEvents: 1 } });
			await settle();
			response.end(200);
			return new WeakRef(response);
		};
		const response = await respond();
		await settle(LIMITS.maxSeconds * 1_000);
		setFlagsFromString('--expose-gc');
		(runInNewContext('gc') as () => void)();
		expect(response.deref()).toBeUndefined();
	});

	describe('that is handed over when n8n shuts down', () => {
		/** Whether the shutdown may go on. */
		const shutDown = (batches: Batches) => {
			const shutdown = { isOver: false };
			const close = async () => {
				await batches.close('node');
				shutdown.isOver = true;
			};
			void close();
			return shutdown;
		};

		it('is waited for until n8n has responded, as is one that closed just before', async () => {
			const { batches, deliver } = setUp();
			const full = deliver();
			deliver();
			deliver();
			const open = deliver();
			deliver({ node: 'other' });
			const shutdown = shutDown(batches);
			await settle(900);
			open.response.end(200);
			await settle(900);
			expect(shutdown.isOver).toBe(false);
			full.response.end(200);
			await settle();
			expect(shutdown.isOver).toBe(true);
		});

		it('is waited for no longer than two seconds', async () => {
			const { batches, deliver } = setUp();
			deliver();
			const shutdown = shutDown(batches);
			await settle(1_999);
			expect(shutdown.isOver).toBe(false);
			await settle(1);
			expect(shutdown.isOver).toBe(true);
		});
	});

	it('that n8n never responds to asks its senders to retry, and is held no longer', async () => {
		const { deliver } = setUp();
		const [first, second, third] = [deliver(), deliver(), deliver()];
		await settle();
		first.response.disconnect();
		await settle();
		jest.spyOn(performance, 'now').mockReturnValue(performance.now() + LEASE_MS);
		await settle(500);
		expect([second.response.told, third.response.told]).toEqual([503, 503]);
	});
});

const LARGE_BYTES = 256 * 1024;

it.each([
	['bytes', LARGE_BYTES, MAX_HELD_BYTES / LARGE_BYTES],
	['deliveries', 1, MAX_HELD],
])(
	'An event starts a run of its own when the process holds too many %s already, until n8n has stored them',
	async (_, bytes, most) => {
		const { batches, deliver } = setUp();
		const limits = { maxEvents: 1_000, maxSeconds: 2 };
		// A full batch is closed, but its deliveries are held until n8n has stored it.
		const held = Array.from({ length: most }, () => deliver({ bytes, limits }));
		const beyond = deliver({ bytes, limits });
		await settle(2_001);
		expect([beyond.ids, batches.size]).toEqual([[beyond.id], most]);
		expect(held.some(({ ids }) => ids === undefined)).toBe(false);
		for (const delivery of held) if (delivery.isHandedOver) delivery.response.end(200);
		await settle();
		const later = [deliver({ bytes, limits }), deliver({ bytes, limits })];
		await settle(2_001);
		expect(later.map(({ ids }) => ids)).toEqual([later.map(({ id }) => id), []]);
	},
);

it('A batch closes before it has more bytes than one execution should store', async () => {
	const { deliver } = setUp();
	const limits = { maxEvents: 1_000, maxSeconds: 2 };
	const bytes = LARGE_BYTES;
	const most = MAX_BATCH_BYTES / bytes;
	const deliveries = Array.from({ length: most + 1 }, () => deliver({ bytes, limits }));
	await settle();
	expect(deliveries[0]?.ids).toHaveLength(most);
	expect(deliveries.at(-1)?.ids).toBeUndefined();
});

/** What may happen around a node that batches. */
type Step =
	| {
			kind: 'deliver';
			node: string;
			version: string;
			group: string;
			isLarge: boolean;
	  }
	| { kind: 'wait'; ms: number }
	| { kind: 'disconnect' | 'store' | 'refuse'; pick: number }
	| { kind: 'close'; node: string };

const node = fc.constantFrom('a', 'b');
const step: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 5,
		arbitrary: fc.record({
			kind: fc.constant('deliver' as const),
			node,
			version: fc.constantFrom('v1', 'v1', 'v1', 'v2'),
			group: fc.constantFrom('lea_1', 'lea_2', 'lea_3'),
			isLarge: fc.constantFrom(false, false, false, true),
		}),
	},
	fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 2_500 }) }),
	fc.record({
		kind: fc.constantFrom('disconnect' as const, 'store' as const, 'refuse' as const),
		pick: fc.nat(30),
	}),
	fc.record({ kind: fc.constant('close' as const), node }),
);

it('Whatever happens, every event is handed over once, also if its sender disconnects, and whoever gets a status is in exactly one run with it', async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
			const { batches, deliver } = setUp();
			const deliveries: Delivery[] = [];
			const runs: Array<{ items: INodeExecutionData[]; status: number }> = [];
			const respond = ({ isHandedOver, items = [], response }: Delivery, status: number): void => {
				if (!isHandedOver) return;
				runs.push({ items, status });
				response.end(status);
			};
			for (const one of steps) {
				if (one.kind === 'deliver') {
					const bytes = one.isLarge ? LARGE_BYTES : 10;
					deliveries.push(deliver({ ...one, bytes }));
				} else if (one.kind === 'wait') await settle(one.ms);
				else if (one.kind === 'close') void batches.close(one.node);
				else {
					const delivery = deliveries[one.pick % Math.max(deliveries.length, 1)];
					if (one.kind === 'disconnect') delivery?.response.disconnect();
					else if (delivery) respond(delivery, one.kind === 'store' ? 200 : 500);
				}
				await settle();
			}
			// In the end every batch closes, and n8n stores what is handed over.
			await settle(3_000);
			for (const delivery of deliveries) respond(delivery, 200);
			await settle(3_000);

			const idsOf = ({ items }: (typeof runs)[number]) => items.map(({ json }) => Number(json.id));
			const handedOver = runs.flatMap(idsOf);
			expect(handedOver.sort((a, b) => a - b)).toEqual(deliveries.map(({ id }) => id));
			const statusOf = (id: number) => runs.find((run) => idsOf(run).includes(id))?.status;
			for (const { id, response } of deliveries) {
				const { told, isGone } = response;
				// Nobody who is still connected is left without a response.
				expect([id, told !== undefined || isGone]).toEqual([id, true]);
				if (told !== undefined) expect([id, told]).toEqual([id, statusOf(id)]);
			}
			expect(batches.size).toBe(0);
			for (const run of runs) {
				expect(idsOf(run)).toEqual(idsOf(run).sort((a, b) => a - b));
				const kinds = run.items.map(({ json }) => JSON.stringify([json.group, json.version]));
				expect(new Set(kinds).size).toBe(1);
			}
		}),
		{ numRuns: tries(75) },
	);
});

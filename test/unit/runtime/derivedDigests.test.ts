import {
	DerivedDigests,
	type Digests,
} from '../../../nodes/OutreachService/runtime/derivedDigests';

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => {
	jest.useRealTimers();
});

const DIGESTS: Digests = [{ event: '*', digest: 'd' }];

/** How many times the digests of each node were derived, and how many outages were reported. */
function setUp() {
	const digests = new DerivedDigests();
	const counts = { derived: 0, outages: 0 };
	let isDown = false;
	const derive = async (): Promise<Digests> => {
		counts.derived += 1;
		if (isDown) throw new Error('The database is locked');
		return DIGESTS;
	};
	const get = async (node = 'a', isWanted = true) =>
		await digests
			.get(
				node,
				derive,
				() => isWanted,
				() => {
					counts.outages += 1;
				},
			)
			.catch(() => 'failed');
	const setDown = (value: boolean) => {
		isDown = value;
	};
	return { digests, counts, get, setDown };
}

describe('The digests of derived secrets', () => {
	it('are derived once a minute, however many deliveries there are', async () => {
		const { counts, get } = setUp();
		for (let ms = 0; ms < 60_000; ms += 1_000) {
			expect(await get()).toBe(DIGESTS);
			jest.advanceTimersByTime(1_000);
		}
		expect(counts.derived).toBe(1);
		jest.advanceTimersByTime(1);
		await get();
		expect(counts.derived).toBe(2);
	});

	it('are derived again for an unknown secret, but at most every three seconds', async () => {
		const { counts, get } = setUp();
		await get();
		for (let ms = 0; ms < 30_000; ms += 100) {
			await Promise.all([get('a', false), get('a', false)]);
			jest.advanceTimersByTime(100);
		}
		expect(counts.derived).toBeGreaterThanOrEqual(9);
		expect(counts.derived).toBeLessThanOrEqual(11);
	});

	it('of one node are derived again on demand, and no others', async () => {
		const { digests, counts, get } = setUp();
		for (const key of ['a\n1', 'a\n2', 'ab\n1', 'b\na\n']) await get(key);
		digests.forget('a');
		expect(digests.size).toBe(2);
		for (const key of ['ab\n1', 'b\na\n']) await get(key);
		expect(counts.derived).toBe(4);
		await get('a\n1');
		expect(counts.derived).toBe(5);
	});

	it('are tried five times a second while the credential cannot be read, and reported once', async () => {
		const { counts, get, setDown } = setUp();
		setDown(true);
		for (let ms = 0; ms < 1_000; ms += 10) {
			expect(await get()).toBe('failed');
			jest.advanceTimersByTime(10);
		}
		expect(counts).toEqual({ derived: 5, outages: 1 });
		setDown(false);
		jest.advanceTimersByTime(201);
		expect(await get()).toBe(DIGESTS);
		setDown(true);
		jest.advanceTimersByTime(60_001);
		await get();
		expect(counts.outages).toBe(2);
	});
});

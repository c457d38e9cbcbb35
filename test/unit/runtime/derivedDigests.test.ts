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

/** Digests as deliveries ask for them, and how many times they were derived. */
function setUp() {
	const digests = new DerivedDigests();
	const counts = { derived: 0 };
	const derive = async (): Promise<Digests> => {
		counts.derived += 1;
		return DIGESTS;
	};
	const get = async (isWanted = true, key = 'a') =>
		await digests.get(
			key,
			derive,
			() => isWanted,
			() => undefined,
		);
	return { digests, counts, get };
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
			await Promise.all([get(false), get(false)]);
			jest.advanceTimersByTime(100);
		}
		expect(counts.derived).toBeGreaterThanOrEqual(9);
		expect(counts.derived).toBeLessThanOrEqual(11);
	});

	it('of one node are derived again on demand, and no others', async () => {
		const { digests, counts, get } = setUp();
		const keys = ['a\n1', 'a\n2', 'ab\n1', 'b\na\n'];
		for (const key of keys) await get(true, key);
		digests.forget('a');
		for (const key of keys.slice(2)) await get(true, key);
		expect(counts.derived).toBe(4);
		await get(true, 'a\n1');
		expect(counts.derived).toBe(5);
	});
});

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
	const get = async (isWanted = true) =>
		await digests.get(
			'a',
			derive,
			() => isWanted,
			() => undefined,
		);
	return { counts, get };
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
});

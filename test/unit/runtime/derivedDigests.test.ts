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
	const get = async () =>
		await digests
			.get('a', derive, () => {
				counts.outages += 1;
			})
			.catch(() => 'failed');
	const setDown = (value: boolean) => {
		isDown = value;
	};
	return { counts, get, setDown };
}

describe('The digests of derived secrets', () => {
	it('are derived at most every three seconds, however many deliveries there are', async () => {
		const { counts, get } = setUp();
		for (let ms = 0; ms < 30_000; ms += 100) {
			expect(await Promise.all([get(), get()])).toEqual([DIGESTS, DIGESTS]);
			jest.advanceTimersByTime(100);
		}
		expect(counts.derived).toBeGreaterThanOrEqual(9);
		expect(counts.derived).toBeLessThanOrEqual(11);
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
		jest.advanceTimersByTime(3_001);
		await get();
		expect(counts.outages).toBe(2);
	});
});

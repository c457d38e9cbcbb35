/* global afterAll, afterEach, beforeEach, expect */
import { vi } from 'vitest';

import { needsRealTime } from '../../test/realTime';

vi.stubGlobal('jest', vi);

/** Reload the nodes for each test file, as Jest does; modules from node_modules stay loaded. */
vi.resetModules();

/** Stryker expects a new process for each mutant: without this, modules would load with the previous mutant active. */
afterAll(() => {
	if (globalThis.__stryker__) globalThis.__stryker__.activeMutant = undefined;
});

/**
 * Speeds up the clock of the nodes and of the local service, because integration tests wait for rate limits and retries.
 * It advances only while the process is idle, so the load of the machine does not change the order of events.
 */
const STEP_MS = 40;
const path = expect.getState().testPath ?? '';
const isFast = path.includes('/test/integration/') && !needsRealTime(path);
let ticking;

beforeEach(() => {
	if (!isFast) return;
	vi.useFakeTimers({
		now: Date.now(),
		toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'],
	});
	ticking = setInterval(() => vi.advanceTimersByTime(STEP_MS), 1);
});

afterEach(() => {
	if (!isFast) return;
	clearInterval(ticking);
	vi.useRealTimers();
});

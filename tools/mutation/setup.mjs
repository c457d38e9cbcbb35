/* global afterAll, afterEach, beforeEach, expect */
import { vi } from 'vitest';

vi.stubGlobal('jest', vi);

/** The nodes anew for each test file, as jest has it; what is loaded from node_modules stays. */
vi.resetModules();

/** Stryker expects a process of its own for each mutant: without this, the next one's modules load under this one. */
afterAll(() => {
	if (globalThis.__stryker__) globalThis.__stryker__.activeMutant = undefined;
});

/**
 * Integration tests wait for limits and repeats; here the clock of the nodes and of the local service runs faster. It
 * only moves while nothing else is to be done, so a busy machine does not change what comes first.
 */
const STEP_MS = 40;
const isIntegration = expect.getState().testPath?.includes('/test/integration/') === true;
let ticking;

beforeEach(() => {
	if (!isIntegration) return;
	vi.useFakeTimers({
		now: Date.now(),
		toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'],
	});
	ticking = setInterval(() => vi.advanceTimersByTime(STEP_MS), 1);
});

afterEach(() => {
	if (!isIntegration) return;
	clearInterval(ticking);
	vi.useRealTimers();
});

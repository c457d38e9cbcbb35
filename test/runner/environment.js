const { AsyncLocalStorage } = require('node:async_hooks');
const { TestEnvironment } = require('jest-environment-node');

/** As Node has it. */
const STACK_TRACE_LINES = 10;

const { run } = AsyncLocalStorage.prototype;

/**
 * Jest notes with each promise to which test or hook it belongs, in case that it is rejected and nobody handles it. On
 * Node.js 20, this slows down every promise by more than the tests of many files take. One test runs at a time here, so
 * it is enough to know the latest test or hook that has begun and has not ended.
 */
AsyncLocalStorage.prototype.run = function (store, task, ...args) {
	if (!isOfJest(store)) return run.call(this, store, task, ...args);
	const outer = this.getStore();
	this.getStore = () => store;
	return task(...args).finally(() => {
		this.getStore = () => outer;
	});
};

const isOfJest = (store) => typeof store === 'object' && store !== null && 'test' in store;

const { exit } = process;

// A worker with nothing left to do would free its heap before it ends. On a busy machine, this takes longer than the half second that
// jest waits, and jest would blame the tests. `exit()` leaves the heap to the operating system.
if (process.send) process.once('beforeExit', () => process.exit());

/**
 * The symbols, by their descriptions, under which jest-circus keeps the tests and the listeners of the running file. It is
 * loaded anew for each file, and would call the listeners of all files before it.
 */
const OF_ONE_FILE = ['EVENT_HANDLERS', 'JEST_STATE_SYMBOL'];

/** The environment of this jest worker. */
let shared;

/**
 * One environment for all test files of a worker, because they share packages (see ./runtime.js): both must have the
 * same `Error` and `Array`. Jest has an environment for each file.
 */
class SharedEnvironment extends TestEnvironment {
	constructor(config, context) {
		if (shared) return shared;
		super(config, context);
		shared = this;
		// Every expect() takes a stack trace. Jest has 100 lines in it, and some property tests spend half their time on them.
		this.global.Error.stackTraceLimit = STACK_TRACE_LINES;
	}

	/** Gives the next file real timers; the rest stays. */
	async teardown() {
		this.fakeTimers.dispose();
		this.fakeTimersModern.dispose();
		// Coverage is counted for each file.
		delete this.global.__coverage__;
		for (const key of Object.getOwnPropertySymbols(this.global)) {
			if (OF_ONE_FILE.includes(key.description)) delete this.global[key];
		}
		// Jest keeps what was deleted or replaced for its own teardown. With all of it, each file would leave 2.5 MB.
		this._globalProxy.leftovers = [];
		// Jest wraps it for each file.
		this.global.process.exit = exit;
	}
}

module.exports = SharedEnvironment;

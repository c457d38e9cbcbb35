const { AsyncLocalStorage } = require('node:async_hooks');
const { TestEnvironment } = require('jest-environment-node');

/** As Node has it. */
const STACK_TRACE_LINES = 10;

/**
 * The storages that were used since the last test file ended. Jest makes one for each file and never disables it, and on
 * Node.js 20 each one slows down every promise of all files after it.
 */
const usedStorages = new Set();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...args) {
	usedStorages.add(this);
	return run.apply(this, args);
};

/** Where jest-circus keeps the listeners of the running test file. */
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');

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
		// The test framework is loaded anew for each file, and would add its listeners to those of all files before it.
		delete this.global[EVENT_HANDLERS];
		// One that a package uses is enabled again by its next `run`.
		for (const storage of usedStorages) storage.disable();
		usedStorages.clear();
	}
}

module.exports = SharedEnvironment;
